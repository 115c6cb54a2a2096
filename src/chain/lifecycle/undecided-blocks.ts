import { type Block, parseBlock } from '../../avm/tx/block.ts';
import { type Effects, effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { View } from '../../avm/view.ts';
import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createObjectSlot } from '../../base/cache/object-slot.ts';
import type { AnyFault } from '../../base/fault.ts';
import { type BuiltBlocksDeps, createBuiltBlocks } from './built-blocks.ts';
import type { CommitState } from './commit-state.ts';
import type { Ledger } from './ledger.ts';
import { conflictError } from './mempool.ts';
import { type ProcessingBlock, verifyBlock } from './processing.ts';
import { createProcessingTree } from './processing-tree.ts';
import { createReturnedTxs } from './returned-txs.ts';

/** What an engine does with blocks. */
type BlockDecisions = {
  readonly setPreference: (id: Id) => void;
  readonly build: () => Block | undefined;
  readonly verify: (block: EngineBlock) => void;
  readonly acceptAll: (ids: readonly Id[], writeMore?: () => void) => void;
  readonly reject: (id: Id) => void;
};

/** Blocks that were built but not verified yet, and blocks that are processing. Transactions leave the mempool with a block and come back with it. */
type UndecidedBlocks = BlockDecisions & {
  readonly parse: (bytes: Uint8Array) => EngineBlock;
  readonly block: (id: Id) => EngineBlock | undefined;
  /** The state that a block is verified on; undefined if its parent is neither processing nor last accepted. */
  readonly parentView: (block: EngineBlock) => View | undefined;
  readonly txsOf: (block: EngineBlock) => readonly Tx[];
  /** Puts transactions back into the mempool without verifying them; one that conflicts with another there is dropped. */
  readonly returnToMempool: (txs: readonly Tx[]) => void;
  /** Whether an undecided block holds a transaction, or keeps it because it conflicts with one of its own. */
  readonly holdsTx: (id: Id) => boolean;
  readonly processing: () => number;
  /** Continues on a reverted state. No block may be processing. */
  readonly restart: () => void;
};

type UndecidedBlocksDeps = BuiltBlocksDeps & {
  readonly ledger: Ledger;
  readonly commitState: Pick<CommitState, 'recordFailure' | 'clear'>;
  /** See ChainDeps. */
  readonly acceptUnknownImports: boolean;
  readonly checkRules: (tx: Tx) => void;
  readonly onAccepted: (tx: Tx) => void;
  readonly notifyWork: () => void;
};

export function createUndecidedBlocks(deps: UndecidedBlocksDeps): UndecidedBlocks {
  const { ledger, verifier, mempool, onDropped, blockClock: now } = deps;
  const processing = createProcessingTree(ledger);
  const returned = createReturnedTxs(deps);
  const { importedByAncestors } = processing;
  /** The blocks that this file has made or decoded; every other object is decoded from its bytes. */
  const decoded = new WeakSet<object>();
  const effects = memoizeEffects();
  const built = createBuiltBlocks(deps, processing, returned, effects);
  let preferred = ledger.lastAccepted().id;

  const remember = (block: Block): Block => {
    decoded.add(block);
    return block;
  };
  const wholeBlock = (block: EngineBlock): Block => (decoded.has(block) ? (block as Block) : parseBlock(block.bytes));

  /** A failure of a foreign block drops no transaction of this node. AvalancheGo: vms/avm/block/executor/block.go, MarkDropped. */
  const noteInvalid = (tx: Tx, reason: AnyFault): void => mempool.drops.mark(tx.id, reason);
  /** A transaction in the mempool was verified before, and the verifier knows it by its object. */
  const withKnownTxs = (block: Block): Block => remember({ ...block, txs: block.txs.map((tx) => mempool.get(tx.id) ?? tx) });

  const verify = (block: EngineBlock): void => {
    if (processing.get(block.id) !== undefined) return;
    const verified = built.takeVerified(block.id) ?? verifyForeign(wholeBlock(block));
    processing.add({ ...verified, displaced: mempool.remove(verified.block.txs) });
  };
  const verifyForeign = (block: Block): ProcessingBlock => {
    const parent = deps.acceptUnknownImports ? processing.parentWithUnknownImports : processing.parentAt;
    return verifyBlock(withKnownTxs(block), { verifier, now, parent, importedByAncestors, effects, onDropped: noteInvalid });
  };

  const acceptAll = (ids: readonly Id[], writeMore?: () => void): void => {
    const accepted = ids.map(processing.require);
    const last = accepted.at(-1)?.block;
    if (last === undefined) return;
    try {
      ledger.accept(
        accepted.map(({ block, diff }) => ({ block, diff })),
        writeMore,
      );
    } catch (error) {
      deps.commitState.recordFailure(last.height, error);
      throw error;
    }
    for (const { block, displaced } of accepted) {
      processing.remove(block.id);
      for (const conflict of displaced) onDropped(conflict.tx, conflictError(conflict));
      for (const conflict of mempool.remove(block.txs)) onDropped(conflict.tx, conflictError(conflict));
      for (const tx of block.txs) deps.onAccepted(tx);
    }
    if (built.rejectUpTo(last.height)) deps.notifyWork();
    deps.commitState.clear();
  };

  /** Rejects a block. Its transactions and those it displaced go back to the mempool if they are still valid. */
  const reject = (id: Id): void => {
    if (built.reject(id)) return;
    const { block, displaced } = processing.require(id);
    processing.remove(id);
    try {
      returned.addIfValid([...displaced.map(({ tx }) => tx), ...block.txs]);
    } finally {
      deps.notifyWork();
    }
  };

  return {
    setPreference: (id) => {
      preferred = id;
    },
    build: () => {
      const block = built.build(preferred);
      return block && remember(block);
    },
    parse: (bytes) => remember(parseBlock(bytes)),
    block: processing.get,
    parentView: ({ parentID }) => processing.parentAt(parentID)?.view,
    txsOf: (block) => wholeBlock(block).txs,
    verify,
    acceptAll,
    reject,
    returnToMempool: returned.add,
    holdsTx: (id) => processing.holdsTx(id) || built.holdsTx(id),
    processing: processing.size,
    restart: () => {
      preferred = ledger.lastAccepted().id;
      built.clear();
    },
  };
}

/** Returns effectsOf with a cache: each transaction is applied twice, when its block is built and when it is verified. */
function memoizeEffects(): (tx: Tx) => Effects {
  const known = createObjectSlot<Tx, Effects>();
  return (tx) => {
    const before = known.get(tx);
    if (before !== undefined) return before;
    const effects = effectsOf(tx);
    known.set(tx, effects);
    return effects;
  };
}
