import type { Snapshot } from '../dev-state.ts';
import { miningText } from '../dev-state.ts';
import type { DevData } from '../load-dev.ts';
import { SnapshotLine } from '../pictures/snapshot-line.tsx';
import { amountText, dateText, groupDigits, plural, spanText, timeText } from '../text-format.ts';
import { useDevCall } from './actions.ts';
import { DevConsole } from './dev-console.tsx';
import { EventLog } from './event-log.tsx';
import { AddressLink, CopyButton, PageHead, Panel, Scroll } from './parts.tsx';
import type { ViewProps } from './view.ts';

export const DevView = (props: ViewProps<DevData>) => (
  <>
    <PageHead
      title="Dev panel"
      line={
        <>
          this node only · methods <span class="mono">dev.*</span> · never send real funds to these keys
        </>
      }
    />
    <noscript>
      <p class="panel message">The buttons of this page need JavaScript; the methods of /ext/dev do the same.</p>
    </noscript>
    <div class="dev-columns">
      <div>
        <Accounts {...props} />
        <Snapshots {...props} />
        <DevConsole />
      </div>
      <div>
        <Faucet {...props} />
        <Mint />
        <Blocks {...props} />
        <Clock {...props} />
        <EventLog />
      </div>
    </div>
  </>
);

const Note = ({ note }: { note: { readonly text: string; readonly isError: boolean } | undefined }) => (
  <p class={`form-note ${note?.isError ? 'bad-text' : ''}`} role="status">
    {note?.text ?? ''}
  </p>
);

const Accounts = ({ data: { accounts }, context }: ViewProps<DevData>) => (
  <Panel title="Accounts" side={<span>{groupDigits(accounts.length)}</span>}>
    <Scroll>
      <table>
        <tbody>
          {accounts.slice(0, 100).map(({ index, address, privateKey, balance }) => (
            <tr>
              <td class="number quiet">{index}</td>
              <td>
                <AddressLink address={address} context={context} isPlain={false} />{' '}
                <CopyButton text={address} what={`address of account ${index}`} />
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

function Snapshots({ data: { state, height }, now }: ViewProps<DevData>) {
  const { run, note, isBusy } = useDevCall();
  const snapshots = state.snapshots.toSorted((a, b) => Number(b.height) - Number(a.height));
  return (
    <Panel
      title="Snapshots"
      side={
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            const name = new FormData(event.currentTarget).get('name');
            void run('dev.snapshot', name === '' ? {} : { name }, (result) => `Snapshot ${result.name} taken`);
          }}
        >
          <input name="name" aria-label="Name of the snapshot" placeholder="name" maxLength={64} />
          <button type="submit" class="primary" disabled={isBusy}>
            Take snapshot
          </button>
        </form>
      }
    >
      <div class="padded">
        <SnapshotLine snapshots={snapshots.map(({ name, height: at }) => ({ name, height: Number(at) }))} height={height} />
      </div>
      <table>
        <tbody>
          {snapshots.map((snapshot) => (
            <SnapshotRow
              snapshot={snapshot}
              height={height}
              now={now}
              onRevert={() =>
                run('dev.revert', { name: snapshot.name }, (result) => `Reverted to ${snapshot.name}, block ${result.height}`)
              }
            />
          ))}
        </tbody>
      </table>
      {snapshots.length === 0 && <p class="table-foot">None yet. A snapshot costs nothing and a revert takes milliseconds.</p>}
      <Note note={note} />
    </Panel>
  );
}

const SnapshotRow = ({ snapshot, height, onRevert }: { snapshot: Snapshot; height: number; now: number; onRevert: () => void }) => {
  const gone = height - Number(snapshot.height);
  return (
    <tr>
      <td>
        <b>{snapshot.name}</b>
      </td>
      <td class="number">block {groupDigits(snapshot.height)}</td>
      <td class="quiet">
        {gone > 0 ? `${plural(gone, 'block')} would go` : gone < 0 ? `${plural(-gone, 'block')} would come back` : 'nothing would change'}
      </td>
      <td class="number">
        <button type="button" onClick={onRevert}>
          Revert
        </button>
      </td>
    </tr>
  );
};

function Faucet({ data: { accounts }, context }: ViewProps<DevData>) {
  const { run, note, isBusy } = useDevCall();
  return (
    <Panel title="Faucet">
      <form
        class="row padded"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const amount = `${form.get('amount')} ${context.chain.feeSymbol}`;
          void run('dev.faucet', { to: form.get('to'), amount }, (result) => `Sent in ${result.txID}`);
        }}
      >
        <label class="grow">
          To <input name="to" class="mono" required value={accounts[1]?.address ?? accounts[0]?.address ?? ''} />
        </label>
        <label>
          Amount, {context.chain.feeSymbol} <input name="amount" inputMode="decimal" required value="1000" size={8} />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          Send
        </button>
      </form>
      <Note note={note} />
    </Panel>
  );
}

