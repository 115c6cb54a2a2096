import type { Id } from '../../base/bytes/id.ts';
import type { Ledger } from './ledger.ts';
import type { Mempool } from './mempool.ts';
import { type ProcessingBlock, verifyBuiltBlock } from './processing.ts';
import type { ProcessingTree } from './processing-tree.ts';
import type { ReturnedTxs } from './returned-txs.ts';

/** Limit for built blocks that were not verified; an engine builds one at a time. */
const maxBuilt = 8;

/**
 * The blocks that this node has built and not verified yet, for undecided-blocks.ts. A built block holds its transactions, which are not in the mempool
 * meanwhile; they go back there when the block is removed without being verified.
 */
export function createBuiltBlocks({
  ledger,
  mempool,
  processing,
  returnedTxs,
  now,
}: {
  readonly ledger: Pick<Ledger, 'hasTx'>;
  readonly mempool: Mempool;
  readonly processing: ProcessingTree;
  readonly returnedTxs: ReturnedTxs;
  /** The clock that block times are compared with, in Unix seconds. */
  readonly now: () => bigint;
}) {
  const built = new Map<Id, ProcessingBlock>();

  const remove = ({ block: { id, txs } }: ProcessingBlock): void => {
    built.delete(id);
    returnedTxs.add(txs.filter((tx) => !ledger.hasTx(tx.id)));
  };

  return {
    /** Adds a block. Removes the oldest ones if there are too many. */
    add: (added: ProcessingBlock): void => {
      for (const oldest of built.values()) {
        if (built.size < maxBuilt) break;
        remove(oldest);
      }
      built.set(added.block.id, added);
    },
    /** Verifies a built block and takes it out; undefined if there is none with this ID. The transactions of an invalid one go back to the mempool. */
    takeVerified: (id: Id): ProcessingBlock | undefined => {
      const own = built.get(id);
      if (own === undefined) return undefined;
      built.delete(id);
      try {
        verifyBuiltBlock(own, { now, parent: processing.parentAt, importedByAncestors: processing.importedByAncestors });
      } catch (error) {
        // A transaction has a drop reason if it was found invalid after this block was built: issued again, or in a block of another node.
        returnedTxs.add(own.block.txs.filter((tx) => mempool.drops.reasonOf(tx.id) === undefined));
        throw error;
      }
      return own;
    },
    /** Removes a built block. Returns false if there is none with this ID. */
    reject: (id: Id): boolean => {
      const own = built.get(id);
      if (own !== undefined) remove(own);
      return own !== undefined;
    },
    /** Removes the blocks up to a height, where another one was accepted. Returns whether there were any. */
    rejectUpTo: (height: bigint): boolean => {
      const late = [...built.values()].filter(({ block }) => block.height <= height);
      for (const one of late) remove(one);
      return late.length > 0;
    },
    holdsTx: (id: Id): boolean => [...built.values()].some(({ block }) => block.txs.some((tx) => tx.id === id)),
    /** Forgets all blocks and their transactions: after a revert. */
    clear: () => built.clear(),
  };
}
