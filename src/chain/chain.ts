import { type Id, idText } from '../bytes/id.ts';
import { type AnyFault, Fault } from '../fault.ts';
import type { Diff } from '../state/diff.ts';
import type { View } from '../state/view.ts';
import { type Block, parseBlock } from '../tx/block.ts';
import { type Effects, effectsOf } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import type { ExpectedSignature } from '../verify/owners.ts';
import { buildBlock } from './builder.ts';
import { createCommitState } from './commit-state.ts';
import { ChainError, isDuplicate } from './fault.ts';
import { createMempool, type Mempool } from './mempool.ts';
import { explainMissingOutput } from './missing-output.ts';
import { type Parent, type ProcessingBlock, verifyBlock } from './processing.ts';
import { createRejectedTxInputs } from './rejected-tx-inputs.ts';
import type { TxVerifier } from './tx-verifier.ts';
import { createWalletQueue } from './wallet-queue.ts';

/** The accepted state, as far as the chain needs it. */
export type Ledger = View & {
  readonly lastAccepted: () => { readonly id: Id; readonly height: bigint; readonly time: bigint };
  readonly block: (id: Id) => Uint8Array | undefined;
  readonly hasTx: (id: Id) => boolean;
  /** Whether an output has been spent, on this chain or in the memory shared with another chain. */
  readonly wasConsumed: (utxoID: Id) => boolean;
  /** The transaction that spent an output, if known. */
  readonly consumerOf: (utxoID: Id) => Id | undefined;
  /** Stores a block and its changes in one database transaction. */
  readonly commit: (block: Block, diff: Diff) => void;
};

/** Transactions in the mempool, oldest first, and in the wallet queue. The first one of the queue is in the mempool too. */
export type PendingTxs = { readonly mempool: readonly Tx[]; readonly walletQueue: readonly Tx[] };

export type TxStatus = 'Accepted' | 'Processing' | 'Rejected' | 'Unknown';

export type ChainDeps = {
  readonly ledger: Ledger;
  readonly verifier: TxVerifier;
  /** Unix seconds. */
  readonly now: () => bigint;
  /** See src/differences.ts. */
  readonly differences: { readonly retryRefused: boolean; readonly skipFailedWalletTx: boolean };
  /** Called when a transaction has passed verification on the last accepted state. */
  readonly onVerified?: (tx: Tx) => void;
  /** Called when a transaction has entered the mempool. */
  readonly onPooled?: (tx: Tx) => void;
  /** Called when a transaction has left the mempool other than with an accepted block. */
  readonly onDropped?: (tx: Tx, reason: AnyFault) => void;
  /** Whether the clock can be set back by `dev.*` methods: a block may then have its parent's time, however far that is ahead of the clock. */
  readonly isClockAdjustable?: boolean;
  /** Returns the time that was set for the next block; undefined: the time of the clock. Called once per block with transactions. */
  readonly takeNextBlockTime?: () => bigint | undefined;
  /** Called when commits begin to fail and when they succeed again. */
  readonly onCommitState?: () => void;
  /** See `prepare` in wallet-queue.ts. */
  readonly prepareWalletTx?: (tx: Tx) => Promise<void> | undefined;
};

/** The fields of a block that the engine needs. */
export type ChainBlock = Pick<Block, 'id' | 'parentID' | 'height' | 'time' | 'bytes'>;

