import { useState } from 'preact/hooks';
import { miningText } from '../load/dev-state.ts';
import type { DevData } from '../load/load-dev.ts';
import type { ViewProps } from '../load/page-context.ts';
import { amountText, groupDigits, timeText } from '../text/text-format.ts';
import { useDevCall } from './actions.ts';
import { DevClock } from './dev-clock.tsx';
import { DevConsole } from './dev-console.tsx';
import { DevFaults } from './dev-faults.tsx';
import { DevSnapshots } from './dev-snapshots.tsx';
import { LoadStateButton, SaveStateLink } from './dev-state-file.tsx';
import { FieldForm, FormNote, sentIn } from './form.tsx';
import { useLive } from './live.ts';
import { AddressLink, CopyButton, PageHead, Panel, Scroll, Switch } from './parts.tsx';

export const DevView = (props: ViewProps<DevData>) => (
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
          <a class="button" href="/dev/calls">
            Calls
          </a>
          <SaveStateLink network={props.context.network.name} height={props.data.height} />
          <LoadStateButton />
        </>
      }
    />
    <noscript>
      <p class="panel message">The buttons of this page need JavaScript; the methods of /ext/dev do the same.</p>
    </noscript>
    <div class="dev-columns">
      <div>
        <Accounts {...props} />
        <DevSnapshots {...props} />
        <DevFaults {...props} />
        <DevConsole />
        <EventLog />
      </div>
      <div>
        <Faucet {...props} />
        <Mint {...props} />
        <Blocks {...props} />
        <DevClock {...props} />
      </div>
    </div>
  </>
);

const Accounts = ({ data: { accounts }, context }: ViewProps<DevData>) => (
  <Panel title="Accounts" side={<span>{groupDigits(accounts.length)}</span>}>
    <Scroll>
      <table>
        <tbody>
          {accounts.slice(0, 100).map(({ index, address, label, privateKey, balance }) => (
            <tr>
              <td class="number quiet">{index}</td>
              <td>
                {/* The address, not its name: the index beside it is the name. */}
                <AddressLink address={address} context={{ ...context, accountNames: undefined }} isPlain={false} />{' '}
                <CopyButton text={address} what={`address of account ${index}`} />
                {label !== undefined && <small> {label}</small>}
              </td>
              <td class="number">
                {amountText(balance, context.chain.feeDecimals)} <small>{context.chain.feeSymbol}</small>
              </td>
              <td class="number">
                <button type="button" class="link" data-copy={privateKey}>
                  Copy key
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </Panel>
);

/** Account 0 pays, so another one receives. */
const receiverOf = (accounts: DevData['accounts']): string => (accounts[1] ?? accounts[0])?.address ?? '';

function Faucet({ data: { accounts }, context }: ViewProps<DevData>) {
  const { run, note, isBusy } = useDevCall();
  return (
    <Panel title="Faucet">
      <FieldForm
        button="Send"
        isPrimary
        isBusy={isBusy}
        onSubmit={(form) => {
          const asset = String(form.get('asset')).trim();
          const amount = asset === context.chain.feeSymbol ? `${form.get('amount')} ${asset}` : form.get('amount');
          const params = { to: form.get('to'), amount, assetID: asset === context.chain.feeSymbol ? undefined : asset };
          void run('dev.faucet', params, (result) => sentIn('Sent in', result));
        }}
      >
        <label class="grow">
          To <input name="to" class="mono" required defaultValue={receiverOf(accounts)} />
        </label>
        <label>
          Amount <input name="amount" inputMode="decimal" required defaultValue="1000" size={6} />
        </label>
        <label>
          Asset <input name="asset" required defaultValue={context.chain.feeSymbol} size={5} title="Symbol or ID" />
        </label>
      </FieldForm>
      <FormNote note={note} />
    </Panel>
  );
}

/** Creates assets and mints more of them. A new asset is filled in as the one to mint. */
function Mint({ data: { accounts } }: ViewProps<DevData>) {
  const { run, note, isBusy } = useDevCall();
  const [assetID, setCreated] = useState('');
  return (
    <Panel title="Assets">
      <FieldForm
        button="Create"
        isBusy={isBusy}
        onSubmit={(form) => {
          const asset = { name: form.get('name'), symbol: form.get('symbol'), denomination: 0, supply: form.get('supply'), mintable: true };
          void run('dev.createAsset', asset, ({ assetID }) => {
            setCreated(String(assetID));
            return { text: `Created ${asset.symbol}`, link: { href: `/asset/${assetID}`, word: String(assetID) } };
          });
        }}
      >
        <label class="grow">
          Name <input name="name" required defaultValue="Serac Ice" maxLength={128} />
        </label>
        <label>
          Symbol <input name="symbol" required defaultValue="ICE" maxLength={4} size={5} />
        </label>
        <label>
          Supply <input name="supply" inputMode="numeric" required defaultValue="1000" size={8} />
        </label>
      </FieldForm>
      <FieldForm
        button="Mint"
        isBusy={isBusy}
        onSubmit={(form) => {
          void run('dev.mint', { assetID, to: form.get('mintTo'), amount: form.get('amount') }, (result) => sentIn('Minted in', result));
        }}
      >
        <label class="grow">
          Asset ID{' '}
          <input
            name="assetID"
            class="mono"
            required
            value={assetID}
            onInput={({ currentTarget }) => setCreated(currentTarget.value.trim())}
          />
        </label>
        <label class="grow">
          To <input name="mintTo" class="mono" required defaultValue={receiverOf(accounts)} />
        </label>
        <label>
          Amount <input name="amount" inputMode="numeric" required defaultValue="100" size={8} />
        </label>
      </FieldForm>
      <FormNote note={note} />
    </Panel>
  );
}

const modes = [
  ['once', 'At once'],
  ['timed', 'Every'],
  ['hand', 'By hand'],
] as const;

function Blocks({ data: { state } }: ViewProps<DevData>) {
  const { run, note, isBusy } = useDevCall();
  const [seconds, setSeconds] = useState(state.interval > 0 ? state.interval : 2);
  const mode = state.automine ? 'once' : state.interval > 0 ? 'timed' : 'hand';
  const setMode = async (to: (typeof modes)[number][0]): Promise<void> => {
    await run('dev.setIntervalMining', { seconds: to === 'timed' ? seconds : 0 }, () => '');
    await run('dev.setAutomine', { enabled: to === 'once' }, () => '');
  };
  return (
    <Panel title="Blocks" side={<span>{miningText(state)}</span>}>
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
      <FieldForm
        button="Mine"
        isPrimary
        isBusy={isBusy}
        onSubmit={(form) => run('dev.mine', { blocks: Number(form.get('blocks')) }, ({ height }) => `Mined up to block ${height}`)}
      >
        <label>
          Blocks <input name="blocks" type="number" min={1} max={1000} required defaultValue="1" />
        </label>
      </FieldForm>
      <FormNote note={note} />
    </Panel>
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
