import { effectsOf, spentRefs } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { ExpectedSignature } from '../../avm/verify/owners.ts';
import type { View } from '../../avm/view.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import { createDiff } from '../../ledger/state/diff.ts';
import type { ChainDeps } from './chain-deps.ts';
import type { CommitState } from './commit-state.ts';
import { ChainError, isDuplicate } from './fault.ts';
import type { ExplainedStatus, Ledger, TxStatus } from './ledger.ts';
import type { Mempool } from './mempool.ts';
import { explainMissingOutput } from './missing-output.ts';
import { createRefusals, isRejected } from './refusals.ts';
import type { TxVerifier } from './tx-verifier.ts';
import { createWalletQueue } from './wallet-queue.ts';

/** How transactions get into the mempool of a chain, and what became of them. A part of chain.ts. */
export function createTxIntake(
  deps: ChainDeps,
  {
    mempool,
    commitState,
    isBootstrapping,
    isInBlock,
    notifyWork,
  }: {
    readonly mempool: Mempool;
    readonly commitState: Pick<CommitState, 'checkIssuable'>;
    readonly isBootstrapping: () => boolean;
    /** Whether an undecided block holds a transaction. */
    readonly isInBlock: (id: Id) => boolean;
    readonly notifyWork: () => void;
  },
) {
  const { ledger, verifier, differences, onVerified, onPooled, onDropped } = deps;
  const isWaiting = (id: Id): boolean => mempool.get(id) !== undefined || wallet.has(id) || isInBlock(id);
  const outcomes = createTxOutcomes(deps, mempool, isWaiting);
  const add = (tx: Tx): void => {
    outcomes.addOrRefuse(tx);
    onPooled?.(tx);
    notifyWork();
  };
  const { expectedSignatures, fetchAndRecover } = createPreparation(deps, mempool, isWaiting);
  const mempoolBytes = () => mempool.size().bytes;
  const wallet = createWalletQueue({ add, skipFailedTx: differences.skipFailedWalletTx, fetchAndRecover, mempoolBytes });

  const { checkSynced, verify } = createSyncedVerifier(verifier, isBootstrapping);
  /** Verifies a transaction on a view and records a refusal. With --strict, a recent drop reason is thrown again without verifying. */
  const checkRules = (tx: Tx, view: View): void => {
    const before = differences.retryRefused ? undefined : mempool.drops.reasonOf(tx.id);
    if (before !== undefined) throw before;
    verify(tx, view, (fault) => outcomes.refuse(tx, fault));
  };
  /** Verifies a transaction on the last accepted state and adds it to the mempool. Does nothing if it is there already. AvalancheGo: vms/avm/network/gossip.go, Add. */
  const issue = (tx: Tx, view: View = ledger): void => {
    if (mempool.get(tx.id) !== undefined) return;
    commitState.checkIssuable();
    checkRules(tx, view);
    onVerified?.(tx);
    add(tx);
  };

  /** Removes a transaction from the mempool. Returns false if it is not there. It may be issued again. */
  const dropTx = (id: Id): boolean => {
    const tx = mempool.get(id);
    if (tx === undefined) return false;
    mempool.remove([tx]);
    wallet.onDropped(id);
    const reason = outcomes.drop(id);
    onDropped?.(tx, reason);
    return true;
  };

  return {
    issue,
    /** The same for a transaction that may also spend outputs of waiting transactions. They come before it in the block, or in an earlier one. */
    issueAfterPending: (tx: Tx): void => issue(tx, viewAfterParents(tx, ledger, mempool)),
    fetchAndRecover,
    expectedSignatures,
    /** Queues a transaction that may depend on pending ones; it is verified when a block is built with it. */
    queueWalletTx: (tx: Tx): void => {
      checkSynced();
      if (!wallet.has(tx.id)) commitState.checkIssuable();
      wallet.issue(tx);
    },
    /** Throws why a transaction could not be issued now, verified as `issue` does; changes nothing. */
    checkIssuable: (tx: Tx): void => {
      commitState.checkIssuable();
      verify(tx, ledger, outcomes.explain);
      if (mempool.get(tx.id) === undefined) mempool.checkAddable(tx);
    },
    status: outcomes.status,
    explainStatus: outcomes.explainStatus,
    dropTx,
    /** What the blocks of the chain need of the intake. */
    forBlocks: {
      /** Throws a fault if a transaction that comes back from a block is invalid; it may spend an output of another one that came back before it. */
      checkRules: (tx: Tx): void => checkRules(tx, viewAfterParents(tx, ledger, mempool)),
      /** To be called when the mempool has dropped a transaction. */
      onDropped: (tx: Tx, reason: AnyFault): void => {
        outcomes.refuse(tx, reason);
        wallet.onDropped(tx.id);
        onDropped?.(tx, reason);
      },
      onAccepted: ({ id }: Tx): void => {
        outcomes.forget(id);
        wallet.onDecided(id);
      },
      /** Forgets the refused transactions, and replaces those of the wallet queue. */
      restart: (walletQueue: readonly Uint8Array[]): void => {
        outcomes.forgetAll();
        wallet.replace(walletQueue);
      },
      walletQueue: wallet.list,
    },
  };
}

