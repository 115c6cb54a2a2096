import type { Tx } from '../../avm/tx/tx.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import { isDuplicate } from './fault.ts';
import type { Ledger } from './ledger.ts';
import type { Mempool } from './mempool.ts';

/** Puts transactions of blocks that were not accepted back into the mempool, for undecided-blocks.ts. */
export type ReturnedTxs = {
  /** Adds transactions without verifying them; one that conflicts with another in the mempool is dropped. */
  readonly add: (txs: readonly Tx[]) => void;
  /** Adds those that are still valid. If reading the state fails, the remaining ones go back unverified and the error is thrown. */
  readonly addIfValid: (txs: readonly Tx[]) => void;
};

/**
 * The engine is not notified here, because after a failure it would build the same block again at once. Where another block may succeed, the
 * caller notifies it: `reject` of undecided-blocks.ts does. The solo engine, which rejects a block that it could not store, ignores this while
 * automine makes a block; it tries again after a delay.
 */
export function createReturnedTxs({
  mempool,
  ledger,
  checkRules,
  onDropped,
}: {
  readonly mempool: Mempool;
  readonly ledger: Pick<Ledger, 'hasTx'>;
  readonly checkRules: (tx: Tx) => void;
  readonly onDropped: (tx: Tx, reason: AnyFault) => void;
}): ReturnedTxs {
  /** Returns whether the step succeeded. `onFault` decides about a fault, every other error is thrown. */
  const succeeds = (step: () => void, onFault: (fault: AnyFault) => void): boolean => {
    try {
      step();
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onFault(error);
      return false;
    }
  };
  const add = (txs: readonly Tx[]): void => {
    for (const tx of txs)
      succeeds(
        () => mempool.putBack(tx),
        (fault) => isDuplicate(fault) || onDropped(tx, fault),
      );
  };
  const isStillValid = (tx: Tx): boolean =>
    succeeds(
      () => checkRules(tx),
      (fault) => onDropped(tx, fault),
    );
  return {
    add,
    addIfValid: (txs) => {
      let verified = 0;
      try {
        for (const tx of txs) {
          if (mempool.get(tx.id) === undefined && !ledger.hasTx(tx.id) && isStillValid(tx)) add([tx]);
          verified++;
        }
      } finally {
        add(txs.slice(verified));
      }
    },
  };
}
