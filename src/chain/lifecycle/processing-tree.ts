import { refId } from '../../avm/tx/utxo.ts';
import type { View } from '../../avm/view.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { ChainError } from './fault.ts';
import type { Ledger } from './ledger.ts';
import type { Conflict } from './mempool.ts';
import type { Parent, ProcessingBlock } from './processing.ts';

/** `displaced`: transactions that left the mempool because they conflict with the block. They come back if it is rejected. */
export type Undecided = ProcessingBlock & { readonly displaced: readonly Conflict[] };

/** The processing blocks, which form a tree on the last accepted one. */
export type ProcessingTree = ReturnType<typeof createProcessingTree>;

export function createProcessingTree(ledger: Ledger) {
  const blocks = new Map<Id, Undecided>();
  /** Outputs that processing blocks create or spend, and how often. Any other output is as in the accepted state. */
  const changedOutputs = new Map<Id, number>();
  /** Transactions that processing blocks hold or have displaced, and how often. */
  const heldTxs = new Map<Id, number>();
  /** Blocks whose outputs and transactions are not counted yet. A chain that decides alone accepts a block before anything is read on top of it. */
  const uncounted = new Set<Undecided>();
  const countOutput = (id: Id, by: 1 | -1): void => {
    const times = (changedOutputs.get(id) ?? 0) + by;
    if (times === 0) changedOutputs.delete(id);
    else changedOutputs.set(id, times);
  };
  const countTx = ({ id }: { readonly id: Id }, by: 1 | -1): void => {
    const times = (heldTxs.get(id) ?? 0) + by;
    if (times === 0) heldTxs.delete(id);
    else heldTxs.set(id, times);
  };
  const countBlock = ({ block, displaced, diff }: Undecided, by: 1 | -1): void => {
    for (const { effects } of diff.applied) {
      for (const ref of effects.spent) countOutput(refId(ref), by);
      for (const { id } of effects.created) countOutput(id, by);
    }
    for (const tx of block.txs) countTx(tx, by);
    for (const { tx } of displaced) countTx(tx, by);
  };

  const countAll = (): void => {
    for (const undecided of uncounted) countBlock(undecided, 1);
    uncounted.clear();
  };
  const isChanged = (id: Id): boolean => {
    countAll();
    return changedOutputs.has(id);
  };

  /**
   * The state after a block: its diff while it is processing, the accepted state once it is accepted. It is resolved on every read. A child
   * that held its parent's diff would keep every ancestor in memory, and each read would pass through all of them.
   */
  const viewAfter = (id: Id): View => {
    const current = (): View => blocks.get(id)?.diff ?? ledger;
    return {
      // Most outputs and assets are as accepted, and the way to them through the diffs of a bootstrapping chain is long.
      utxo: (ref) => (isChanged(refId(ref)) ? current() : ledger).utxo(ref),
      asset: (assetID) => ledger.asset(assetID) ?? current().asset(assetID),
      tx: (txID) => current().tx(txID),
      atomic: ledger.atomic,
    };
  };
  const atomicOrUnknown: View['atomic'] = (sourceChain, utxoID) =>
    ledger.atomic(sourceChain, utxoID) ?? (ledger.wasImported(utxoID) ? undefined : 'unknown');

  /** A processing block or the last accepted one. */
  const parentAt = (id: Id): Parent | undefined => {
    const undecided = blocks.get(id);
    if (undecided !== undefined) return { id, height: undecided.block.height, time: undecided.block.time, view: viewAfter(id) };
    const last = ledger.lastAccepted();
    return id === last.id ? { ...last, view: ledger } : undefined;
  };

  return {
    parentAt,
    /** The same; in its state an unknown output of another chain, which was not imported before, is `unknown`. */
    parentWithUnknownImports: (id: Id): Parent | undefined => {
      const parent = parentAt(id);
      return parent && { ...parent, view: { ...parent.view, atomic: atomicOrUnknown } };
    },
    importedByAncestors: (parentID: Id): ReadonlySet<Id> => {
      const all = new Set<Id>();
      for (let at = blocks.get(parentID); at !== undefined; at = blocks.get(at.block.parentID)) for (const id of at.imported) all.add(id);
      return all;
    },
    get: (id: Id) => blocks.get(id)?.block,
    require: (id: Id): Undecided => {
      const undecided = blocks.get(id);
      if (undecided === undefined)
        throw new ChainError(`block not found: ${idText(id)}`, { code: 'BLOCK_NOT_PROCESSING', blockID: idText(id) });
      return undecided;
    },
    add: (undecided: Undecided): void => {
      blocks.set(undecided.block.id, undecided);
      uncounted.add(undecided);
    },
    remove: (id: Id): void => {
      const undecided = blocks.get(id);
      if (undecided === undefined) return;
      blocks.delete(id);
      if (!uncounted.delete(undecided)) countBlock(undecided, -1);
    },
    /** Whether a block holds a transaction, or keeps it because it conflicts with one of its own. */
    holdsTx: (id: Id): boolean => {
      countAll();
      return heldTxs.has(id);
    },
    size: (): number => blocks.size,
  };
}
