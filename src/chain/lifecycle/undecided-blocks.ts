import { type Block, parseBlock } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { View } from '../../avm/view.ts';
import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import { buildBlock } from './builder.ts';
import type { ChainDeps } from './chain-deps.ts';
import type { CommitState } from './commit-state.ts';
import type { Ledger } from './ledger.ts';
import { conflictError, type Mempool } from './mempool.ts';
import { type Parent, type ProcessingBlock, verifyBlock, verifyBuiltBlock } from './processing.ts';
import { createProcessingTree, type ProcessingTree, type Undecided } from './processing-tree.ts';
import { createReturnedTxs, type ReturnedTxs } from './returned-txs.ts';

/**
 * The blocks that the engine of a chain has not decided: built but not verified, or processing. A transaction leaves the mempool with a block; it
 * comes back if the block is rejected. chain.ts offers these functions to the engine; they are described in avm/vm.ts.
 */
export function createUndecidedBlocks(
  deps: ChainDeps,
  {
    mempool,
    commitState,
    checkRules,
    onDropped,
    onAccepted,
    notifyWork,
  }: {
    readonly mempool: Mempool;
    readonly commitState: Pick<CommitState, 'recordFailure' | 'clear'>;
    /** Throws a fault if the transaction is invalid on the last accepted state. */
    readonly checkRules: (tx: Tx) => void;
    /** Called when the mempool has dropped a transaction. */
    readonly onDropped: (tx: Tx, reason: AnyFault) => void;
    readonly onAccepted: (tx: Tx) => void;
    readonly notifyWork: () => void;
  },
) {
  const { ledger, verifier } = deps;
  const clocks = createBlockClocks(deps, mempool);
  const processing = createProcessingTree(ledger);
  const returnedTxs = createReturnedTxs({ mempool, ledger, checkRules, onDropped });
  const built = createBuiltBlocks({ ledger, mempool, processing, returnedTxs, now: clocks.now });
  const decoder = createBlockDecoder();
  const verifyForeign = createForeignVerifier(deps, mempool, processing, decoder, clocks.now);
  let preferred = ledger.lastAccepted().id;

  const { importedByAncestors } = processing;
  const buildOn = (parent: Parent) =>
    buildBlock({ parent, mempool, verifier, now: clocks.forNewBlock(), importedByAncestors, onDropped, returnToMempool: returnedTxs.add });
  const build = (): Block | undefined => {
    const parent = processing.parentAt(preferred);
    const next = parent && buildOn(parent);
    if (next === undefined) {
      // No block is left to store: only the next transaction will show whether storing works again.
      if (mempool.size().txs === 0) commitState.clear();
      return undefined;
    }
    built.add(next);
    return decoder.remember(next.block);
  };

  const verify = (block: EngineBlock): void => {
    if (processing.get(block.id) !== undefined) return;
    const verified = built.takeVerified(block.id) ?? verifyForeign(decoder.decode(block));
    processing.add({ ...verified, displaced: mempool.remove(verified.block.txs) });
  };
  const accept = (ids: readonly Id[], writeMore?: () => void): void => {
    const accepted = ids.map(processing.require);
    const last = accepted.at(-1)?.block;
    if (last === undefined) return;
    storeAccepted(deps, commitState, accepted, writeMore);
    for (const one of accepted) {
      processing.remove(one.block.id);
      dropConflicts(one, mempool, onDropped);
      for (const tx of one.block.txs) onAccepted(tx);
    }
    if (built.rejectUpTo(last.height)) notifyWork();
    commitState.clear();
  };

  /** Rejects a block. Its transactions and those it displaced go back to the mempool if they are still valid. */
  const reject = (id: Id): void => {
    if (built.reject(id)) return;
    const { block, displaced } = processing.require(id);
    processing.remove(id);
    try {
      returnedTxs.addIfValid([...displaced.map(({ tx }) => tx), ...block.txs]);
    } finally {
      notifyWork();
    }
  };

  return {
    setPreference: (id: Id): void => {
      preferred = id;
    },
    build,
    parse: (bytes: Uint8Array): Block => decoder.remember(parseBlock(bytes)),
    block: processing.get,
    /** The state that a block is verified on; undefined if its parent is neither processing nor last accepted. */
    parentView: ({ parentID }: EngineBlock): View | undefined => processing.parentAt(parentID)?.view,
    txsOf: (block: EngineBlock): readonly Tx[] => decoder.decode(block).txs,
    verify,
    accept,
    reject,
    /** Puts transactions back into the mempool without verifying them; one that conflicts with another there is dropped. */
    returnToMempool: returnedTxs.add,
    /** Whether an undecided block holds a transaction, or keeps it because it conflicts with one of its own. */
    holdsTx: (id: Id): boolean => processing.holdsTx(id) || built.holdsTx(id),
    processing: processing.size,
    /** Continues on a reverted state. No block may be processing. */
    restart: (): void => {
      preferred = ledger.lastAccepted().id;
      built.clear();
    },
  };
}

