import { effectsOf, spentRefs } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { ExpectedSignature } from '../../avm/verify/owners.ts';
import type { View } from '../../avm/view.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import { createDiff } from '../../ledger/state/diff.ts';
import { createCommitState } from './commit-state.ts';
import { ChainError, isDuplicate } from './fault.ts';
import type { ChainBlock, Ledger, TxReport, TxStatus } from './ledger.ts';
import { createMempool, type Mempool } from './mempool.ts';
import { explainMissingOutput } from './missing-output.ts';
import { createRejections } from './rejections.ts';
import type { TxVerifier } from './tx-verifier.ts';
import { createUndecidedBlocks } from './undecided-blocks.ts';
import { createWalletQueue } from './wallet-queue.ts';

/** Transactions in the mempool, oldest first, and the bytes of those in the wallet queue. The first one of the queue is in the mempool too. */
export type PendingTxs = { readonly mempool: readonly Tx[]; readonly walletQueue: readonly Uint8Array[] };

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
  /**
   * For a node that does not run the chains that export to this one, so that it cannot know their outputs: a block of another node may import an
   * output that is not known here and was not imported before. Only the signatures of such an import are verified.
   */
  readonly acceptUnknownImports?: boolean;
  /** Returns the time that was set for the next block; undefined: the time of the clock. Called once per block with transactions. */
  readonly takeNextBlockTime?: () => bigint | undefined;
  /** Called when commits begin to fail and when they succeed again. */
  readonly onCommitState?: () => void;
  /** Recovers the signers of a transaction of a block ahead; `expected` lists the signatures that verification needs. */
  readonly prepareTx?: (tx: Tx, expected: () => readonly ExpectedSignature[]) => Promise<void> | undefined;
  /** See `prepare` in WalletQueueDeps. */
  readonly prepareWalletTx?: (tx: Tx) => Promise<void> | undefined;
};

/** One chain. The members up to `waiting` are the Vm that the engine drives; the others are for the RPC methods. */
export type Chain = {
  readonly lastAccepted: () => Id;
  readonly blockIdAtHeight: (height: bigint) => Id | undefined;
  readonly build: () => ChainBlock | undefined;
  readonly nextBuildTime: () => number | undefined;
  readonly parse: (bytes: Uint8Array) => ChainBlock;
  readonly block: (id: Id) => ChainBlock | undefined;
  readonly blockBytes: (id: Id) => Uint8Array | undefined;
  readonly prepare: (block: ChainBlock) => Promise<void>;
  readonly verify: (block: ChainBlock) => void;
  /** `writeMore` runs in the block's database transaction, to store more with it. */
  readonly accept: (id: Id, writeMore?: () => void) => void;
  readonly acceptAll: (ids: readonly Id[], writeMore?: () => void) => void;
  readonly reject: (id: Id) => void;
  readonly setPreference: (id: Id) => void;
  readonly setBootstrapping: (on: boolean) => void;
  readonly onWork: (listener: () => void) => void;
  readonly waiting: () => number;
  /** Verifies a transaction on the last accepted state and adds it to the mempool. Does nothing if it is there already. */
  readonly issue: (tx: Tx) => void;
  /** The same for a transaction that may also spend outputs of waiting transactions. They come before it in the block, or in an earlier one. */
  readonly issueAfterPending: (tx: Tx) => void;
  /** The signatures that `issue` would recover on the current state: those before the first check that fails without them. */
  readonly expectedSignatures: (tx: Tx) => readonly ExpectedSignature[];
  /** Queues a transaction that may depend on pending ones; it is verified when a block is built with it. */
  readonly queueWalletTx: (tx: Tx) => void;
  readonly status: (id: Id) => TxStatus;
  readonly report: (id: Id) => TxReport;
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
  /** Adds further pending transactions after `continueAfterRevert`, for a long list that is added in parts. */
  readonly restorePending: (txs: readonly Tx[]) => void;
  /** Why the last block could not be stored; undefined once a block is stored. While it is set, new transactions are rejected. */
  readonly commitFailure: () => AnyFault | undefined;
};

