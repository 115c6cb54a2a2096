import { useState } from 'preact/hooks';
import type { Snapshot } from '../load/dev-state.ts';
import type { DevData } from '../load/load-dev.ts';
import type { ViewProps } from '../load/page-context.ts';
import { SnapshotLine } from '../pictures/snapshot-line.tsx';
import { groupDigits, plural } from '../text/text-format.ts';
import { useActions, useDevCall } from './actions.ts';
import { type StateDiff, Undone } from './dev-undone.tsx';
import { FieldForm, FormNote } from './form.tsx';
import { Panel, Scroll } from './parts.tsx';

/** Snapshots on the line of the chain, with what a revert to each would undo. */
export function DevSnapshots({ data, context }: ViewProps<DevData>) {
  const { run, note, isBusy } = useDevCall();
  const actions = useActions();
  const [undone, setUndone] = useState<{ readonly name: string; readonly diff: StateDiff } | undefined>(undefined);
  const { state, height } = data;
  /** The difference is read before the revert: afterwards the node no longer knows what was removed. */
  const revert = async (name: string): Promise<void> => {
    const diff = (await actions?.dev<StateDiff>('dev.diff', { from: name }))?.result;
    await run('dev.revert', { name }, (result) => `Reverted to ${name}, block ${result.height}`);
    setUndone(diff && { name, diff });
  };
  const snapshots = state.snapshots.toSorted((a, b) => Number(b.height) - Number(a.height));
  return (
    <Panel
      title="Snapshots"
      side={
        <FieldForm
          button="Take snapshot"
          isPrimary
          isBusy={isBusy}
          class="row"
          onSubmit={(form) => {
            const name = form.get('name');
            void run('dev.snapshot', name === '' ? {} : { name }, (result) => `Snapshot ${result.name} taken`);
          }}
        >
          <input name="name" aria-label="Name of the snapshot" placeholder="name" maxLength={64} />
        </FieldForm>
      }
    >
      <div class="padded">
        <SnapshotLine snapshots={snapshots.map(({ name, height: at }) => ({ name, height: Number(at) }))} height={height} />
      </div>
      <Scroll>
        <table>
          <tbody>
            {snapshots.map((snapshot) => (
              <SnapshotRow
                key={snapshot.name}
                snapshot={snapshot}
                change={changeText(data, Number(snapshot.height))}
                isBusy={isBusy}
                onRevert={() => void revert(snapshot.name)}
                onDelete={() => run('dev.deleteSnapshot', { name: snapshot.name }, () => `Deleted the snapshot ${snapshot.name}`)}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
      {snapshots.length === 0 && <p class="table-foot">None yet. A snapshot costs nothing and a revert takes milliseconds.</p>}
      <FormNote note={note} />
      {undone !== undefined && !note?.isError && <Undone {...undone} context={context} />}
    </Panel>
  );
}

/** `138 blocks, 9,114 tx would go`. Transactions are counted in the latest blocks only. */
function changeText({ height, blockTxs }: Pick<DevData, 'height' | 'blockTxs'>, to: number): string {
  const gone = height - to;
  if (gone === 0) return 'nothing would change';
  if (gone < 0) return `${plural(-gone, 'block')} would come back`;
  const counted = blockTxs.filter(([at]) => at > to && at <= height);
  const txs = counted.length === gone ? `, ${groupDigits(counted.reduce((sum, [, count]) => sum + count, 0))} tx` : '';
  return `${plural(gone, 'block')}${txs} would go`;
}

type RowProps = {
  readonly snapshot: Snapshot;
  readonly change: string;
  readonly isBusy: boolean;
  readonly onRevert: () => void;
  readonly onDelete: () => void;
};

const SnapshotRow = ({ snapshot: { name, height }, change, isBusy, onRevert, onDelete }: RowProps) => (
  <tr>
    <td>
      <b>{name}</b>
    </td>
    <td class="number">block {groupDigits(height)}</td>
    <td class="quiet">{change}</td>
    <td class="number">
      <button type="button" class="link" disabled={isBusy} onClick={onDelete} aria-label={`Delete the snapshot ${name}`}>
        Delete
      </button>{' '}
      <button type="button" disabled={isBusy} onClick={onRevert} aria-label={`Revert to ${name}`}>
        Revert
      </button>
    </td>
  </tr>
);
