import type { Id } from '../bytes/id.ts';
import { Fault } from '../fault.ts';
import type { Tx } from '../tx/tx.ts';
import { ChainError, isDuplicate } from './fault.ts';

/** More than anyone chains by hand; a bound because the peer's queue has none and a stuck one would grow for ever. */
const maxQueued = 65_536;

/**
 * Transactions that depend on each other, issued one after the other: the next goes to the pool when the one before it is decided.
 * Nothing is verified when it enters. Peer: vms/avm/wallet_service.go.
 */
export type WalletQueue = {
  readonly issue: (tx: Tx) => void;
  readonly decided: (id: Id) => void;
  /** The pool threw it out: the peer goes on waiting for it for ever; here the queue may move on (see the differences). */
  readonly dropped: (id: Id) => void;
  readonly has: (id: Id) => boolean;
};

export function createWalletQueue(add: (tx: Tx) => void, movesOnAfterDrop: boolean): WalletQueue {
  const queued = new Map<Id, Tx>();

  const decided = (id: Id): void => {
    if (!queued.delete(id)) return;
    for (const [next, tx] of queued) {
      if (addUnlessRefused(tx)) return;
      queued.delete(next);
    }
  };

  /** Whether the queue now waits for this transaction: it is in the pool, or was there already. */
  const addUnlessRefused = (tx: Tx): boolean => {
    try {
      add(tx);
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return isDuplicate(error);
    }
  };

  const issue = (tx: Tx): void => {
    if (queued.has(tx.id)) return;
    if (queued.size >= maxQueued)
      throw new ChainError(`wallet queue is full: ${maxQueued} transactions are waiting for the one before them`, {
        code: 'WALLET_QUEUE_FULL',
        max: maxQueued,
      });
    if (queued.size === 0) {
      try {
        add(tx);
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    }
    queued.set(tx.id, tx);
  };

  return { issue, decided, dropped: movesOnAfterDrop ? decided : () => {}, has: (id) => queued.has(id) };
}
