import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import { type Id, idOf, idText } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { ChainError, isDuplicate } from './fault.ts';
import { maxMempoolSize } from './mempool.ts';

/** Most transactions in the queue. AvalancheGo has no limit, so there a blocked queue grows without bound. */
const maxQueued = 65_536;

/**
 * A queue of transactions that depend on each other: the next goes to the mempool when the one before it is decided. Transactions are not
 * verified when they are queued, so the queue keeps only their bytes: a decoded transaction needs about six times the memory. Queue and mempool
 * together hold `maxMempoolSize` bytes; transactions that are valid now go before queued ones, so the queue never takes space from the mempool.
 * AvalancheGo: vms/avm/wallet_service.go.
 */
export function createWalletQueue({
  add,
  skipFailedTx,
  fetchAndRecover,
  mempoolBytes,
}: {
  /** Adds a transaction to the mempool. */
  readonly add: (tx: Tx) => void;
  /** See `skipFailedWalletTx` in api/differences.ts. */
  readonly skipFailedTx: boolean;
  /** Called before a queued transaction goes to the mempool; if it returns a promise, the transaction goes there when that is settled. */
  readonly fetchAndRecover?: (tx: Tx) => Promise<void> | undefined;
  /** Bytes of the transactions in the mempool. */
  readonly mempoolBytes: () => number;
}) {
  const queued = new Map<Id, Uint8Array>();
  let queuedBytes = 0;

  const put = (id: Id, bytes: Uint8Array): void => {
    queued.set(id, bytes);
    queuedBytes += bytes.length;
  };

  const remove = (id: Id): boolean => {
    queuedBytes -= queued.get(id)?.length ?? 0;
    return queued.delete(id);
  };

  const onDecided = (id: Id): void => {
    if (!remove(id)) return;
    for (const [next, bytes] of queued) {
      const tx = parseTx(bytes);
      const ready = fetchAndRecover?.(tx);
      if (ready !== undefined) {
        // It is added even if that failed: the rules verify it in any case. It is no longer queued if it was decided meanwhile.
        const addReady = () => {
          if (queued.has(next) && !tryAdd(tx)) onDecided(next);
        };
        ready.then(addReady, addReady);
        return;
      }
      if (tryAdd(tx)) return;
      remove(next);
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
    checkSpace(tx);
    if (queued.size === 0) {
      try {
        add(tx);
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    }
    // A copy, because the bytes may be a part of a larger request.
    put(tx.id, new Uint8Array(tx.bytes));
  };

  const checkSpace = ({ id, bytes: { length: size } }: Tx): void => {
    const available = Math.max(0, maxMempoolSize - mempoolBytes() - queuedBytes);
    if (queued.size < maxQueued && size <= available) return;
    const txID = idText(id);
    throw new ChainError(
      queued.size < maxQueued
        ? `wallet queue is full: ${txID} size (${size}) > space that queue and mempool leave (${available})`
        : `wallet queue is full: ${maxQueued} transactions are waiting for the one before them`,
      { code: 'WALLET_QUEUE_FULL', txID, txs: queued.size, maxTxs: maxQueued, size, available },
    );
  };

  return {
    issue,
    onDecided,
    /** To be called when the mempool has dropped a transaction. AvalancheGo's queue is then blocked; this one may skip it (see src/api/differences.ts). */
    onDropped: skipFailedTx ? onDecided : () => {},
    has: (id: Id): boolean => queued.has(id),
    /** The bytes of all transactions; the first one is in the mempool, unless it waits for its inputs or signers. */
    list: (): readonly Uint8Array[] => [...queued.values()],
    /** Replaces all transactions without adding one to the mempool. */
    replace: (txs: readonly Uint8Array[]): void => {
      queued.clear();
      queuedBytes = 0;
      for (const bytes of txs) put(idOf(bytes), bytes);
    },
  };
}
