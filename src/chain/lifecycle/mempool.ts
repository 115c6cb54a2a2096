import { consumedIds } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { ChainError } from './fault.ts';
import { createDropReasons, type DropReasons } from './refusals.ts';

/** AvalancheGo: vms/txs/mempool/mempool.go. */
const maxTxSize = 64 * 1024;
export const maxMempoolSize = 64 * 1024 * 1024;

/** A transaction that was removed because a transaction of a block spends the same output. */
export type Conflict = { readonly tx: Tx; readonly utxoID: Id; readonly spentBy: Id };

/** Transactions waiting for a block, oldest first. No two of them spend the same output. */
export type Mempool = {
  readonly get: (id: Id) => Tx | undefined;
  /** Throws a fault if the transaction is a duplicate, too large, exceeds the free space, or conflicts with another one. */
  readonly add: (tx: Tx) => void;
  /** Throws the fault that `add` would throw for its size or for a conflict. */
  readonly checkAddable: (tx: Tx) => void;
  /** Adds a transaction again after its block failed. Its size was checked before, so only a conflict or a duplicate throws. */
  readonly putBack: (tx: Tx) => void;
  /** Removes the transactions of a block. If one is not in the mempool, the transactions it conflicts with are removed and returned. */
  readonly remove: (txs: readonly Tx[]) => readonly Conflict[];
  /** The waiting transaction that consumes an output. */
  readonly consumerOf: (utxoID: Id) => Id | undefined;
  /** All transactions, oldest first. Those that were passed may be removed meanwhile. */
  readonly all: () => IterableIterator<Tx>;
  /** Removes all transactions and drop reasons. */
  readonly clear: () => void;
  readonly size: () => { readonly txs: number; readonly bytes: number };
  readonly drops: DropReasons;
};

export function createMempool(): Mempool {
  const waiting = new Map<Id, MempoolEntry>();
  const consumers = new Map<Id, Id>();
  const drops = createDropReasons((id) => waiting.has(id));
  let bytes = 0;

  const removeEntry = ({ tx, consumed }: MempoolEntry): void => {
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

  const checkConflict = (tx: Tx, consumed: readonly Id[]): void => {
    const utxoID = consumed.find((id) => consumers.has(id));
    if (utxoID !== undefined) throw conflictError({ tx, utxoID, spentBy: consumers.get(utxoID) as Id });
  };

  const insert = (tx: Tx): void => {
    const consumed = consumedIds(tx);
    checkConflict(tx, consumed);
    waiting.set(tx.id, { tx, consumed });
    bytes += tx.bytes.length;
    for (const id of consumed) consumers.set(id, tx.id);
    drops.forget(tx.id);
  };

  const remove = (txs: readonly Tx[]): readonly Conflict[] => {
    let conflicts: Conflict[] | undefined;
    for (const tx of txs) {
      const own = waiting.get(tx.id);
      if (own !== undefined) {
        removeEntry(own);
        continue;
      }
      for (const id of consumedIds(tx)) {
        const consumer = consumers.get(id);
        const conflicting = consumer === undefined ? undefined : waiting.get(consumer);
        if (conflicting === undefined) continue;
        removeEntry(conflicting);
        conflicts ??= [];
        conflicts.push({ tx: conflicting.tx, utxoID: id, spentBy: tx.id });
      }
    }
    return conflicts ?? noConflicts;
  };

  return {
    get: (id) => waiting.get(id)?.tx,
    add: (tx) => {
      checkNew(tx);
      checkSize(tx);
      insert(tx);
    },
    checkAddable: (tx) => {
      checkSize(tx);
      checkConflict(tx, consumedIds(tx));
    },
    putBack: (tx) => {
      checkNew(tx);
      insert(tx);
    },
    remove,
    consumerOf: (utxoID) => consumers.get(utxoID),
    all: function* () {
      for (const { tx } of waiting.values()) yield tx;
    },
    clear: () => {
      for (const state of [waiting, consumers, drops]) state.clear();
      bytes = 0;
    },
    size: () => ({ txs: waiting.size, bytes }),
    drops,
  };
}

export const conflictError = ({ tx, utxoID, spentBy }: Conflict): ChainError => {
  const txID = idText(tx.id);
  return new ChainError(`tx conflicts with other tx: ${txID}`, {
    code: 'MEMPOOL_CONFLICT',
    txID,
    utxoID: idText(utxoID),
    spentBy: idText(spentBy),
  });
};

const noConflicts: readonly Conflict[] = [];

/** `consumed` is stored because computing output IDs takes a hash each. */
type MempoolEntry = { readonly tx: Tx; readonly consumed: readonly Id[] };
