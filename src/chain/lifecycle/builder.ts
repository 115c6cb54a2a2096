import { makeBlock } from '../../avm/tx/block.ts';
import { effectsOf, spentRefs } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import { createDiff } from '../../ledger/state/diff.ts';
import type { Mempool } from './mempool.ts';
import { ancestorConflictError, conflictingTxsError, type Parent, type ProcessingBlock } from './processing.ts';
import type { TxVerifier } from './tx-verifier.ts';

/** Limit for the transactions of a built block, in bytes. AvalancheGo: vms/avm/block/builder/builder.go. */
export const targetBlockSize = 128 * 1024;

/**
 * Builds a block from the mempool, oldest transaction first, each verified on the state that its predecessors leave. An invalid transaction
 * is dropped with its reason; the first that does not fit ends the block. Returns undefined if no transaction is left. If reading the state
 * fails, the transactions go back to the mempool.
 */
export function buildBlock({
  parent,
  mempool,
  verifier,
  now,
  importedByAncestors,
  onDropped,
  returnToMempool,
}: {
  readonly parent: Parent;
  readonly mempool: Mempool;
  readonly verifier: TxVerifier;
  /** Unix seconds. The block has this time, or its parent's if that is later. */
  readonly now: () => bigint;
  readonly importedByAncestors: (parentID: Id) => ReadonlySet<Id>;
  readonly onDropped: (tx: Tx, reason: AnyFault) => void;
  /** Puts transactions back that were taken from the mempool for a block that cannot be built. */
  readonly returnToMempool: (txs: readonly Tx[]) => void;
}): ProcessingBlock | undefined {
  const diff = createDiff(parent.view);
  const importedBefore = importedByAncestors(parent.id);
  const imported = new Set<Id>();
  const txs: Tx[] = [];
  let remainingBytes = targetBlockSize;
  // One iterator for the block: the first entry of a map that shrinks from its front is found by passing all deleted ones.
  for (const tx of mempool.all()) {
    if (tx.bytes.length > remainingBytes) break;
    // A transaction that it depends on has come back, behind it, from a block that was not stored: it waits for that one.
    if (spentRefs(tx.unsigned).some(({ txID }) => mempool.get(txID) !== undefined)) continue;
    mempool.remove([tx]);
    try {
      // Transactions of the wallet queue have not been verified before.
      verifier.verifySyntax(tx);
      verifier.verifySpend(tx, diff);
      const effects = effectsOf(tx);
      for (const id of effects.imported?.ids ?? []) {
        if (imported.has(id)) throw conflictingTxsError();
        if (importedBefore.has(id)) throw ancestorConflictError();
        imported.add(id);
      }
      diff.apply(tx, effects);
    } catch (error) {
      if (error instanceof Fault) {
        onDropped(tx, error);
        continue;
      }
      // Reading the state failed: the transactions may be valid.
      returnToMempool([...txs, tx]);
      throw error;
    }
    txs.push(tx);
    remainingBytes -= tx.bytes.length;
  }
  if (txs.length === 0) return undefined;
  const time = now();
  const block = makeBlock({ parentID: parent.id, height: parent.height + 1n, time: time > parent.time ? time : parent.time, txs });
  return { block, diff, imported };
}
