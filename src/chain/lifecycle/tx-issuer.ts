import type { Tx } from '../../avm/tx/tx.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import { createMutex } from '../../base/timing/slots.ts';
import type { Chain } from './chain.ts';

/** Learns what happens to transactions between their arrival and the mempool. */
export type TxObserver = {
  readonly onReceived: (tx: Tx) => void;
  readonly onVerified: (tx: Tx) => void;
  readonly onRefused: (tx: Tx, reason: AnyFault) => void;
};

/** Where the RPC methods issue transactions. The chain of a followed node has another implementation, which asks that node. */
export type TxIssuer = Pick<ReturnType<typeof createTxIssuer>, 'issue' | 'queueWalletTx'>;

/** Issues the transactions of users to a chain whose transactions are verified here, in three steps: fetch inputs, recover signers, issue. */
export function createTxIssuer(
  chain: Pick<Chain, 'fetchAndRecover' | 'issue' | 'issueAfterPending' | 'queueWalletTx'>,
  observer: TxObserver,
) {
  const inOrderOfArrival = createMutex();
  return {
    /** Implements `avm.issueTx`. Resolves when the transaction is in the mempool; rejects with the fault that refuses it. */
    issue: (tx: Tx): Promise<void> =>
      observeIssue(observer, tx, async () => {
        await chain.fetchAndRecover(tx);
        chain.issue(tx);
      }),
    /** Issues a transaction that may spend outputs of waiting ones. */
    issueAfterPending: (tx: Tx): Promise<void> =>
      observeIssue(observer, tx, async () => {
        await chain.fetchAndRecover(tx);
        chain.issueAfterPending(tx);
      }),
    /** Implements `wallet.issueTx`. A later transaction may depend on an earlier one, so it is queued after it, also if its own signers are known first. */
    queueWalletTx: (tx: Tx): Promise<void> =>
      observeIssue(observer, tx, async () => {
        const ready = chain.fetchAndRecover(tx);
        // A failure is thrown when it is this transaction's turn.
        ready?.catch(() => {});
        await inOrderOfArrival(async () => {
          await ready;
          chain.queueWalletTx(tx);
        });
      }),
  };
}

/** Tells the observer of a transaction that has arrived and, if it is refused, why. */
export async function observeIssue(
  observer: Pick<TxObserver, 'onReceived' | 'onRefused'>,
  tx: Tx,
  issue: () => Promise<void>,
): Promise<void> {
  observer.onReceived(tx);
  try {
    await issue();
  } catch (error) {
    if (error instanceof Fault) observer.onRefused(tx, error);
    throw error;
  }
}