function Mint() {
  const { run, note, isBusy } = useDevCall();
  return (
    <Panel title="Assets">
      <form
        class="row padded"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const asset = { name: form.get('name'), symbol: form.get('symbol'), denomination: 0, supply: form.get('supply'), mintable: true };
          void run('dev.createAsset', asset, (result) => `Created ${result.assetID}`);
        }}
      >
        <label class="grow">
          Name <input name="name" required value="Serac Ice" maxLength={128} />
        </label>
        <label>
          Symbol <input name="symbol" required value="ICE" maxLength={4} size={5} />
        </label>
        <label>
          Supply <input name="supply" inputMode="numeric" required value="1000" size={8} />
        </label>
        <button type="submit" disabled={isBusy}>
          Create
        </button>
      </form>
      <form
        class="row padded"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void run('dev.mint', { assetID: form.get('assetID'), amount: form.get('amount') }, (result) => `Minted in ${result.txID}`);
        }}
      >
        <label class="grow">
          Asset ID <input name="assetID" class="mono" required />
        </label>
        <label>
          Amount <input name="amount" inputMode="numeric" required value="100" size={8} />
        </label>
        <button type="submit" disabled={isBusy}>
          Mint
        </button>
      </form>
      <Note note={note} />
    </Panel>
  );
}

function Blocks({ data: { state } }: ViewProps<DevData>) {
  const { run, note, isBusy } = useDevCall();
  return (
    <Panel title="Blocks" side={<span>{miningText(state)}</span>}>
      <form
        class="row padded"
        onSubmit={(event) => {
          event.preventDefault();
          const blocks = Number(new FormData(event.currentTarget).get('blocks'));
          void run('dev.mine', { blocks }, (result) => `Mined up to block ${result.height}`);
        }}
      >
        <button
          type="button"
          aria-pressed={state.automine}
          disabled={isBusy}
          onClick={() => run('dev.setAutomine', { enabled: !state.automine }, () => '')}
        >
          {state.automine ? 'Pause' : 'Resume'}
        </button>
        <label>
          Blocks <input name="blocks" type="number" min={1} max={1000} required value="1" />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          Mine
        </button>
      </form>
      <Note note={note} />
    </Panel>
  );
}

const jumps = [
  ['1h', '+1 h'],
  ['1d', '+1 d'],
  ['7d', '+7 d'],
  ['30d', '+30 d'],
  ['365d', '+1 y'],
] as const;

function Clock({ data: { state } }: ViewProps<DevData>) {
  const { run, note, isBusy } = useDevCall();
  return (
    <Panel
      title="Clock"
      side={
        <>
          <button type="button" class="link" disabled={isBusy} onClick={() => run('dev.freezeTime', {}, () => 'The clock stands still')}>
            Freeze
          </button>
          <button
            type="button"
            class="link"
            disabled={isBusy}
            onClick={() => run('dev.resetTime', {}, () => 'The clock shows the real time')}
          >
            Reset
          </button>
        </>
      }
    >
      <p class="clock padded">
        <span class="mono" data-clock>
          {dateText(state.time)} {timeText(state.time)}
        </span>
        <span class="quiet">
          {state.isFrozen ? 'frozen, ' : ''}
          {state.offset === 0 ? 'real time' : `${state.offset > 0 ? '+' : '−'}${spanText(Math.abs(state.offset))}`}
        </span>
      </p>
      <div class="row padded">
        {jumps.map(([seconds, word]) => (
          <button type="button" disabled={isBusy} onClick={() => run('dev.increaseTime', { seconds }, () => `The clock is ${word} later`)}>
            {word}
          </button>
        ))}
      </div>
      <Note note={note} />
    </Panel>
  );
}
