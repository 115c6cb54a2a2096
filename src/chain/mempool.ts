import { type Id, idText } from '../bytes/id.ts';
import type { AnyFault } from '../fault.ts';
import { consumedBy } from '../tx/effects.ts';
import type { Tx } from '../tx/tx.ts';
import { ChainError } from './fault.ts';

/** Peer: vms/txs/mempool/mempool.go. */
export const maxTxSize = 64 * 1024;
export const maxMempoolSize = 64 * 1024 * 1024;
const rememberedDrops = 64;

/** Transactions waiting for a block, oldest first, no two of which consume the same output. */
export type Mempool = {
  readonly get: (id: Id) => Tx | undefined;
  /** Throws a fault if the transaction is known, too large, over the space left, or in conflict with a waiting one. */
  readonly add: (tx: Tx) => void;
  /** Adds a transaction that a failed block had taken: within the limits when it was first added, so only a conflict or a duplicate throws. */
  readonly putBack: (tx: Tx) => void;
  /** Removes transactions that a block took; for one that never waited here, everything it conflicts with goes. */
  readonly remove: (txs: readonly Tx[]) => void;
  readonly oldest: () => Tx | undefined;
  readonly size: () => { readonly txs: number; readonly bytes: number };
  readonly markDropped: (id: Id, reason: AnyFault) => void;
  readonly dropReason: (id: Id) => AnyFault | undefined;
};

export function createMempool(): Mempool {
  const waiting = new Map<Id, Waiting>();
  const consumers = new Map<Id, Id>();
  const dropped = new Map<Id, AnyFault>();
  let bytes = 0;

  const forget = ({ tx, consumed }: Waiting): void => {
    waiting.delete(tx.id);
    bytes -= tx.bytes.length;
    for (const id of consumed) consumers.delete(id);
  };

  const checkNew = (tx: Tx): void => {
    if (!waiting.has(tx.id)) return;
    const txID = idText(tx.id);
    throw new ChainError(`duplicate tx: ${txID}`, { code: 'MEMPOOL_DUPLICATE', txID });
  };

  const checkSize = (tx: Tx): void => {
    const size = tx.bytes.length;
    const available = maxMempoolSize - bytes;
    if (size <= maxTxSize && size <= available) return;
    const txID = idText(tx.id);
    if (size > maxTxSize)
      throw new ChainError(`tx too large: ${txID} size (${size}) > max size (${maxTxSize})`, {
        code: 'MEMPOOL_TX_TOO_LARGE',
        txID,
        size,
        max: maxTxSize,
      });
    throw new ChainError(`mempool is full: ${txID} size (${size}) > available space (${available})`, {
      code: 'MEMPOOL_FULL',
      txID,
      size,
      available,
    });
  };

  const insert = (tx: Tx): void => {
    const consumed = consumedBy(tx);
    const contested = consumed.find((id) => consumers.has(id));
    if (contested !== undefined) {
      const txID = idText(tx.id);
      throw new ChainError(`tx conflicts with other tx: ${txID}`, {
        code: 'MEMPOOL_CONFLICT',
        txID,
        utxoID: idText(contested),
        spentBy: idText(consumers.get(contested) as Id),
      });
    }
    waiting.set(tx.id, { tx, consumed });
    bytes += tx.bytes.length;
    for (const id of consumed) consumers.set(id, tx.id);
    dropped.delete(tx.id);
  };

  const remove = (txs: readonly Tx[]): void => {
    for (const tx of txs) {
      const own = waiting.get(tx.id);
      if (own !== undefined) {
        forget(own);
        continue;
      }
      for (const id of consumedBy(tx)) {
        const rival = waiting.get(consumers.get(id) ?? tx.id);
        if (rival !== undefined) forget(rival);
      }
    }
  };

  return {
    get: (id) => waiting.get(id)?.tx,
    add: (tx) => {
      checkNew(tx);
      checkSize(tx);
      insert(tx);
    },
    putBack: (tx) => {
      checkNew(tx);
      insert(tx);
    },
    remove,
    oldest: () => waiting.values().next().value?.tx,
    size: () => ({ txs: waiting.size, bytes }),
    markDropped: (id, reason) => {
      // A full pool says nothing about the transaction, and a waiting one is not dropped.
      if (isFull(reason) || waiting.has(id)) return;
      dropped.delete(id);
      if (dropped.size >= rememberedDrops) dropped.delete(dropped.keys().next().value as Id);
      dropped.set(id, reason);
    },
    dropReason: (id) => {
      const reason = dropped.get(id);
      // The peer's cache is least-recently-used: asking keeps a reason alive.
      if (reason !== undefined) {
        dropped.delete(id);
        dropped.set(id, reason);
      }
      return reason;
    },
  };
}

/** Each id is a hash; it is made once. */
type Waiting = { readonly tx: Tx; readonly consumed: readonly Id[] };

const isFull = (reason: AnyFault): boolean => reason instanceof ChainError && reason.fault.code === 'MEMPOOL_FULL';