/** Stores blocks in one commit. A failure is recorded, and thrown: the blocks stay processing. */
function storeAccepted(
  { ledger, impersonatedTxs }: ChainDeps,
  commitState: Pick<CommitState, 'recordFailure'>,
  accepted: readonly ProcessingBlock[],
  writeMore: (() => void) | undefined,
): void {
  try {
    ledger.accept(
      accepted.map(({ block, diff }) => ({ block, diff, impersonatedTxs: impersonatedTxs?.(block) })),
      writeMore,
    );
  } catch (error) {
    commitState.recordFailure(accepted.at(-1)?.block.height as bigint, error);
    throw error;
  }
}

/** Drops the transactions that conflict with those of an accepted block: the ones that it displaced, and the ones that came to the mempool since. */
function dropConflicts({ block, displaced }: Undecided, mempool: Mempool, onDropped: (tx: Tx, reason: AnyFault) => void): void {
  for (const conflict of displaced) onDropped(conflict.tx, conflictError(conflict));
  for (const conflict of mempool.remove(block.txs)) onDropped(conflict.tx, conflictError(conflict));
}

/** The clocks of blocks, in Unix seconds: the one that block times are compared with, and the one for the time of a new block. */
const createBlockClocks = ({ ledger, now, isClockAdjustable, takeNextBlockTime }: ChainDeps, mempool: Mempool) => ({
  now: (): bigint => {
    const time = now();
    const last = isClockAdjustable === true ? ledger.lastAccepted().time : time;
    return time > last ? time : last;
  },
  forNewBlock: (): (() => bigint) => {
    const fixedTime = mempool.size().txs > 0 ? takeNextBlockTime?.() : undefined;
    return fixedTime === undefined ? now : () => fixedTime;
  },
});

/** Returns a function that verifies a block of another node on its parent. */
const createForeignVerifier =
  (
    { verifier, acceptUnknownImports = false }: ChainDeps,
    mempool: Mempool,
    { parentAt, parentWithUnknownImports, importedByAncestors }: ReturnType<typeof createProcessingTree>,
    decoder: BlockDecoder,
    now: () => bigint,
  ) =>
  (block: Block): ProcessingBlock => {
    // A transaction in the mempool was verified before: the verifier knows its signers by its object.
    const withKnownTxs = decoder.remember({ ...block, txs: block.txs.map((tx) => mempool.get(tx.id) ?? tx) });
    return verifyBlock(withKnownTxs, {
      verifier,
      now,
      parent: acceptUnknownImports ? parentWithUnknownImports : parentAt,
      importedByAncestors,
      effectsOf,
      // A failure of a foreign block drops no transaction of this node. AvalancheGo: vms/avm/block/executor/block.go, MarkDropped.
      onDropped: (tx, reason) => mempool.drops.mark(tx.id, reason),
    });
  };

type BlockDecoder = ReturnType<typeof createBlockDecoder>;

/** Decodes the blocks of an engine, which may be objects that this chain has made or decoded before, or others that have only bytes in common. */
function createBlockDecoder() {
  const decoded = new WeakSet<object>();
  return {
    remember: (block: Block): Block => {
      decoded.add(block);
      return block;
    },
    decode: (block: EngineBlock): Block => (decoded.has(block) ? (block as Block) : parseBlock(block.bytes)),
  };
}

/** Limit for built blocks that were not verified; an engine builds one at a time. */
const maxBuilt = 8;

/**
 * The blocks that this node has built and not verified yet. A built block holds its transactions, which are not in the mempool
 * meanwhile; they go back there when the block is removed without being verified.
 */
function createBuiltBlocks({
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