/** One chain. The members up to `waiting` are the Vm that the engine drives; the others are for the RPC methods. */
export type Chain = {
  readonly lastAccepted: () => Id;
  readonly build: () => ChainBlock | undefined;
  readonly parse: (bytes: Uint8Array) => ChainBlock;
  readonly block: (id: Id) => ChainBlock | undefined;
  readonly verify: (block: ChainBlock) => void;
  readonly accept: (id: Id) => void;
  readonly reject: (id: Id) => void;
  readonly setPreference: (id: Id) => void;
  readonly onWork: (listener: () => void) => void;
  readonly waiting: () => number;
  /** Verifies a transaction on the last accepted state and adds it to the mempool. Does nothing if it is there already. */
  readonly issue: (tx: Tx) => void;
  /** The signatures that `issue` would recover on the current state: those before the first check that fails without them. */
  readonly expectedSignatures: (tx: Tx) => readonly ExpectedSignature[];
  /** Queues a transaction that may depend on pending ones; it is verified when a block is built with it. */
  readonly queueWalletTx: (tx: Tx) => void;
  readonly status: (id: Id) => TxStatus;
  readonly mempool: Pick<Mempool, 'size' | 'consumerOf' | 'all' | 'get'>;
  /** Removes a transaction from the mempool. Returns false if it is not there. It may be issued again. */
  readonly dropTx: (id: Id) => boolean;
  /** Forgets why transactions were dropped: after a change of the clock the reasons may no longer hold. */
  readonly forgetDropReasons: () => void;
  /** Whether a transaction could be issued now, verified as `issue` does. Throws the reason if not; changes nothing. */
  readonly checkIssuable: (tx: Tx) => void;
  readonly processing: () => number;
  /** The transactions that wait for a block, for a snapshot. */
  readonly pending: () => PendingTxs;
  /**
   * Continues after a revert of the accepted state: replaces the pending transactions, which are verified when a block is built, and forgets
   * which transactions were dropped, and why. No block may be processing.
   */
  readonly continueAfterRevert: (pending: PendingTxs) => void;
  /** Why the last block could not be stored; undefined once a block is stored. While it is set, new transactions are rejected. */
  readonly commitFailure: () => AnyFault | undefined;
};

