import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { ChainError, isDuplicate } from './fault.ts';

/** Limit of the queue. AvalancheGo has none, so there a blocked queue grows without bound. */
const maxQueued = 65_536;

/**
 * A queue of transactions that depend on each other: the next goes to the mempool when the one before it is decided. Transactions are not
 * verified when they are queued. AvalancheGo: vms/avm/wallet_service.go.
 */
export type WalletQueue = {
  readonly issue: (tx: Tx) => void;
  readonly onDecided: (id: Id) => void;
  /** Called when the mempool dropped a transaction. AvalancheGo's queue is then blocked; this one may skip it (see src/api/differences.ts). */
  readonly onDropped: (id: Id) => void;
  readonly has: (id: Id) => boolean;
  /** All transactions; the first one is in the mempool. */
  readonly list: () => Tx[];
  /** Replaces all transactions without adding one to the mempool. */
  readonly replace: (txs: readonly Tx[]) => void;
};

/**
 * Creates a wallet queue. `prepare` is called before a queued transaction goes to the mempool; if it returns a promise, the transaction goes
 * there when the promise is settled.
 */
export function createWalletQueue(
  add: (tx: Tx) => void,
  skipFailedTx: boolean,
  prepare: (tx: Tx) => Promise<void> | undefined = () => undefined,
): WalletQueue {
  const queued = new Map<Id, Tx>();

  const onDecided = (id: Id): void => {
    if (!queued.delete(id)) return;
    for (const [next, tx] of queued) {
      const prepared = prepare(tx);
      if (prepared !== undefined) {
        // It is added even if the preparation failed: the rules verify it in any case. It is no longer queued if it was decided meanwhile.
        const addPrepared = () => {
          if (queued.has(next) && !tryAdd(tx)) onDecided(next);
        };
        prepared.then(addPrepared, addPrepared);
        return;
      }
      if (tryAdd(tx)) return;
      queued.delete(next);
    }
  };

  /** Adds a transaction to the mempool. Returns false if the mempool rejects it, except as a duplicate. */
  const tryAdd = (tx: Tx): boolean => {
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

  return {
    issue,
    onDecided,
    onDropped: skipFailedTx ? onDecided : () => {},
    has: (id) => queued.has(id),
    list: () => [...queued.values()],
    replace: (txs) => {
      queued.clear();
      for (const tx of txs) queued.set(tx.id, tx);
    },
  };
}
