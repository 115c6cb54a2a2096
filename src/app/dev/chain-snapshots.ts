import type { StateDeps } from '../../api/dev/state-methods.ts';
import { type Id, idOf, idText } from '../../base/bytes/id.ts';
import type { LongWork, Pause } from '../../base/timing/long-work.ts';
import { createMutex } from '../../base/timing/mutex.ts';
import type { PendingTxs } from '../../chain/lifecycle/chain.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import { decodeTxs, encodeTxs, formatPendingTxs, noPendingTxs, parsePendingTxs } from '../../chain/lifecycle/pending-text.ts';
import { SnapshotError } from '../../ledger/snapshot/fault.ts';
import { diffStates } from '../../ledger/snapshot/snapshot-diff.ts';
import { openSnapshots, type RevertiblePart } from '../../ledger/snapshot/snapshots.ts';
import { getChainNumber } from '../../ledger/state/chain-number.ts';
import { createStatementCache } from '../../ledger/store/statement-cache.ts';
import type { RunningChain } from '../setup/avm-chain.ts';
import type { OpenedChain, RevertibleStore } from '../setup/node-store.ts';

/**
 * Snapshots of all chains of a node, and every other way to replace their state. One runs at a time. The state is replaced in one step; what
 * takes long with a full mempool, saving and restoring its transactions, is done in time slices before and after it.
 */
export type ChainSnapshots = Omit<StateDeps, 'formatAddress' | 'informReaders'> & {
  /** Goes back to the state after an earlier block of the X-Chain; clock and deposits stay as they are. Throws if it was not kept. */
  readonly revertToBlock: (height: number) => Promise<void>;
  /** The height of the oldest block to which `revertToBlock` can go back; undefined: to none. */
  readonly lowestBlock: () => number | undefined;
  /** Replaces the rows of all chains in one step; `work` runs inside the transaction. `name`: the state's name in the event. */
  readonly replaceState: (name: string, work: (reload: () => void) => void) => Promise<void>;
};

export type SnapshotChain = Pick<RunningChain, 'spec' | 'revertible' | 'lastAccepted'> &
  Pick<OpenedChain, 'initialize'> & {
    /** Indexes the blocks that the restored index does not have: the snapshot was saved while the node ran without an index. */
    readonly catchUpIndex: () => void;
  };

type ChainSnapshotDeps = {
  readonly nodeStore: Pick<RevertibleStore, 'store' | 'prepareRevert'>;
  /** The first one is the X-Chain. */
  readonly chains: readonly [SnapshotChain, ...SnapshotChain[]];
  readonly events: Pick<EventBus, 'publish' | 'subscribe'>;
  /** Parts beside the pending transactions, such as the clock. */
  readonly parts: readonly RevertiblePart[];
  readonly longWork: LongWork;
  /** Called after a reset, with all chains at block 0, to add the blocks that a fresh chain gets. */
  readonly afterReset?: () => void;
  /** How many of the last blocks can be replaced; 0: the states after blocks are not kept. */
  readonly reorgDepth?: number;
  /** Reads what other chains have put into shared memory; the returned function adds what a revert has removed of it. */
  readonly keepDeposits?: () => () => void;
};