/** Creates a chain: mempool, wallet queue, processing blocks and accepted state. Only `accept` changes the accepted state. */
export function createChain(deps: ChainDeps): Chain {
  const { ledger, verifier, now, differences, onDropped, onCommitState, prepareWalletTx } = deps;
  const mempool = createMempool();
  const processing = new Map<Id, ProcessingBlock>();
  const effects = memoizeEffects();
  const rejectedTxInputs = createRejectedTxInputs();
  const commitState = createCommitState(() => onCommitState?.());
  const workListeners: (() => void)[] = [];
  let preferred = ledger.lastAccepted().id;
  /** The block that was built last, until it is verified. */
  let built: Block | undefined;

  const drop = (tx: Tx, reason: AnyFault): void => {
    mempool.markDropped(tx.id, reason);
    rejectedTxInputs.add(tx);
    wallet.onDropped(tx.id);
    onDropped?.(tx, reason);
  };

  const add = (tx: Tx): void => {
    try {
      mempool.add(tx);
    } catch (error) {
      if (error instanceof Fault) mempool.markDropped(tx.id, error);
      throw error;
    }
    rejectedTxInputs.remove(tx.id);
    deps.onPooled?.(tx);
    notifyWork();
  };

  const notifyWork = (): void => {
    for (const listener of workListeners) listener();
  };

  const wallet = createWalletQueue(add, differences.skipFailedWalletTx, prepareWalletTx);

  /** Checks the mempool, then a cached drop reason, then the rules, then the mempool's limits. AvalancheGo: vms/avm/network/gossip.go, Add. */
  const issue = (tx: Tx): void => {
    if (mempool.get(tx.id) !== undefined) return;
    commitState.checkIssuable();
    checkRules(tx);
    deps.onVerified?.(tx);
    add(tx);
  };

  const queueWalletTx = (tx: Tx): void => {
    if (!wallet.has(tx.id)) commitState.checkIssuable();
    wallet.issue(tx);
  };

  /** Throws a fault if the transaction is invalid on the last accepted state. */
  const checkRules = (tx: Tx): void => {
    const before = differences.retryRefused ? undefined : mempool.dropReason(tx.id);
    if (before !== undefined) throw before;
    try {
      verifier.verifySyntax(tx);
      verifier.verifySpend(tx, ledger);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      mempool.markDropped(tx.id, error);
      rejectedTxInputs.add(tx);
      throw explainMissingOutput(error, ledger, status);
    }
  };

  const checkIssuable = (tx: Tx): void => {
    commitState.checkIssuable();
    try {
      verifier.verifySyntax(tx);
      verifier.verifySpend(tx, ledger);
    } catch (error) {
      throw error instanceof Fault ? explainMissingOutput(error as AnyFault, ledger, status) : error;
    }
    if (mempool.get(tx.id) === undefined) mempool.checkAddable(tx);
  };

  const dropTx = (id: Id): boolean => {
    const tx = mempool.get(id);
    if (tx === undefined) return false;
    mempool.remove([tx]);
    wallet.onDropped(id);
    onDropped?.(tx, droppedByCaller(id));
    return true;
  };

  const expectedSignatures = (tx: Tx): readonly ExpectedSignature[] => {
    const isDecided = mempool.get(tx.id) !== undefined || (!differences.retryRefused && mempool.dropReason(tx.id) !== undefined);
    return isDecided ? [] : verifier.expectedSignatures(tx, ledger);
  };

  const parentAt = (id: Id): Parent | undefined => {
    const undecided = processing.get(id);
    if (undecided !== undefined) return { id, height: undecided.block.height, time: undecided.block.time, view: viewAfter(id) };
    const last = ledger.lastAccepted();
    return id === last.id ? { ...last, view: ledger } : undefined;
  };

  /**
   * The state after a block: its diff while it is processing, the accepted state once it is accepted. It is resolved on every read. A child
   * that held its parent's diff would keep every ancestor in memory, and each read would pass through all of them.
   */
  const viewAfter = (id: Id): View => {
    const current = (): View => processing.get(id)?.diff ?? ledger;
    return {
      utxo: (utxoID) => current().utxo(utxoID),
      asset: (assetID) => current().asset(assetID),
      tx: (txID) => current().tx(txID),
      atomic: ledger.atomic,
    };
  };

  /** The clock that block times are compared with. */
  const blockClock = (): bigint => {
    const time = now();
    const last = deps.isClockAdjustable === true ? ledger.lastAccepted().time : time;
    return time > last ? time : last;
  };

  const build = (): Block | undefined => {
    const parent = parentAt(preferred);
    if (parent === undefined) return undefined;
    const fixedTime = mempool.size().txs > 0 ? deps.takeNextBlockTime?.() : undefined;
    const blockTime = fixedTime === undefined ? now : () => fixedTime;
    return buildBlock(parent, { mempool, verifier, now: blockTime, importedByAncestors, effects, onDropped: drop, returnToMempool });
  };

  const importedByAncestors = (parentID: Id): ReadonlySet<Id> => {
    const all = new Set<Id>();
    for (let at = processing.get(parentID); at !== undefined; at = processing.get(at.block.parentID))
      for (const id of at.imported) all.add(id);
    return all;
  };

  const verify = (block: ChainBlock): void => {
    if (processing.has(block.id)) return;
    const whole = 'txs' in block ? (block as Block) : parseBlock(block.bytes);
    try {
      processing.set(
        block.id,
        verifyBlock(whole, { verifier, now: blockClock, parent: parentAt, importedByAncestors, effects, onDropped: drop }),
      );
    } catch (error) {
      if (whole === built) returnToMempool(whole.txs.filter((tx) => mempool.dropReason(tx.id) === undefined));
      throw error;
    } finally {
      built = undefined;
    }
    mempool.remove(whole.txs);
  };

  /**
   * Puts the transactions of a failed block back into the mempool; they are verified when the next block is built. A transaction that now
   * conflicts with one in the mempool is dropped. The engine is not notified: it would build the same block again at once.
   */
  const returnToMempool = (txs: readonly Tx[]): void => {
    for (const tx of txs) {
      try {
        mempool.putBack(tx);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (!isDuplicate(error)) drop(tx, error);
      }
    }
  };

  const accept = (id: Id): void => {
    const { block, diff } = requireProcessing(id);
    try {
      ledger.commit(block, diff);
    } catch (error) {
      commitState.recordFailure(block.height, error);
      throw error;
    }
    processing.delete(id);
    mempool.remove(block.txs);
    for (const tx of block.txs) {
      rejectedTxInputs.remove(tx.id);
      wallet.onDecided(tx.id);
    }
    commitState.clear();
  };

  /**
   * Rejects a block; its transactions go back to the mempool if they are still valid. If reading the state fails, the remaining ones go back
   * unverified and the error is thrown.
   */
  const reject = (id: Id): void => {
    const { block } = requireProcessing(id);
    processing.delete(id);
    let verified = 0;
    try {
      for (const tx of block.txs) {
        if (mempool.get(tx.id) === undefined && isStillValid(tx)) returnToMempool([tx]);
        verified++;
      }
    } finally {
      returnToMempool(block.txs.slice(verified));
      notifyWork();
    }
  };

  const isStillValid = (tx: Tx): boolean => {
    try {
      checkRules(tx);
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      drop(tx, error);
      return false;
    }
  };

  const continueAfterRevert = (pending: PendingTxs): void => {
    preferred = ledger.lastAccepted().id;
    built = undefined;
    mempool.clear();
    rejectedTxInputs.clear();
    commitState.clear();
    wallet.replace(pending.walletQueue);
    returnToMempool(pending.mempool);
    if (pending.mempool.length > 0) notifyWork();
  };

  const requireProcessing = (id: Id): ProcessingBlock => {
    const undecided = processing.get(id);
    if (undecided === undefined)
      throw new ChainError(`block not found: ${idText(id)}`, { code: 'BLOCK_NOT_PROCESSING', blockID: idText(id) });
    return undecided;
  };

  const isUndecided = (id: Id): boolean =>
    mempool.get(id) !== undefined || wallet.has(id) || [...processing.values()].some(({ block }) => block.txs.some((tx) => tx.id === id));

  const status = (id: Id): TxStatus => {
    if (ledger.hasTx(id)) return 'Accepted';
    if (isUndecided(id)) return 'Processing';
    return rejectedTxInputs.inputsOf(id)?.some(ledger.wasConsumed) ? 'Rejected' : 'Unknown';
  };

  return {
    lastAccepted: () => ledger.lastAccepted().id,
    build: () => {
      built = build();
      // No block is left to store: only the next transaction will show whether storing works again.
      if (built === undefined && mempool.size().txs === 0) commitState.clear();
      return built;
    },
    parse: parseBlock,
    block: (id) => {
      const undecided = processing.get(id);
      if (undecided !== undefined) return undecided.block;
      const bytes = ledger.block(id);
      return bytes === undefined ? undefined : parseBlock(bytes);
    },
    verify,
    accept,
    reject,
    setPreference: (id) => {
      preferred = id;
    },
    onWork: (listener) => void workListeners.push(listener),
    waiting: () => mempool.size().txs,
    issue,
    expectedSignatures,
    queueWalletTx,
    status,
    mempool,
    dropTx,
    forgetDropReasons: mempool.forgetDropReasons,
    checkIssuable,
    processing: () => processing.size,
    pending: () => ({ mempool: [...mempool.all()], walletQueue: wallet.list() }),
    continueAfterRevert,
    commitFailure: commitState.failure,
  };
}

const droppedByCaller = (id: Id) =>
  new ChainError(`dropped from the mempool by dev.dropTx: ${idText(id)}`, { code: 'MEMPOOL_DROPPED_BY_CALLER', txID: idText(id) });

/** Returns effectsOf with a cache: each transaction is applied twice, when its block is built and when it is verified. */
function memoizeEffects(): (tx: Tx) => Effects {
  const known = new WeakMap<Tx, Effects>();
  return (tx) => {
    const before = known.get(tx);
    if (before !== undefined) return before;
    const effects = effectsOf(tx);
    known.set(tx, effects);
    return effects;
  };
}