/** What became of transactions: accepted, waiting, or refused and why. `isWaiting`: in the mempool, the wallet queue or an undecided block. */
function createTxOutcomes({ ledger, acceptUnknownImports = false }: ChainDeps, mempool: Mempool, isWaiting: (id: Id) => boolean) {
  const refusals = createRefusals();
  const status = (id: Id): TxStatus => {
    if (ledger.hasTx(id)) return 'Accepted';
    if (isWaiting(id)) return 'Processing';
    const refusal = refusals.get(id);
    return refusal !== undefined && isRejected(refusal, ledger) ? 'Rejected' : 'Unknown';
  };
  /** Returns the fault with what is known about a missing output. */
  const explain = (fault: AnyFault): AnyFault => explainMissingOutput(fault, ledger, status, acceptUnknownImports);
  /** Records why a transaction is refused. Returns the explained fault. */
  const refuse = ({ id }: Tx, fault: AnyFault): AnyFault => {
    const explained = explain(fault);
    mempool.drops.mark(id, fault);
    refusals.add(id, explained);
    return explained;
  };
  return {
    status,
    explain,
    refuse,
    /** Adds a verified transaction to the mempool; one that conflicts with another there is refused. */
    addOrRefuse: (tx: Tx): void => {
      try {
        mempool.add(tx);
      } catch (error) {
        if (error instanceof Fault && !isDuplicate(error)) refuse(tx, error);
        throw error;
      }
      refusals.remove(tx.id);
    },
    explainStatus: (id: Id): ExplainedStatus => {
      const current = status(id);
      const refusal = current === 'Accepted' || current === 'Processing' ? undefined : refusals.get(id);
      return refusal === undefined ? { status: current } : { status: current, reason: refusal.reason, code: refusal.code };
    },
    /** Records that the caller of `dev.dropTx` has removed a transaction. Returns that reason. */
    drop: (id: Id): AnyFault => {
      const reason = droppedByCaller(id);
      refusals.add(id, reason);
      return reason;
    },
    forget: refusals.remove,
    forgetAll: refusals.clear,
  };
}

/** What is done before a transaction is verified, because it is slow: fetching its inputs, recovering its signers on another thread. */
function createPreparation(
  { ledger, verifier, differences, fetchInputs, recoverAhead }: ChainDeps,
  mempool: Mempool,
  isWaiting: (id: Id) => boolean,
) {
  /** The signatures that `issue` would recover on the current state: those before the first check that fails without them. */
  const expectedSignatures = (tx: Tx): readonly ExpectedSignature[] => {
    const isDecided = mempool.get(tx.id) !== undefined || (!differences.retryRefused && mempool.drops.reasonOf(tx.id) !== undefined);
    return isDecided ? [] : verifier.expectedSignatures(tx, ledger);
  };
  return {
    expectedSignatures,
    /**
     * Fetches the inputs of a transaction, then recovers its signers ahead if that pays off. Returns undefined if there is nothing to wait for, so that
     * the next transaction of the wallet queue is in the mempool when a commit returns.
     */
    fetchAndRecover: (
      tx: Tx,
      expected = () => expectedSignatures(tx),
      which: 'all' | 'until one is wrong' = 'until one is wrong',
    ): Promise<void> | undefined => {
      const recoverSigners = () => recoverAhead?.(tx, expected, which);
      const fetched = fetchInputs?.(tx, isWaiting);
      return fetched === undefined ? recoverSigners() : fetched.then(recoverSigners);
    },
  };
}

/** The rules for a transaction that is issued: the chain is in sync, and the transaction is valid on a view. */
function createSyncedVerifier(verifier: TxVerifier, isBootstrapping: () => boolean) {
  /** AvalancheGo: vms/avm/block/executor/manager.go, VerifyTx. */
  const checkSynced = (): void => {
    if (isBootstrapping()) throw new ChainError('chain not synced', { code: 'CHAIN_NOT_SYNCED' });
  };
  return {
    checkSynced,
    /** Throws the fault of an invalid transaction as `explain` returns it. */
    verify: (tx: Tx, view: View, explain: (fault: AnyFault) => AnyFault): void => {
      try {
        checkSynced();
        verifier.verifySyntax(tx);
        verifier.verifySpend(tx, view);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        throw explain(error);
      }
    },
  };
}

/** The accepted state after the waiting transactions whose outputs a transaction spends. */
function viewAfterParents({ unsigned }: Tx, ledger: Ledger, mempool: Mempool): View {
  const view = createDiff(ledger);
  for (const txID of new Set(spentRefs(unsigned).map((ref) => ref.txID))) {
    const parent = mempool.get(txID);
    if (parent !== undefined) view.apply(parent, effectsOf(parent));
  }
  return view;
}

const droppedByCaller = (id: Id) =>
  new ChainError(`dropped from the mempool by dev.dropTx: ${idText(id)}`, { code: 'MEMPOOL_DROPPED_BY_CALLER', txID: idText(id) });
