import { makeBlock } from '../../avm/tx/block.ts';
import { type Effects, spentRefs } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import { createDiff } from '../../ledger/state/diff.ts';
import type { Mempool } from './mempool.ts';
import { ancestorConflictError, conflictingTxsError, type Parent, type ProcessingBlock } from './processing.ts';
import type { TxVerifier } from './tx-verifier.ts';

/** Limit for the transactions of a built block, in bytes. AvalancheGo: vms/avm/block/builder/builder.go. */
export const targetBlockSize = 128 * 1024;

export type BuildDeps = {
  readonly mempool: Mempool;
  readonly verifier: TxVerifier;
  readonly now: () => bigint;
  readonly importedByAncestors: (parentID: Id) => ReadonlySet<Id>;
  readonly effects: (tx: Tx) => Effects;
  readonly onDropped: (tx: Tx, reason: AnyFault) => void;
  /** Puts transactions back that were taken from the mempool for a block that cannot be built. */
  readonly returnToMempool: (txs: readonly Tx[]) => void;
};

/**
 * Builds a block from the mempool, oldest transaction first, each verified on the state that its predecessors leave. An invalid transaction
 * is dropped with its reason; the first that does not fit ends the block. Returns undefined if no transaction is left. If reading the state
 * fails, the transactions go back to the mempool.
 */
export function buildBlock(parent: Parent, deps: BuildDeps): ProcessingBlock | undefined {
  const diff = createDiff(parent.view);
  const importedBefore = deps.importedByAncestors(parent.id);
  const imported = new Set<Id>();
  const txs: Tx[] = [];
  let remainingBytes = targetBlockSize;
  // One iterator for the block: the first entry of a map that shrinks from its front is found by passing all deleted ones.
  for (const tx of deps.mempool.all()) {
    if (tx.bytes.length > remainingBytes) break;
    // A transaction that it depends on has come back, behind it, from a block that was not stored: it waits for that one.
    if (spentRefs(tx.unsigned).some(({ txID }) => deps.mempool.get(txID) !== undefined)) continue;
    deps.mempool.remove([tx]);
    try {
      // Transactions of the wallet queue have not been verified before.
      deps.verifier.verifySyntax(tx);
      deps.verifier.verifySpend(tx, diff);
      const effects = deps.effects(tx);
      for (const id of effects.imported?.ids ?? []) {
        if (imported.has(id)) throw conflictingTxsError();
        if (importedBefore.has(id)) throw ancestorConflictError();
        imported.add(id);
      }
      diff.apply(tx, effects);
    } catch (error) {
      if (error instanceof Fault) {
        deps.onDropped(tx, error);
        continue;
      }
      // Reading the state failed: the transactions may be valid.
      deps.returnToMempool([...txs, tx]);
      throw error;
    }
    txs.push(tx);
    remainingBytes -= tx.bytes.length;
  }
  if (txs.length === 0) return undefined;
  const now = deps.now();
  const block = makeBlock({ parentID: parent.id, height: parent.height + 1n, time: now > parent.time ? now : parent.time, txs });
  return { block, diff, imported };
}
