import { useEffect, useState } from 'preact/hooks';
import { nameOfAccount } from '../load/dev-choices.ts';
import { miningText } from '../load/dev-state.ts';
import type { DevData } from '../load/load-dev.ts';
import type { ViewProps } from '../load/page-context.ts';
import { amountText, groupDigits, plural, timeText } from '../text/text-format.ts';
import { useDevCall } from './actions.ts';
import { ActionForm } from './dev-action-form.tsx';
import { DevClock } from './dev-clock.tsx';
import { DevConsole } from './dev-console.tsx';
import { DevFaults } from './dev-faults.tsx';
import { DevGroup } from './dev-group.tsx';
import { DevSnapshots } from './dev-snapshots.tsx';
import { LoadStateButton, SaveStateLink } from './dev-state-file.tsx';
import { FormNote } from './form.tsx';
import { useLive } from './live.ts';
import { AddressLink, AssetLink, CopyButton, PageHead, Panel, Scroll, Switch } from './parts.tsx';

/** The page of a developer's chain: the accounts, the actions that are used most, and all others in their groups. */
export function DevView(props: ViewProps<DevData>) {
  const { data, context } = props;
  useEffect(() => {
    openAction();
    window.addEventListener('hashchange', openAction);
    return () => window.removeEventListener('hashchange', openAction);
  }, []);
  return (
    <>
      <PageHead
        title="Dev panel"
        line={
          <>
            this node only · methods <span class="mono">dev.*</span> · never send real funds to these keys
          </>
        }
        buttons={
          <>
            <SaveStateLink network={context.network.name} height={data.height} />
            <LoadStateButton txCount={data.choices.txCount} />
          </>
        }
      />
      <noscript>
        <p class="panel message">The buttons of this page need JavaScript; the methods of /ext/dev do the same.</p>
      </noscript>
      <div class="dev-columns">
        <div>
          <Accounts {...props} />
          <DevGroup group="assets" data={data} state={plural(data.choices.assets.length, 'asset')} />
          <Blocks {...props} />
          <DevSnapshots {...props} />
        </div>
        <div>
          <div id="send">
            <Panel title="Send">
              <ActionForm name="send" data={data} isPrimary />
            </Panel>
          </div>
          <div id="faucet">
            <Panel title="Faucet" side={<span>account 0 pays</span>}>
              <ActionForm name="faucet" data={data} />
            </Panel>
          </div>
          <DevGroup group="money" data={data} without={['send', 'faucet']} />
          <DevClock {...props} />
          <DevFaults {...props} />
          <DevConsole />
          <EventLog />
        </div>
      </div>
    </>
  );
}

/** Opens the action that the URL names, and puts the focus into its first field. */
function openAction(): void {
  const place = document.getElementById(location.hash.slice(1));
  if (place === null) return;
  if (place instanceof HTMLDetailsElement) place.open = true;
  place.scrollIntoView({ block: 'center' });
  const field = place.matches('button, input') ? place : place.querySelector<HTMLElement>('select, input, button');
  field?.focus();
}

/** Accounts that are shown before the others are folded. */
const shownAccounts = 12;
const maxAccounts = 100;

function Accounts({ data, context }: ViewProps<DevData>) {
  const { accounts, choices, autoImpersonate } = data;
  const rest = accounts.slice(shownAccounts, maxAccounts);
  return (
    <DevGroup
      group="accounts"
      data={data}
      weight="answer"
      state={
        autoImpersonate
          ? 'no transaction needs a signature'
          : choices.impersonated.length > 0
            ? `impersonated: ${choices.impersonated
                .slice(0, 3)
                .map(({ name }) => name)
                .join(', ')}${choices.impersonated.length > 3 ? ' …' : ''}`
            : groupDigits(accounts.length)
      }
    >
      <AccountRows accounts={accounts.slice(0, shownAccounts)} data={data} context={context} />
      {rest.length > 0 && (
        <details class="action">
          <summary>
            <b>{plural(accounts.length - shownAccounts, 'more account')}</b>
            {accounts.length > maxAccounts && <span class="quiet"> {groupDigits(rest.length)} are listed</span>}
          </summary>
          <AccountRows accounts={rest} data={data} context={context} />
        </details>
      )}
    </DevGroup>
  );
}

