import { effectsOf, spentRefs } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { ExpectedSignature } from '../../avm/verify/owners.ts';
import type { View } from '../../avm/view.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import { createDiff } from '../../ledger/state/diff.ts';
import type { CommitState } from './commit-state.ts';
import { ChainError, isDuplicate } from './fault.ts';
import type { Ledger, TxReport, TxStatus } from './ledger.ts';
import type { Mempool } from './mempool.ts';
import { explainMissingOutput } from './missing-output.ts';
import { createRefusals, isRejected } from './refusals.ts';
import type { TxVerifier } from './tx-verifier.ts';
import { createWalletQueue, type WalletQueueDeps } from './wallet-queue.ts';

/** How transactions get into a chain, and what became of them. */
export type TxIntake = {
  /** Verifies a transaction on the last accepted state and adds it to the mempool. Does nothing if it is there already. */
  readonly issue: (tx: Tx) => void;
  /** The same for a transaction that may also spend outputs of waiting transactions. They come before it in the block, or in an earlier one. */
  readonly issueAfterPending: (tx: Tx) => void;
  /** The signatures that `issue` would recover on the current state: those before the first check that fails without them. */
  readonly expectedSignatures: (tx: Tx) => readonly ExpectedSignature[];
  /** Queues a transaction that may depend on pending ones; it is verified when a block is built with it. */
  readonly queueWalletTx: (tx: Tx) => void;
  /** Whether a transaction could be issued now, verified as `issue` does. Throws the reason if not; changes nothing. */
  readonly checkIssuable: (tx: Tx) => void;
  readonly status: (id: Id) => TxStatus;
  readonly report: (id: Id) => TxReport;
  /** Removes a transaction from the mempool. Returns false if it is not there. It may be issued again. */
  readonly dropTx: (id: Id) => boolean;
};

/** What the blocks of the chain need of the intake. */
type BlockSide = {
  /** Throws a fault if the transaction is invalid on the last accepted state. */
  readonly checkRules: (tx: Tx) => void;
  /** To be called when the mempool has dropped a transaction. */
  readonly onDropped: (tx: Tx, reason: AnyFault) => void;
  readonly onAccepted: (tx: Tx) => void;
  /** Forgets the refused transactions, and replaces those of the wallet queue. */
  readonly restart: (walletQueue: readonly Uint8Array[]) => void;
  readonly walletQueue: () => readonly Uint8Array[];
};

export type TxIntakeOptions = {
  /** See api/differences.ts. */
  readonly differences: { readonly retryRefused: boolean; readonly skipFailedWalletTx: boolean };
  /** Called when a transaction has passed verification on the last accepted state. */
  readonly onVerified?: (tx: Tx) => void;
  /** Called when a transaction has entered the mempool. */
  readonly onPooled?: (tx: Tx) => void;
  /** Called when a transaction has left the mempool other than with an accepted block. */
  readonly onDropped?: (tx: Tx, reason: AnyFault) => void;
  /**
   * For a node that does not run the chains that export to this one, so that it cannot know their outputs: a block of another node may import an
   * output that is not known here and was not imported before. Only the signatures of such an import are verified.
   */
  readonly acceptUnknownImports?: boolean;
  /** See `prepare` in WalletQueueDeps. */
  readonly prepareWalletTx?: WalletQueueDeps['prepare'];
};

type TxIntakeParts = {
  readonly ledger: Ledger;
  readonly verifier: TxVerifier;
  readonly mempool: Mempool;
  readonly commitState: Pick<CommitState, 'checkIssuable'>;
  readonly isBootstrapping: () => boolean;
  /** Whether an undecided block holds a transaction. */
  readonly isInBlock: (id: Id) => boolean;
  readonly notifyWork: () => void;
};

