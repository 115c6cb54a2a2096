import type { Block } from '../../avm/tx/block.ts';
import type { Effects } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type BuildDeps, buildBlock } from './builder.ts';
import type { Ledger } from './ledger.ts';
import { type ProcessingBlock, verifyBuiltBlock } from './processing.ts';
import type { ProcessingTree } from './processing-tree.ts';
import type { ReturnedTxs } from './returned-txs.ts';

export type BuiltBlocksDeps = Pick<BuildDeps, 'mempool' | 'verifier' | 'onDropped'> & {
  readonly ledger: Pick<Ledger, 'hasTx'>;
  /** The clock that block times are compared with, in Unix seconds. */
  readonly blockClock: () => bigint;
  /** Returns the clock for the time of a new block. */
  readonly newBlockClock: () => () => bigint;
};

/** Limit for built blocks that were not verified; an engine builds one at a time. */
const maxBuilt = 8;

/** The blocks that this node has built and not verified yet. They hold their transactions, which are not in the mempool meanwhile. */
export function createBuiltBlocks(deps: BuiltBlocksDeps, processing: ProcessingTree, returned: ReturnedTxs, effects: (tx: Tx) => Effects) {
  const { parentAt, importedByAncestors } = processing;
  const built = new Map<Id, ProcessingBlock>();

  const giveBack = ({ id, txs }: Block): void => {
    built.delete(id);
    returned.add(txs.filter((tx) => !deps.ledger.hasTx(tx.id)));
  };

  return {
    /** Builds a block on `preferred`; undefined if no valid transaction waits. */
    build: (preferred: Id): Block | undefined => {
      const parent = parentAt(preferred);
      if (parent === undefined) return undefined;
      const { mempool, verifier, onDropped, newBlockClock } = deps;
      const tools = { mempool, verifier, now: newBlockClock(), importedByAncestors, effects, onDropped, returnToMempool: returned.add };
      const next = buildBlock(parent, tools);
      if (next === undefined) return undefined;
      for (const [id, { block }] of built) {
        if (built.size < maxBuilt) break;
        built.delete(id);
        returned.add(block.txs);
      }
      built.set(next.block.id, next);
      return next.block;
    },
    /** Verifies a built block and removes it here; undefined if there is none with this ID. An invalid one gives its transactions back. */
    takeVerified: (id: Id): ProcessingBlock | undefined => {
      const own = built.get(id);
      if (own === undefined) return undefined;
      built.delete(id);
      try {
        verifyBuiltBlock(own, { now: deps.blockClock, parent: parentAt, importedByAncestors });
      } catch (error) {
        returned.add(own.block.txs.filter((tx) => deps.mempool.drops.reasonOf(tx.id) === undefined));
        throw error;
      }
      return own;
    },
    /** Rejects a built block. Returns false if there is none with this ID. */
    reject: (id: Id): boolean => {
      const own = built.get(id);
      if (own !== undefined) giveBack(own.block);
      return own !== undefined;
    },
    /** Rejects the blocks up to a height, where another one was accepted. Returns whether there were any. */
    rejectUpTo: (height: bigint): boolean => {
      const late = [...built.values()].filter(({ block }) => block.height <= height);
      for (const { block } of late) giveBack(block);
      return late.length > 0;
    },
    holdsTx: (id: Id): boolean => [...built.values()].some(({ block }) => block.txs.some((tx) => tx.id === id)),
    clear: () => built.clear(),
  };
}
