import type { StateDeps } from '../../api/dev/state-methods.ts';
import { idText } from '../../base/bytes/id.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import { createMutex } from '../../base/timing/mutex.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import { noPendingTxs } from '../../chain/lifecycle/pending-text.ts';
import { SnapshotError } from '../../ledger/snapshot/fault.ts';
import { diffStates } from '../../ledger/snapshot/snapshot-diff.ts';
import { openSnapshots, type RevertiblePart, type Snapshots } from '../../ledger/snapshot/snapshots.ts';
import { getChainNumber } from '../../ledger/state/chain-number.ts';
import { createStatementCache } from '../../ledger/store/statement-cache.ts';
import type { RunningChain } from '../node/avm-chain.ts';
import type { OpenedChain, RevertibleStore } from '../node/node-store.ts';
import { createSavedPending } from './saved-pending.ts';

/**
 * Snapshots of all chains of a node, and every other way to replace their state. One runs at a time. The state is replaced in one step; what
 * takes long with a full mempool, saving and restoring its transactions, is done in time slices before and after it.
 */
export type ChainSnapshots = Omit<StateDeps, 'formatAddress' | 'informReaders'> & {
  /**
   * Goes back to the state after an earlier block of the X-Chain; clock, deposits and its wallet queue stay as they are. Throws if it was not kept.
   * `beforeRevert` is called in the same turn of the event loop, when nothing can change any more; if it throws, nothing is reverted.
   */
  readonly revertToBlock: (height: number, beforeRevert?: () => void) => Promise<void>;
  /** The height of the oldest block to which `revertToBlock` can go back; undefined: to none. */
  readonly lowestBlock: () => number | undefined;
  /**
   * Replaces the rows of all chains in one step; `work` runs inside the transaction. It calls `reload` to have the chains read and index what it has
   * written so far: if they cannot, nothing is replaced. `name`: the state's name in the event.
   */
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
  const { nodeStore, chains, events, parts, longWork, afterReset } = deps;
  const { store, prepareRevert } = nodeStore;
  const [x] = chains;
  const tip = () => tipOf(x);
  /** During a reorg: the wallet queue of the X-Chain, which stays. */
  let keptQueue = noPendingTxs.walletQueue;
  /** A part that the snapshot does not have keeps its state, but every chain must continue from the restored block. */
  const dropPending = (): void => {
    for (const chain of chains)
      chain.revertible?.continueAfterRevert(chain === x ? { ...noPendingTxs, walletQueue: keptQueue } : noPendingTxs);
  };
  const catchUpIndexes = (): void => {
    for (const { catchUpIndex } of chains) catchUpIndex();
  };
  const continueChains = (): void => {
    catchUpIndexes();
    dropPending();
  };
  const pending = createSavedPending(chains, events);
  const snapshots = openSnapshots({ store, parts: [...pending.parts, ...parts], onReverted: continueChains, tip });
  const oneAtATime = createMutex();
  const { undoLog } = snapshots;
  const diffDeps = { prepare: createStatementCache(store.db), undoLog, chain: getChainNumber(store, x.spec.id) };
  const points = keepPoints(snapshots.points, deps);

  /** `shown`: the name in the event. */
  const revertNow = async (name: string, shown: string, addRows?: () => () => void) => {
    checkIdle(chains);
    snapshots.segmentOf(name);
    const pause = longWork.begin();
    try {
      await pending.read(snapshots.readChunks(name), pause);
      checkIdle(chains);
      const rows = addRows?.();
      prepareRevert();
      const point = snapshots.revert(name, shown, rows);
      publish(deps, shown);
      await pending.restore(pause);
      return point;
    } finally {
      pending.forget();
    }
  };
  const revertToBlock = async (height: number, beforeRevert = () => {}): Promise<void> => {
    const name = snapshots.points.nameAt(height);
    if (name === undefined) throw notKept(tip().height, snapshots.points.lowest());
    try {
      await revertNow(name, 'reorg', () => {
        beforeRevert();
        // The caller puts the mempool of the X-Chain back, with the first transaction of its queue.
        keptQueue = x.revertible?.pending().walletQueue ?? keptQueue;
        const restoreDeposits = deps.keepDeposits?.();
        return () => {
          snapshots.points.deleteAbove(height);
          restoreDeposits?.();
        };
      });
    } finally {
      keptQueue = noPendingTxs.walletQueue;
    }
  };
  const replaceNow = (name: string, work: (reload: () => void) => void): void => {
    checkIdle(chains);
    prepareRevert();
    store.revert(
      (reload) =>
        work(() => {
          reload();
          catchUpIndexes();
        }),
      name,
    );
    dropPending();
    points.restart();
    publish(deps, name);
  };

  return {
    replaceState: (name, work) => oneAtATime(async () => replaceNow(name, work)),
    snapshot: (name) =>
      oneAtATime(async () => {
        checkIdle(chains);
        try {
          await pending.save(snapshots, longWork);
          checkIdle(chains);
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
        points.restart();
        return point;
      }),
    revertToBlock: (height, beforeRevert) => oneAtATime(() => revertToBlock(height, beforeRevert)),
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

function tipOf({ lastAccepted }: SnapshotChain) {
  const { height, time } = lastAccepted();
  return { height: Number(height), time: Number(time) };
}

/** Keeps the states after the last blocks, for a reorg. */
function keepPoints(points: Snapshots['points'], { events, chains: [x], reorgDepth = 0 }: ChainSnapshotDeps) {
  const save = (): void => {
    if (reorgDepth > 0) points.save(reorgDepth + 1);
  };
  /** After another state was restored, the blocks that points belong to may not be those of the chain. */
  const restart = (): void => {
    points.deleteAbove(-1);
    save();
  };
  restart();
  if (reorgDepth > 0)
    events.subscribe('accepted', ({ chainID, stored }) => {
      // Of several blocks that were stored at once, only the state after the last one exists.
      if (chainID === x.spec.id && stored.block.id === x.lastAccepted().id) save();
    });
  return { restart };
}

/** A block is built, verified and accepted in one turn of the event loop, so one that is processing here could not be decided. */
function checkIdle(chains: readonly SnapshotChain[]): void {
  for (const { spec, revertible } of chains)
    if (revertible !== undefined && revertible.processing() > 0)
      throw new SnapshotError(`chain ${spec.aliases[0]} is processing a block; try again`, {
        code: 'SNAPSHOT_CHAIN_BUSY',
        chainID: idText(spec.id),
      });
}

function publish({ chains, events }: ChainSnapshotDeps, snapshot: string): void {
  for (const { spec, lastAccepted } of chains) {
    const { height, id, time } = lastAccepted();
    events.publish({ kind: 'reverted', chainID: spec.id, height, blockID: id, blockTime: time, snapshot });
  }
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
