import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import type { EngineBlock } from '../../avm/vm.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import type { ChainDeps } from './chain-deps.ts';
import { createCommitState } from './commit-state.ts';
import { createMempool, type Mempool } from './mempool.ts';
import { createTxIntake } from './tx-intake.ts';
import { createUndecidedBlocks } from './undecided-blocks.ts';

/** Transactions in the mempool, oldest first, and the bytes of those in the wallet queue. The first one of the queue is in the mempool too. */
export type PendingTxs = { readonly mempool: readonly Tx[]; readonly walletQueue: readonly Uint8Array[] };

/** One chain: the Vm that an engine drives, and what the RPC methods need. */
export type Chain = ReturnType<typeof createChain>;

/** What a snapshot saves of a chain besides its accepted state, and a revert restores. */
export type RevertibleChain = Pick<Chain, 'processing' | 'pending' | 'continueAfterRevert' | 'restorePending'> & {
  readonly mempool: Pick<Mempool, 'size' | 'consumerOf' | 'all' | 'get'>;
};

/** Creates a chain: mempool, wallet queue, processing blocks and accepted state. Only `accept` changes the accepted state. */
export function createChain(deps: ChainDeps) {
  const { ledger, verifier } = deps;
  const mempool = createMempool();
  const commitState = createCommitState(() => deps.onCommitState?.());
  let onWork = (): void => {};
  let isBootstrapping = false;

  const notifyWork = (): void => onWork();
  const intake = createTxIntake(deps, {
    mempool,
    commitState,
    isBootstrapping: () => isBootstrapping,
    isInBlock: (id) => blocks.holdsTx(id),
    notifyWork,
  });
  const { forBlocks } = intake;
  const blocks = createUndecidedBlocks(deps, {
    mempool,
    commitState,
    checkRules: forBlocks.checkRules,
    onDropped: forBlocks.onDropped,
    onAccepted: forBlocks.onAccepted,
    notifyWork,
  });

  /** Fetches the inputs and recovers the signers of a block's transactions ahead, except of those in the mempool, for which that is done. */
  const preverify = async (block: EngineBlock): Promise<void> => {
    // While the chain bootstraps, no signature is verified.
    if (isBootstrapping) return;
    const view = blocks.parentView(block);
    if (view === undefined) return;
    const unknown = blocks.txsOf(block).filter((tx) => mempool.get(tx.id) === undefined);
    await Promise.all(unknown.map((tx) => intake.fetchAndRecover(tx, () => verifier.expectedSignatures(tx, view))));
  };

  /** Adds further pending transactions after `continueAfterRevert`, for a long list that is added in parts. */
  const restorePending = (txs: readonly Tx[]): void => {
    blocks.returnToMempool(txs);
    if (txs.length > 0) notifyWork();
  };

  return {
    lastAccepted: (): Id => ledger.lastAccepted().id,
    blockIdAtHeight: ledger.blockIdAt,
    build: blocks.build,
    nextBuildTime: () => (isBootstrapping ? undefined : 0),
    parse: blocks.parse,
    block: (id: Id): EngineBlock | undefined => {
      const processing = blocks.block(id);
      if (processing !== undefined) return processing;
      const bytes = ledger.block(id);
      return bytes === undefined ? undefined : blocks.parse(bytes);
    },
    blockBytes: (id: Id): Uint8Array | undefined => blocks.block(id)?.bytes ?? ledger.block(id),
    preverify,
    verify: blocks.verify,
    accept: blocks.accept,
    reject: blocks.reject,
    setPreference: blocks.setPreference,
    setBootstrapping: (on: boolean): void => {
      isBootstrapping = on;
      verifier.setBootstrapping(on);
    },
    onWork: (listener: () => void): void => {
      onWork = listener;
    },
    waiting: () => mempool.size().txs,

    issue: intake.issue,
    issueAfterPending: intake.issueAfterPending,
    fetchAndRecover: intake.fetchAndRecover,
    expectedSignatures: intake.expectedSignatures,
    queueWalletTx: intake.queueWalletTx,
    checkIssuable: intake.checkIssuable,
    status: intake.status,
    explainStatus: intake.explainStatus,
    dropTx: intake.dropTx,

    mempool,
    /** The number of processing blocks. */
    processing: blocks.processing,
    /** Forgets why transactions were dropped: after a change of the clock the reasons may no longer hold. */
    forgetDropReasons: mempool.drops.clear,
    /** Why the last block could not be stored; undefined once a block is stored. While it is set, new transactions are rejected. */
    commitFailure: commitState.failure,
    pending: (): PendingTxs => listPending(mempool, forBlocks.walletQueue()),
    /**
     * Continues after a revert of the accepted state: replaces the pending transactions, which are verified when a block is built, and forgets
     * which transactions were dropped, and why. No block may be processing.
     */
    continueAfterRevert: (pending: PendingTxs): void => {
      blocks.restart();
      mempool.clear();
      commitState.clear();
      forBlocks.restart(pending.walletQueue);
      restorePending(pending.mempool);
    },
    restorePending,
  };
}

/** The transactions that wait for a block, for a snapshot. */
function listPending(mempool: Mempool, walletQueue: readonly Uint8Array[]): PendingTxs {
  // The first one of the queue may still wait for its signers; a revert must find it in the mempool, since nothing else adds it.
  const head = walletQueue.slice(0, 1).filter((bytes) => mempool.get(idOf(bytes)) === undefined);
  return { mempool: [...mempool.all(), ...head.map((bytes) => parseTx(bytes))], walletQueue };
}