export function openChainSnapshots(deps: ChainSnapshotDeps): ChainSnapshots {
  const { nodeStore, chains, events, parts, longWork, afterReset, reorgDepth = 0 } = deps;
  const { store, prepareRevert } = nodeStore;
  const [x] = chains;
  const tip = () => {
    const { height, time } = x.lastAccepted();
    return { height: Number(height), time: Number(time) };
  };
  /** A part that the snapshot does not have keeps its state, but every chain must continue from the restored block. */
  const dropPending = (): void => {
    for (const { revertible } of chains) revertible?.continueAfterRevert(noPendingTxs);
  };
  const continueChains = (): void => {
    for (const { catchUpIndex } of chains) catchUpIndex();
    dropPending();
  };
  /** While a revert runs: the transactions of the snapshot by ID, and what each chain gets back in its mempool afterwards. */
  let txsOfSnapshot: ReadonlyMap<Id, Uint8Array> = new Map();
  const restored = new Map<SnapshotChain, PendingTxs>();
  const createPendingPart = (chain: SnapshotChain): RevertiblePart => ({
    name: `pending ${idText(chain.spec.id)}`,
    save: () => formatPendingTxs(chain.revertible?.pending() ?? noPendingTxs),
    restore: (text) => {
      const pending = parsePendingTxs(text, (id) => txsOfSnapshot.get(id));
      restored.set(chain, pending);
      chain.revertible?.continueAfterRevert({ ...pending, mempool: [] });
    },
  });
  const snapshots = openSnapshots({ store, parts: [...chains.map(createPendingPart), ...parts], onReverted: continueChains, tip });
  const oneAtATime = createMutex();
  const { undoLog } = snapshots;
  const diffDeps = { prepare: createStatementCache(store.db), undoLog, chain: getChainNumber(store, x.spec.id) };

  /** A block is built, verified and accepted in one turn of the event loop, so one that is processing here could not be decided. */
  const checkIdle = (): void => {
    for (const { spec, revertible } of chains)
      if (revertible !== undefined && revertible.processing() > 0)
        throw new SnapshotError(`chain ${spec.aliases[0]} is processing a block; try again`, {
          code: 'SNAPSHOT_CHAIN_BUSY',
          chainID: idText(spec.id),
        });
  };
  const publish = (snapshot: string): void => {
    for (const { spec, lastAccepted } of chains) {
      const { height, id, time } = lastAccepted();
      events.publish({ kind: 'reverted', chainID: spec.id, height, blockID: id, blockTime: time, snapshot });
    }
  };
  /** Adds the bytes of all pending transactions that are not in `saved` yet to the next snapshot, in steps. */
  function* addPending(saved: Set<Id>): Generator<void> {
    for (const { revertible } of chains) {
      const { mempool, walletQueue } = revertible?.pending() ?? noPendingTxs;
      const all = [...mempool, ...walletQueue.map((bytes) => ({ id: idOf(bytes), bytes }))];
      const missing = all.filter(({ id }) => !saved.has(id));
      for (const txs of chunksOf(missing, chunkBytes, ({ bytes }) => bytes.length)) {
        snapshots.addChunk(encodeTxs(txs.map(({ bytes }) => bytes)));
        for (const { id } of txs) saved.add(id);
        yield;
      }
    }
  }
  const savePending = async (): Promise<void> => {
    const saved = new Set<Id>();
    snapshots.discardChunks();
    await inSlices(addPending(saved), longWork.begin());
    // Those that have come meanwhile: few, and in the same turn as the snapshot.
    for (const _ of addPending(saved));
  };

  const readPending = async (name: string, pause: Pause): Promise<ReadonlyMap<Id, Uint8Array>> => {
    const txs = new Map<Id, Uint8Array>();
    for (const chunk of snapshots.readChunks(name))
      for (const tx of decodeTxs(chunk)) {
        txs.set(idOf(tx), tx);
        await pause();
      }
    return txs;
  };
  /** After a revert, subscribers treat the mempool as empty, so the transactions that the snapshot restored in it are published. */
  const restorePending = async (pause: Pause): Promise<void> => {
    for (const [{ spec, revertible }, { mempool }] of restored)
      for (const txs of chunksOf(mempool, restoredChunk, () => 1)) {
        revertible?.restorePending(txs);
        for (const tx of txs) if (revertible?.mempool.get(tx.id) === tx) events.publish({ kind: 'pooled', chainID: spec.id, tx });
        await pause();
      }
  };
  /** Keeps the state after the last block, for a reorg. */
  const savePoint = (): void => {
    if (reorgDepth > 0) snapshots.points.save(reorgDepth + 1);
  };
  /** After another state was restored, the blocks that points belong to may not be those of the chain. */
  const restartPoints = (): void => {
    snapshots.points.deleteAbove(-1);
    savePoint();
  };
  restartPoints();
  if (reorgDepth > 0)
    events.subscribe('accepted', ({ chainID, stored }) => {
      // Of several blocks that were stored at once, only the state after the last one exists.
      if (chainID === x.spec.id && stored.block.id === x.lastAccepted().id) savePoint();
    });

  /** `shown`: the name in the event. */
  const revertNow = async (name: string, shown: string) => {
    checkIdle();
    snapshots.segmentOf(name);
    const pause = longWork.begin();
    try {
      txsOfSnapshot = await readPending(name, pause);
      checkIdle();
      prepareRevert();
      const point = snapshots.revert(name, shown);
      publish(shown);
      await restorePending(pause);
      return point;
    } finally {
      txsOfSnapshot = new Map();
      restored.clear();
    }
  };
  const revertToBlock = async (height: number): Promise<void> => {
    const name = snapshots.points.nameAt(height);
    if (name === undefined) throw notKept(tip().height, snapshots.points.lowest());
    const restoreDeposits = deps.keepDeposits?.();
    await revertNow(name, 'reorg');
    snapshots.points.deleteAbove(height);
    restoreDeposits?.();
  };
  const replaceNow = (name: string, work: (reload: () => void) => void): void => {
    checkIdle();
    prepareRevert();
    store.revert(work, name);
    continueChains();
    restartPoints();
    publish(name);
  };

  return {
    replaceState: (name, work) => oneAtATime(async () => replaceNow(name, work)),
    snapshot: (name) =>
      oneAtATime(async () => {
        checkIdle();
        try {
          await savePending();
          checkIdle();
          const saved = snapshots.save(name);
          events.publish(listChanged);
          return saved;
        } catch (error) {
          snapshots.discardChunks();
          throw error;
        }
      }),
    revert: (name) =>
      oneAtATime(async () => {
        const point = await revertNow(name, name);
        restartPoints();
        return point;
      }),
    revertToBlock: (height) => oneAtATime(() => revertToBlock(height)),
    lowestBlock: snapshots.points.lowest,
    listSnapshots: snapshots.list,
    deleteSnapshot: (name) =>
      oneAtATime(async () => {
        snapshots.delete(name);
        events.publish(listChanged);
      }),
    diff: (from, to) => diffStates(diffDeps, snapshots.segmentOf(from), to === undefined ? to : snapshots.segmentOf(to)),
    reset: () =>
      oneAtATime(async () => {
        replaceNow('reset', (reload) => {
          undoLog.clearTables();
          reload();
          for (const { initialize } of chains) initialize();
          for (const { resetRows } of parts) resetRows?.();
        });
        afterReset?.();
        dropPending();
        return tip();
      }),
  };
}

const notKept = (height: number, lowest: number | undefined): SnapshotError =>
  lowest === undefined
    ? new SnapshotError('this node does not keep the states that a reorg goes back to; start it with --reorg-depth 64', {
        code: 'SNAPSHOT_NO_REORG',
        max: 0,
      })
    : new SnapshotError(`only the last ${height - lowest} blocks can be replaced; the node keeps more with --reorg-depth`, {
        code: 'SNAPSHOT_NO_REORG',
        max: height - lowest,
      });

/** Bytes in one chunk of a snapshot: each is committed for itself. */
const chunkBytes = 1 << 20;

const listChanged = { kind: 'settings', changed: 'snapshots' } as const;
/** Transactions that are put back into the mempool between two looks at the clock. */
const restoredChunk = 16;

async function inSlices(steps: Generator<void>, pause: Pause): Promise<void> {
  for (const _ of steps) await pause();
}

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
