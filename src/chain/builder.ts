import type { Id } from '../bytes/id.ts';
import { type AnyFault, Fault } from '../fault.ts';
import { diffOn } from '../state/diff.ts';
import { type Block, makeBlock } from '../tx/block.ts';
import type { Effects } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import type { Mempool } from './mempool.ts';
import { conflictingTxs, conflictsWithAncestor, type Parent } from './processing.ts';
import type { TxVerifier } from './tx-verifier.ts';

/** How many bytes of transactions a block is filled up to. Peer: vms/avm/block/builder/builder.go. */
export const targetBlockSize = 128 * 1024;

export type BuildDeps = {
  readonly mempool: Mempool;
  readonly judge: TxVerifier;
  readonly now: () => bigint;
  readonly importedBy: (parentID: Id) => ReadonlySet<Id>;
  readonly effects: (tx: Tx) => Effects;
  readonly dropped: (tx: Tx, reason: AnyFault) => void;
  /** Takes back what was taken out of the pool for a block that cannot be built. */
  readonly giveBack: (txs: readonly Tx[]) => void;
};

/**
 * Fills a block from the oldest waiting transaction on, each judged on what the ones before it leave. One that fails is dropped with
 * its reason; the first that no longer fits ends the block. Nothing left: no block. An error while reading leaves the pool as it was.
 */
export function buildBlock(parent: Parent, deps: BuildDeps): Block | undefined {
  const diff = diffOn(parent.view);
  const importedBefore = deps.importedBy(parent.id);
  const imported = new Set<Id>();
  const txs: Tx[] = [];
  let room = targetBlockSize;
  for (;;) {
    const tx = deps.mempool.oldest();
    if (tx === undefined || tx.bytes.length > room) break;
    deps.mempool.remove([tx]);
    try {
      // What the wallet queue issues has not been judged at all before.
      deps.judge.syntax(tx);
      deps.judge.spend(tx, diff);
      const effects = deps.effects(tx);
      for (const id of effects.imported?.ids ?? []) {
        if (imported.has(id)) throw conflictingTxs();
        if (importedBefore.has(id)) throw conflictsWithAncestor();
        imported.add(id);
      }
      diff.apply(tx, effects);
    } catch (error) {
      if (error instanceof Fault) {
        deps.dropped(tx, error);
        continue;
      }
      // Reading failed, which says nothing about the transactions.
      deps.giveBack([...txs, tx]);
      throw error;
    }
    txs.push(tx);
    room -= tx.bytes.length;
  }
  if (txs.length === 0) return undefined;
  const now = deps.now();
  return makeBlock({ parentID: parent.id, height: parent.height + 1n, time: now > parent.time ? now : parent.time, txs });
}