type AccountRowsProps = Pick<ViewProps<DevData>, 'data' | 'context'> & { readonly accounts: DevData['accounts'] };

const AccountRows = ({ accounts, data, context }: AccountRowsProps) => (
  <Scroll>
    <table class="accounts">
      <tbody>
        {accounts.map((account) => (
          <tr key={account.index}>
            <td>
              <b>{nameOfAccount(account)}</b>
            </td>
            <td>
              {/* The address, not its name, which is beside it. */}
              <AddressLink address={account.address} context={{ ...context, accountNames: undefined }} isPlain={false} />{' '}
              <CopyButton text={account.address} what={`address of account ${account.index}`} />
            </td>
            <td class="number">
              <span class="amount">
                {amountText(account.balance, context.chain.feeDecimals)} <small>{context.chain.feeSymbol}</small>
              </span>
              <Holdings address={account.address} data={data} feeAsset={context.chain.feeAsset} />
            </td>
            <td class="number">
              {account.privateKey !== undefined && (
                <button type="button" class="link" data-copy={account.privateKey}>
                  Copy private key
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

/** Assets beside that of the fees which an account shows. */
const maxHoldings = 3;

/** What an account has beside the asset in which fees are paid. */
function Holdings({ address, data: { choices }, feeAsset }: { address: string; data: DevData; feeAsset: string }) {
  const held = choices.assets.flatMap((asset) => {
    const amount = asset.assetId === feeAsset ? undefined : choices.balances[address]?.[asset.assetId];
    return amount === undefined ? [] : [{ asset, amount }];
  });
  return (
    <>
      {held.slice(0, maxHoldings).map(({ asset, amount }) => (
        <small class="holding" key={asset.assetId}>
          {amountText(amount, asset.denomination)} <AssetLink id={asset.assetId} symbol={asset.symbol} />
        </small>
      ))}
      {held.length > maxHoldings && <small class="holding">and {plural(held.length - maxHoldings, 'more asset')}</small>}
    </>
  );
}

const modes = [
  ['once', 'At once'],
  ['timed', 'Every'],
  ['hand', 'By hand'],
] as const;

/** The group of the chain: when blocks are built, and what is done with them. */
function Blocks({ data }: ViewProps<DevData>) {
  const { state } = data;
  const { run, note, isBusy } = useDevCall();
  const [seconds, setSeconds] = useState(state.interval > 0 ? state.interval : 2);
  const mode = state.automine ? 'once' : state.interval > 0 ? 'timed' : 'hand';
  const setMode = async (to: (typeof modes)[number][0]): Promise<void> => {
    await run('dev.setIntervalMining', { seconds: to === 'timed' ? seconds : 0 }, () => '');
    await run('dev.setAutomine', { enabled: to === 'once' }, () => '');
  };
  return (
    <DevGroup group="chain" data={data} state={miningText(state)} without={['snapshot']}>
      <div class="row padded">
        <Switch label="When blocks are built" options={modes} value={mode} isBusy={isBusy} onChange={setMode} />
        <label>
          Seconds{' '}
          <input
            type="number"
            min={1}
            max={86_400}
            value={seconds}
            onInput={({ currentTarget }) => setSeconds(Math.max(1, Math.floor(Number(currentTarget.value) || 1)))}
          />
        </label>
      </div>
      <FormNote note={note} />
    </DevGroup>
  );
}

/** The latest events of the stream since the page opened, newest first. */
function EventLog() {
  const live = useLive();
  if (live === undefined) return null;
  return (
    <Panel title="Events" side={<span>since this page opened</span>}>
      <table>
        <tbody>
          {live.log.map(({ number, time, kind, text, href }) => (
            <tr key={number}>
              <td class="mono quiet">{timeText(time)}</td>
              <td>
                <b>{kind}</b>
              </td>
              <td class="breakable">{href === undefined ? text : <a href={href}>{text}</a>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {live.log.length === 0 && <p class="table-foot">None yet.</p>}
    </Panel>
  );
}
