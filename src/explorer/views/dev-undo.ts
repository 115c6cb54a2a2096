import type { MethodJson } from '../../api/contract/answers.ts';
import type { Snapshot } from '../load/dev-state.ts';
import { chainPath, type PageContext } from '../load/page-context.ts';
import type { RpcAnswer } from '../load/source.ts';
import { isUndoName, type UndoKind, type UndoPoint, undoName } from '../load/undo-point.ts';
import type { Actions } from './actions.ts';

/** Transactions up to which the page keeps what it replaces: 10,000 took 1 s to revert and 1 s to undo. */
export const maxUndoTxs = 20_000;

type Dev = Pick<Actions, 'dev'>;

/**
 * Replaces the state of the chain by `replace`, after it took a snapshot. `to`: the height after it, if it is known. Deletes the snapshot again if that fails,
 * and the one of an earlier action if it succeeds: the page keeps one.
 */
export async function replaceWithUndo<T>(
  { dev }: Dev,
  { kind, to }: { readonly kind: UndoKind; readonly to?: number | undefined },
  replace: () => Promise<RpcAnswer<T>>,
): Promise<RpcAnswer<T>> {
  const name = undoName(kind, to);
  const { result: listed } = await dev<MethodJson<'dev.listSnapshots'>>('dev.listSnapshots');
  const earlier = (listed?.snapshots ?? []).filter((snapshot) => isUndoName(snapshot.name) && snapshot.name !== name);
  const { error } = await dev('dev.snapshot', { name });
  if (error !== undefined) return { error };
  if (kind === 'reset' || kind === 'load') await keepLabels({ dev });
  const answer = await replace();
  if (answer.error !== undefined) await dev('dev.deleteSnapshot', { name });
  else for (const snapshot of earlier) await dev('dev.deleteSnapshot', { name: snapshot.name });
  return answer;
}

/** Reverts to a snapshot from the strip on top of every page, which has no room for a question: not if too much would go to undo it. */
export async function revertFromStrip(actions: Actions, { name, height }: Snapshot, context: PageContext): Promise<RpcAnswer<string>> {
  const asset = await actions.getText(`${chainPath(context)}/assets/${context.chain.feeAsset}`);
  const { txCount } = JSON.parse(asset ?? '{"txCount":0}') as { readonly txCount: number };
  if (txCount > maxUndoTxs) return { error: { message: 'Too much would go to undo it: revert on the page Dev.' } };
  const { error } = await replaceWithUndo(actions, { kind: 'revert', to: Number(height) }, () => actions.dev('dev.revert', { name }));
  return error === undefined ? { result: '' } : { error };
}

/** Goes back to the state before the action, and deletes its snapshot. */
export async function undo({ dev }: Dev, { name, kind }: UndoPoint): Promise<RpcAnswer<string>> {
  const { error } = await dev('dev.revert', { name });
  if (error !== undefined) return { error };
  if (kind === 'reset' || kind === 'load') await restoreLabels({ dev });
  await dev('dev.deleteSnapshot', { name });
  return { result: 'Undone.' };
}

const labelsKey = 'serac-undo-labels';

/** A reset and a state file replace the labels too, and a revert does not restore them: this tab keeps them. */
async function keepLabels({ dev }: Dev): Promise<void> {
  const { result } = await dev<MethodJson<'dev.labels'>>('dev.labels');
  sessionStorage.setItem(labelsKey, JSON.stringify(result?.labels ?? []));
}

async function restoreLabels({ dev }: Dev): Promise<void> {
  const kept = JSON.parse(sessionStorage.getItem(labelsKey) ?? '[]') as MethodJson<'dev.labels'>['labels'];
  const { result } = await dev<MethodJson<'dev.labels'>>('dev.labels');
  for (const { address } of result?.labels ?? []) await dev('dev.label', { address, name: '' });
  for (const label of kept) await dev('dev.label', label);
  sessionStorage.removeItem(labelsKey);
}
