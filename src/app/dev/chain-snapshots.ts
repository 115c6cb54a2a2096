import { type LongWork, runSteps } from '../../base/timing/long-work.ts';
import { createMutex } from '../../base/timing/slots.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import { SnapshotError } from '../../ledger/snapshot/fault.ts';
import { diffStates } from '../../ledger/snapshot/snapshot-diff.ts';
import { openSnapshots, type RevertiblePart, type Snapshots } from '../../ledger/snapshot/snapshots.ts';
import { getChainNumber } from '../../ledger/state/chain-number.ts';
import { createStatementCache } from '../../ledger/store/statement-cache.ts';
import type { RevertibleStore } from '../node/node-store.ts';
import { createSavedPending, type SavedPending } from './saved-pending.ts';
import { checkIdle, continueChains, createStateReplacement, type SnapshotChain } from './state-replacement.ts';

/** Used by the `dev.*` methods, by the state file, and by a follower of a developer's chain, which goes back with it. */
export type ChainSnapshots = ReturnType<typeof openChainSnapshots>;

/**
 * Snapshots of all chains of a node, and every other way to replace their state. One runs at a time. The state is replaced in one step; what
 * takes long with a full mempool, saving and restoring its transactions, is done in time slices before and after it.
 */
export function openChainSnapshots({
  nodeStore,
  chains,
  events,
  parts,
  longWork,
  afterReset,
  reorgDepth = 0,
  keepDeposits,
}: {
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
}) {
  const { store } = nodeStore;
  const [x] = chains;
  const tip = () => tipOf(x);
  const pending = createSavedPending(chains, events);
  const snapshots = openSnapshots({ store, parts: [...pending.parts, ...parts], tip });
  const { restore, replace } = createStateReplacement({ nodeStore, chains, snapshots, pending, events, longWork });
  const diffDeps = {
    prepare: createStatementCache(store.db),
    undoLog: snapshots.undoLog,
    chain: getChainNumber(store, x.spec.id),
    segmentsFrom: snapshots.segmentsFrom,
  };
  const blockStates = keepBlockStates(snapshots.points, x, events, reorgDepth);
  const oneAtATime = createMutex();

  return {
    snapshot: (name: string | undefined) =>
      oneAtATime(async () => {
        const saved = await saveSnapshot(name, { chains, snapshots, pending, longWork });
        events.publish(listChanged);
        return saved;
      }),
    revert: (name: string) =>
      oneAtATime(async () => {
        const point = await restore(name, name);
        blockStates.restart();
        return point;
      }),
    /**
     * Goes back to the state after an earlier block of the X-Chain; clock, deposits and its wallet queue stay as they are. Throws if it was not kept.
     * `beforeRevert` is called in the turn of the event loop that reverts, when nothing can change any more; if it throws, nothing is reverted.
     */
    revertToBlock: (height: number, beforeRevert = (): void => {}): Promise<void> =>
      oneAtATime(async () => {
        await restore(blockStates.nameAt(height), 'reorg', () => {
          beforeRevert();
          const restoreDeposits = keepDeposits?.();
          const addRows = (): void => {
            snapshots.points.deleteAbove(height);
            restoreDeposits?.();
          };
          // The caller puts the mempool of the X-Chain back, with the first transaction of its wallet queue.
          return { walletQueue: x.revertible?.pending().walletQueue ?? [], addRows };
        });
      }),
    /** The height of the oldest block to which `revertToBlock` can go back; undefined: to none. */
    lowestBlock: snapshots.points.lowest,
    /** Goes back to the state of a fresh chain. */
    reset: () =>
      oneAtATime(async () => {
        replace('reset', (reload) => {
          snapshots.undoLog.clearTables();
          reload();
          for (const { initialize } of chains) initialize();
          for (const { resetRows } of parts) resetRows?.();
        });
        blockStates.restart();
        afterReset?.();
        // Again, from the blocks that were just added.
        continueChains(chains);
        return tip();
      }),
    /** Replaces the rows of all chains by those that `work` writes. */
    replaceState: (name: string, work: (reload: () => void) => void): Promise<void> =>
      oneAtATime(async () => {
        replace(name, work);
        blockStates.restart();
      }),
    listSnapshots: snapshots.list,
    deleteSnapshot: (name: string) =>
      oneAtATime(async () => {
        snapshots.delete(name);
        events.publish(listChanged);
      }),
    /** Compares two snapshots of the X-Chain, or one with the state when the comparison begins, in time slices. */
    diff: (from: string, to: string | undefined) =>
      oneAtATime(async () => {
        const [first, second] = [snapshots.segmentOf(from), to === undefined ? to : snapshots.segmentOf(to)];
        let held: ReturnType<Snapshots['holdSegments']> | undefined;
        const pause = longWork.begin();
        const holdAndPause = (): Promise<void> | undefined => {
          const due = pause();
          if (due !== undefined) held ??= snapshots.holdSegments();
          return due;
        };
        try {
          return await runSteps(diffStates({ ...diffDeps, liveSegment: () => held?.segment }, first, second), holdAndPause);
        } finally {
          held?.release();
        }
      }),
  };
}

/** Saves the pending transactions in time slices, and then the state in one step. */
async function saveSnapshot(
  name: string | undefined,
  {
    chains,
    snapshots,
    pending,
    longWork,
  }: {
    readonly chains: readonly SnapshotChain[];
    readonly snapshots: Snapshots;
    readonly pending: SavedPending;
    readonly longWork: LongWork;
  },
) {
  checkIdle(chains);
  try {
    await pending.save(snapshots, longWork);
    // A block may have begun meanwhile. From here on nothing is awaited.
    checkIdle(chains);
    return snapshots.save(name);
  } catch (error) {
    snapshots.discardChunks();
    throw error;
  }
}

function tipOf({ lastAccepted }: SnapshotChain) {
  const { height, time } = lastAccepted();
  return { height: Number(height), time: Number(time) };
}

/** Keeps the states after the last `depth` blocks of the X-Chain, for a reorg. */
function keepBlockStates(points: Snapshots['points'], x: SnapshotChain, events: Pick<EventBus, 'subscribe'>, depth: number) {
  const save = (): void => {
    if (depth > 0) points.save(depth + 1);
  };
  /** After another state was restored, the kept states may belong to blocks that the chain does not have. */
  const restart = (): void => {
    points.deleteAbove(-1);
    save();
  };
  restart();
  if (depth > 0)
    events.subscribe('accepted', ({ chainID, stored }) => {
      // Of several blocks that were stored at once, only the state after the last one exists.
      if (chainID === x.spec.id && stored.block.id === x.lastAccepted().id) save();
    });
  /** The name of the state after a block, for `restore`; throws if it was not kept. */
  const nameAt = (height: number): string => {
    const name = points.nameAt(height);
    if (name === undefined) throw notKept(tipOf(x).height, points.lowest());
    return name;
  };
  return { restart, nameAt };
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

const listChanged = { kind: 'settings', changed: 'snapshots' } as const;
