import { parseTx } from '../../avm/tx/tx.ts';
import { type Id, idOf, idText } from '../../base/bytes/id.ts';
import type { LongWork, Pause } from '../../base/timing/long-work.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import { decodeTxs, encodeTxs, formatPendingTxs, noPendingTxs, parsePendingTxs } from '../../chain/lifecycle/pending-text.ts';
import type { RevertiblePart, Snapshots } from '../../ledger/snapshot/snapshots.ts';
import type { RunningChain } from '../node/running-chain.ts';

type PendingChain = Pick<RunningChain, 'spec' | 'revertible'>;

export type SavedPending = ReturnType<typeof createSavedPending>;

/** The pending transactions of all chains in snapshots: their bytes in chunks, and in a part of each chain their IDs in order. */
export function createSavedPending(chains: readonly PendingChain[], events: Pick<EventBus, 'publish'>) {
  /** While a revert runs: the transactions of the snapshot by ID, and what each chain gets back in its mempool afterwards. */
  const txsOfSnapshot = new Map<Id, Uint8Array>();
  const restored = new Map<PendingChain, readonly Uint8Array[]>();
  const createPart = (chain: PendingChain): RevertiblePart => ({
    name: `pending ${idText(chain.spec.id)}`,
    save: () => formatPendingTxs(chain.revertible?.pending() ?? noPendingTxs),
    restore: (text) => {
      const { mempool, walletQueue } = parsePendingTxs(text, (id) => txsOfSnapshot.get(id));
      restored.set(chain, mempool);
      chain.revertible?.continueAfterRevert({ mempool: [], walletQueue });
    },
  });
  /** Adds the bytes of all pending transactions that are not in `saved` yet to the next snapshot, in steps. */
  function* addPending({ addChunk }: Pick<Snapshots, 'addChunk'>, saved: Set<Id>): Generator<void> {
    for (const { revertible } of chains) {
      const { mempool, walletQueue } = revertible?.pending() ?? noPendingTxs;
      const all = [...mempool, ...walletQueue.map((bytes) => ({ id: idOf(bytes), bytes }))];
      const missing = all.filter(({ id }) => !saved.has(id));
      for (const txs of chunksOf(missing, chunkBytes, ({ bytes }) => bytes.length)) {
        addChunk(encodeTxs(txs.map(({ bytes }) => bytes)));
        for (const { id } of txs) saved.add(id);
        yield;
      }
    }
  }

  return {
    parts: chains.map(createPart),
    save: async (snapshots: Pick<Snapshots, 'addChunk' | 'discardChunks'>, longWork: LongWork): Promise<void> => {
      const saved = new Set<Id>();
      snapshots.discardChunks();
      const pause = longWork.begin();
      for (const _ of addPending(snapshots, saved)) await pause();
      // Those that have come meanwhile: few, and in the same turn as the snapshot.
      for (const _ of addPending(snapshots, saved));
    },
    /** Reads the transactions of a snapshot, before its parts are restored. */
    read: async (chunks: Iterable<Uint8Array>, pause: Pause): Promise<void> => {
      for (const chunk of chunks)
        for (const tx of decodeTxs(chunk)) {
          txsOfSnapshot.set(idOf(tx), tx);
          await pause();
        }
    },
    /** After a revert, subscribers treat the mempool as empty, so the transactions that the snapshot restored in it are published. */
    restore: async (pause: Pause): Promise<void> => {
      for (const [{ spec, revertible }, mempool] of restored)
        for (const chunk of chunksOf(mempool, restoredChunk, () => 1)) {
          const txs = chunk.map((bytes) => parseTx(bytes));
          revertible?.restorePending(txs);
          for (const tx of txs) if (revertible?.mempool.get(tx.id) === tx) events.publish({ kind: 'pooled', chainID: spec.id, tx });
          await pause();
        }
    },
    forget: (): void => {
      txsOfSnapshot.clear();
      restored.clear();
    },
  };
}

/** Bytes in one chunk of a snapshot: each is committed for itself. */
const chunkBytes = 1 << 20;

/** Transactions that are put back into the mempool between two looks at the clock. */
const restoredChunk = 16;

/** Splits a list into parts whose items together have at least a size. */
function* chunksOf<T>(items: readonly T[], size: number, sizeOf: (item: T) => number): Generator<readonly T[]> {
  let [start, sum] = [0, 0];
  for (const [i, item] of items.entries()) {
    sum += sizeOf(item);
    if (sum < size) continue;
    yield items.slice(start, i + 1);
    [start, sum] = [i + 1, 0];
  }
  if (start < items.length) yield items.slice(start);
}