/** Creates a chain: mempool, wallet queue, processing blocks and accepted state. Only `accept` changes the accepted state. */
export function createChain(deps: ChainDeps): Chain {
  const { ledger, verifier, now, differences, onDropped, onCommitState, prepareWalletTx } = deps;
  const mempool = createMempool();
  const rejections = createRejections();
  const commitState = createCommitState(() => onCommitState?.());
  const workListeners: (() => void)[] = [];
  let isBootstrapping = false;

  const markRejected = ({ id }: Tx, reason: AnyFault): void => {
    mempool.markDropped(id, reason);
    rejections.add(id, reason);
  };

  const drop = (tx: Tx, reason: AnyFault): void => {
    markRejected(tx, reason);
    wallet.onDropped(tx.id);
    onDropped?.(tx, reason);
  };

  const add = (tx: Tx): void => {
    try {
      mempool.add(tx);
    } catch (error) {
      if (error instanceof Fault && !isDuplicate(error)) markRejected(tx, error);
      throw error;
    }
    rejections.remove(tx.id);
    deps.onPooled?.(tx);
    notifyWork();
  };

  const notifyWork = (): void => {
    for (const listener of workListeners) listener();
  };

  const wallet = createWalletQueue({
    add,
    skipFailedTx: differences.skipFailedWalletTx,
    prepare: prepareWalletTx,
    mempoolBytes: () => mempool.size().bytes,
  });

  /** Checks the mempool, then a cached drop reason, then the rules, then the mempool's limits. AvalancheGo: vms/avm/network/gossip.go, Add. */
  const issue = (tx: Tx, view: View = ledger): void => {
    if (mempool.get(tx.id) !== undefined) return;
    commitState.checkIssuable();
    checkRules(tx, view);
    deps.onVerified?.(tx);
    add(tx);
  };

  /** The accepted state after the waiting transactions whose outputs a transaction spends. */
  const viewAfterParents = ({ unsigned }: Tx): View => {
    const view = createDiff(ledger);
    for (const txID of new Set(spentRefs(unsigned).map((ref) => ref.txID))) {
      const parent = mempool.get(txID);
      if (parent !== undefined) view.apply(parent, effectsOf(parent));
    }
    return view;
  };

  const queueWalletTx = (tx: Tx): void => {
    checkSynced();
    if (!wallet.has(tx.id)) commitState.checkIssuable();
    wallet.issue(tx);
  };

  /** Throws a fault if the transaction is invalid on a state, by default the last accepted one. */
  const checkRules = (tx: Tx, view: View = ledger): void => {
    const before = differences.retryRefused ? undefined : mempool.dropReason(tx.id);
    if (before !== undefined) throw before;
    try {
      checkSynced();
      verifier.verifySyntax(tx);
      verifier.verifySpend(tx, view);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      markRejected(tx, error);
      throw explainMissingOutput(error, ledger, status, deps.acceptUnknownImports);
    }
  };

  /** AvalancheGo: vms/avm/block/executor/manager.go, VerifyTx. */
  const checkSynced = (): void => {
    if (isBootstrapping) throw new ChainError('chain not synced', { code: 'CHAIN_NOT_SYNCED' });
  };

  const checkIssuable = (tx: Tx): void => {
    commitState.checkIssuable();
    checkSynced();
    try {
      verifier.verifySyntax(tx);
      verifier.verifySpend(tx, ledger);
    } catch (error) {
      throw error instanceof Fault ? explainMissingOutput(error as AnyFault, ledger, status, deps.acceptUnknownImports) : error;
    }
    if (mempool.get(tx.id) === undefined) mempool.checkAddable(tx);
  };

  const dropTx = (id: Id): boolean => {
    const tx = mempool.get(id);
    if (tx === undefined) return false;
    mempool.remove([tx]);
    wallet.onDropped(id);
    const reason = droppedByCaller(id);
    rejections.add(id, reason);
    onDropped?.(tx, reason);
    return true;
  };

  const expectedSignatures = (tx: Tx): readonly ExpectedSignature[] => {
    const isDecided = mempool.get(tx.id) !== undefined || (!differences.retryRefused && mempool.dropReason(tx.id) !== undefined);
    return isDecided ? [] : verifier.expectedSignatures(tx, ledger);
  };

  /** The clock that block times are compared with. */
  const blockClock = (): bigint => {
    const time = now();
    const last = deps.isClockAdjustable === true ? ledger.lastAccepted().time : time;
    return time > last ? time : last;
  };

  const newBlockClock = (): (() => bigint) => {
    const fixedTime = mempool.size().txs > 0 ? deps.takeNextBlockTime?.() : undefined;
    return fixedTime === undefined ? now : () => fixedTime;
  };

  const onAccepted = (tx: Tx): void => {
    rejections.remove(tx.id);
    wallet.onDecided(tx.id);
  };

  const blocks = createUndecidedBlocks({
    ledger,
    verifier,
    mempool,
    commitState,
    acceptUnknownImports: deps.acceptUnknownImports ?? false,
    blockClock,
    newBlockClock,
    checkRules: (tx) => checkRules(tx),
    onDropped: drop,
    onAccepted,
    notifyWork,
  });

  const prepare = async (block: ChainBlock): Promise<void> => {
    const { prepareTx } = deps;
    // While the chain bootstraps, no signature is verified.
    if (isBootstrapping || prepareTx === undefined) return;
    const view = blocks.parentView(block);
    if (view === undefined) return;
    await Promise.all(
      blocks
        .txsOf(block)
        .map((tx) => (mempool.get(tx.id) !== undefined ? undefined : prepareTx(tx, () => verifier.expectedSignatures(tx, view)))),
    );
  };

  const continueAfterRevert = (pending: PendingTxs): void => {
    blocks.restart();
    mempool.clear();
    rejections.clear();
    commitState.clear();
    wallet.replace(pending.walletQueue);
    restorePending(pending.mempool);
  };

  const restorePending = (txs: readonly Tx[]): void => {
    blocks.returnToMempool(txs);
    if (txs.length > 0) notifyWork();
  };

  const isUndecided = (id: Id): boolean => mempool.get(id) !== undefined || wallet.has(id) || blocks.holdsTx(id);

  const status = (id: Id): TxStatus => {
    if (ledger.hasTx(id)) return 'Accepted';
    if (isUndecided(id)) return 'Processing';
    return rejections.reasonOf(id) === undefined ? 'Unknown' : 'Rejected';
  };

  const report = (id: Id): TxReport => {
    const current = status(id);
    const reason = current === 'Rejected' ? rejections.reasonOf(id) : undefined;
    return { status: current, ...(reason !== undefined && { reason }) };
  };

  return {
    lastAccepted: () => ledger.lastAccepted().id,
    blockIdAtHeight: ledger.blockIdAt,
    build: () => {
      const block = blocks.build();
      // No block is left to store: only the next transaction will show whether storing works again.
      if (block === undefined && mempool.size().txs === 0) commitState.clear();
      return block;
    },
    nextBuildTime: () => (isBootstrapping ? undefined : 0),
    parse: blocks.parse,
    block: (id) => {
      const undecided = blocks.block(id);
      if (undecided !== undefined) return undecided;
      const bytes = ledger.block(id);
      return bytes === undefined ? undefined : blocks.parse(bytes);
    },
    blockBytes: (id) => blocks.block(id)?.bytes ?? ledger.block(id),
    prepare,
    verify: blocks.verify,
    accept: (id, writeMore) => blocks.acceptAll([id], writeMore),
    acceptAll: blocks.acceptAll,
    reject: blocks.reject,
    setPreference: blocks.setPreference,
    setBootstrapping: (on) => {
      isBootstrapping = on;
      verifier.setBootstrapping(on);
    },
    onWork: (listener) => void workListeners.push(listener),
    waiting: () => mempool.size().txs,
    issue: (tx) => issue(tx),
    issueAfterPending: (tx) => issue(tx, viewAfterParents(tx)),
    expectedSignatures,
    queueWalletTx,
    status,
    report,
    mempool,
    dropTx,
    forgetDropReasons: mempool.forgetDropReasons,
    checkIssuable,
    processing: blocks.processing,
    pending: () => ({ mempool: [...mempool.all()], walletQueue: wallet.list() }),
    continueAfterRevert,
    restorePending,
    commitFailure: commitState.failure,
  };
}

const droppedByCaller = (id: Id) =>
  new ChainError(`dropped from the mempool by dev.dropTx: ${idText(id)}`, { code: 'MEMPOOL_DROPPED_BY_CALLER', txID: idText(id) });