export function createTxIntake(parts: TxIntakeParts, options: TxIntakeOptions): TxIntake & { readonly forBlocks: BlockSide } {
  const { ledger, verifier, mempool, commitState } = parts;
  const { differences } = options;
  const refusals = createRefusals();

  const explain = (fault: AnyFault): AnyFault => explainMissingOutput(fault, ledger, status, options.acceptUnknownImports);
  /** Records why a transaction is refused. Returns the fault with what is known about a missing output. */
  const recordRefusal = ({ id }: Tx, fault: AnyFault): AnyFault => {
    const explained = explain(fault);
    mempool.drops.mark(id, fault);
    refusals.add(id, explained);
    return explained;
  };
  const add = (tx: Tx): void => {
    try {
      mempool.add(tx);
    } catch (error) {
      if (error instanceof Fault && !isDuplicate(error)) recordRefusal(tx, error);
      throw error;
    }
    refusals.remove(tx.id);
    options.onPooled?.(tx);
    parts.notifyWork();
  };
  const wallet = createWalletQueue({
    add,
    skipFailedTx: differences.skipFailedWalletTx,
    prepare: options.prepareWalletTx,
    mempoolBytes: () => mempool.size().bytes,
  });

  const status = (id: Id): TxStatus => {
    if (ledger.hasTx(id)) return 'Accepted';
    if (mempool.get(id) !== undefined || wallet.has(id) || parts.isInBlock(id)) return 'Processing';
    const refusal = refusals.get(id);
    return refusal !== undefined && isRejected(refusal, ledger) ? 'Rejected' : 'Unknown';
  };

  const { checkSynced, verify, checkRules } = createIssueRules(parts, options.differences, explain, recordRefusal);
  /** Checks the mempool, then a cached drop reason, then the rules, then the mempool's limits. AvalancheGo: vms/avm/network/gossip.go, Add. */
  const issue = (tx: Tx, view: View = ledger): void => {
    if (mempool.get(tx.id) !== undefined) return;
    commitState.checkIssuable();
    checkRules(tx, view);
    options.onVerified?.(tx);
    add(tx);
  };

  return {
    issue: (tx) => issue(tx),
    issueAfterPending: (tx) => issue(tx, viewAfterParents(tx, ledger, mempool)),
    expectedSignatures: (tx) => {
      const isDecided = mempool.get(tx.id) !== undefined || (!differences.retryRefused && mempool.drops.reasonOf(tx.id) !== undefined);
      return isDecided ? [] : verifier.expectedSignatures(tx, ledger);
    },
    queueWalletTx: (tx) => {
      checkSynced();
      if (!wallet.has(tx.id)) commitState.checkIssuable();
      wallet.issue(tx);
    },
    checkIssuable: (tx) => {
      commitState.checkIssuable();
      verify(tx, ledger);
      if (mempool.get(tx.id) === undefined) mempool.checkAddable(tx);
    },
    status,
    report: (id) => {
      const current = status(id);
      const refusal = current === 'Accepted' || current === 'Processing' ? undefined : refusals.get(id);
      return refusal === undefined ? { status: current } : { status: current, reason: refusal.reason, code: refusal.code };
    },
    dropTx: (id) => {
      const tx = mempool.get(id);
      if (tx === undefined) return false;
      mempool.remove([tx]);
      wallet.onDropped(id);
      const reason = droppedByCaller(id);
      refusals.add(id, reason);
      options.onDropped?.(tx, reason);
      return true;
    },
    forBlocks: {
      // The transactions of a block come back in its order: one may spend an output of another that is in the mempool again.
      checkRules: (tx) => checkRules(tx, viewAfterParents(tx, ledger, mempool)),
      onDropped: (tx, reason) => {
        recordRefusal(tx, reason);
        wallet.onDropped(tx.id);
        options.onDropped?.(tx, reason);
      },
      onAccepted: ({ id }) => {
        refusals.remove(id);
        wallet.onDecided(id);
      },
      restart: (walletQueue) => {
        refusals.clear();
        wallet.replace(walletQueue);
      },
      walletQueue: wallet.list,
    },
  };
}

/** The rules for a transaction that is issued: the chain is in sync, and the transaction is valid on a view. */
function createIssueRules(
  { ledger, verifier, mempool, isBootstrapping }: TxIntakeParts,
  { retryRefused }: Pick<TxIntakeOptions['differences'], 'retryRefused'>,
  explain: (fault: AnyFault) => AnyFault,
  recordRefusal: (tx: Tx, fault: AnyFault) => AnyFault,
) {
  /** AvalancheGo: vms/avm/block/executor/manager.go, VerifyTx. */
  const checkSynced = (): void => {
    if (isBootstrapping()) throw new ChainError('chain not synced', { code: 'CHAIN_NOT_SYNCED' });
  };
  /** Throws the fault of an invalid transaction as `explainFault` returns it. */
  const verify = (tx: Tx, view: View, explainFault = explain): void => {
    try {
      checkSynced();
      verifier.verifySyntax(tx);
      verifier.verifySpend(tx, view);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw explainFault(error);
    }
  };
  const checkRules = (tx: Tx, view: View = ledger): void => {
    const before = retryRefused ? undefined : mempool.drops.reasonOf(tx.id);
    if (before !== undefined) throw before;
    verify(tx, view, (fault) => recordRefusal(tx, fault));
  };
  return { checkSynced, verify, checkRules };
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
