import { useState } from 'preact/hooks';
import type { MethodJson } from '../../api/contract/answers.ts';
import type { Snapshot } from '../load/dev-state.ts';
import type { DevData } from '../load/load-dev.ts';
import type { ViewProps } from '../load/page-context.ts';
import { SnapshotLine } from '../pictures/snapshot-line.tsx';
import { groupDigits, plural } from '../text/text-format.ts';
import { useActions, useDevCall } from './actions.ts';
import { ActionForm } from './dev-action-form.tsx';
import { maxUndoTxs, replaceWithUndo } from './dev-undo.ts';
import { Changes, type StateDiff } from './dev-undone.tsx';
import { FormNote, Question } from './form.tsx';
import { Panel, Scroll } from './parts.tsx';
import { useWidth } from './use-width.ts';

type Asked = { readonly name: string; readonly what: 'revert' | 'delete' };
type Shown = { readonly name: string; readonly diff: StateDiff; readonly isReverted: boolean };

/** Snapshots on the line of the chain, what changed since each, and what a revert to it would undo. */
export function DevSnapshots({ data, context }: ViewProps<DevData>) {
  const { run, runAll, note, isBusy } = useDevCall();
  const actions = useActions();
  const [shown, setShown] = useState<Shown | undefined>(undefined);
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const { ref, width } = useWidth(692);
  const { state, height } = data;
  const readDiff = async (name: string) => (await actions?.dev<StateDiff>('dev.diff', { from: name })) ?? {};
  const revert = async ({ name, height: to }: Snapshot, isSure: boolean): Promise<void> => {
    const isLarge = goneTxs(data, Number(to)) > maxUndoTxs;
    if (isLarge && !isSure) return setAsked({ name, what: 'revert' });
    setAsked(undefined);
    // The difference is read before the revert: afterwards the node no longer knows what was removed.
    const { result: diff } = await readDiff(name);
    const isDone = await runAll(async ({ dev }) => {
      const call = () => dev<MethodJson<'dev.revert'>>('dev.revert', { name });
      const { error } = isLarge ? await call() : await replaceWithUndo({ dev }, { kind: 'revert', to: Number(to) }, call);
      return error === undefined ? { result: `Reverted to ${name}, block ${groupDigits(to)}.` } : { error };
    });
    setShown(isDone && diff !== undefined ? { name, diff, isReverted: true } : undefined);
  };
  const showChanges = (name: string) =>
    runAll(async () => {
      const { result, error } = await readDiff(name);
      setShown(result && { name, diff: result, isReverted: false });
      return error === undefined ? { result: '' } : { error };
    });
  const remove = async (name: string): Promise<void> => {
    setAsked(undefined);
    setShown(undefined);
    await run('dev.deleteSnapshot', { name }, () => `Deleted the snapshot ${name}.`);
  };
  const snapshots = state.snapshots.toSorted((a, b) => Number(b.height) - Number(a.height));
  return (
    <Panel title="Snapshots" side={<span>{snapshots.length === 0 ? 'none' : groupDigits(snapshots.length)}</span>}>
      <div id="snapshot">
        <ActionForm name="snapshot" data={data} />
      </div>
      {snapshots.length > 0 && (
        <div ref={ref} class="padded">
          <SnapshotLine
            snapshots={snapshots.map(({ name, height: at }) => ({ name, height: Number(at) }))}
            height={height}
            width={Math.max(280, width - 32)}
          />
        </div>
      )}
      <Scroll>
        <table>
          <tbody>
            {snapshots.map((snapshot) => (
              <SnapshotRow
                key={snapshot.name}
                snapshot={snapshot}
                change={changeText(data, Number(snapshot.height))}
                isBusy={isBusy}
                onChanges={() => void showChanges(snapshot.name)}
                onRevert={() => void revert(snapshot, false)}
                onDelete={() => setAsked({ name: snapshot.name, what: 'delete' })}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
      {asked !== undefined && (
        <Question
          text={
            asked.what === 'delete'
              ? `Delete the snapshot ${asked.name}? It cannot be brought back.`
              : `Revert to ${asked.name}? Too many transactions would go to keep them for an undo.`
          }
          yes={asked.what === 'delete' ? 'Delete' : 'Revert'}
          isBusy={isBusy}
          onYes={() => {
            const snapshot = snapshots.find(({ name }) => name === asked.name);
            if (asked.what === 'delete') void remove(asked.name);
            else if (snapshot !== undefined) void revert(snapshot, true);
          }}
          onNo={() => setAsked(undefined)}
        />
      )}
      <FormNote note={note} />
      {shown !== undefined && !note?.isError && <Changes {...shown} context={context} />}
    </Panel>
  );
}

/** Transactions of the blocks above a height, if these are among the latest blocks; undefined if they are not counted. */
function countGone({ height, blockTxs }: Pick<DevData, 'height' | 'blockTxs'>, to: number): number | undefined {
  const counted = blockTxs.filter(([at]) => at > to && at <= height);
  return counted.length === height - to ? counted.reduce((sum, [, count]) => sum + count, 0) : undefined;
}

/** The most transactions that a revert to a height replaces: a state of another branch may differ in all. */
const goneTxs = (data: DevData, to: number): number => (to > data.height ? undefined : countGone(data, to)) ?? data.choices.txCount;

/** `138 blocks, 9,114 tx would go`. Transactions are counted in the latest blocks only. */
function changeText(data: Pick<DevData, 'height' | 'blockTxs'>, to: number): string {
  const gone = data.height - to;
  if (gone === 0) return 'nothing would change';
  if (gone < 0) return `${plural(-gone, 'block')} would come back`;
  const txs = countGone(data, to);
  return `${plural(gone, 'block')}${txs === undefined ? '' : `, ${groupDigits(txs)} tx`} would go`;
}

type RowProps = {
  readonly snapshot: Snapshot;
  readonly change: string;
  readonly isBusy: boolean;
  readonly onChanges: () => void;
  readonly onRevert: () => void;
  readonly onDelete: () => void;
};

const SnapshotRow = ({ snapshot: { name, height }, change, isBusy, onChanges, onRevert, onDelete }: RowProps) => (
  <tr>
    <td>
      <b>{name}</b>
    </td>
    <td class="number">block {groupDigits(height)}</td>
    <td class="quiet">{change}</td>
    <td class="number">
      <button type="button" class="link" disabled={isBusy} onClick={onChanges} aria-label={`What changed since ${name}`}>
        What changed
      </button>{' '}
      <button type="button" class="link" disabled={isBusy} onClick={onDelete} aria-label={`Delete the snapshot ${name}`}>
        Delete
      </button>{' '}
      <button type="button" disabled={isBusy} onClick={onRevert} aria-label={`Revert to ${name}`}>
        Revert
      </button>
    </td>
  </tr>
);
