import type { Tx } from '../../avm/tx/tx.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';

/** Learns what happens to transactions between their arrival and the mempool. */
export type TxObserver = {
  readonly onReceived: (tx: Tx) => void;
  readonly onVerified: (tx: Tx) => void;
  readonly onRefused: (tx: Tx, reason: AnyFault) => void;
};

type Issue = (tx: Tx) => void | Promise<void>;

/** Reports each issued transaction and why it was refused, if it was. */
export function observeIssue(observer: TxObserver, issue: Issue): Issue {
  return (tx) => {
    const refuse = (error: unknown): never => {
      if (error instanceof Fault) observer.onRefused(tx, error);
      throw error;
    };
    observer.onReceived(tx);
    try {
      const issued = issue(tx);
      return issued instanceof Promise ? issued.catch(refuse) : issued;
    } catch (error) {
      return refuse(error);
    }
  };
}
