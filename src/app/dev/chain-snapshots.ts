import type { StateDeps } from '../../api/dev/state-methods.ts';
import { idText } from '../../base/bytes/id.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import { formatPendingTxs, noPendingTxs, parsePendingTxs } from '../../chain/lifecycle/pending-text.ts';
import { SnapshotError } from '../../ledger/snapshot/fault.ts';
import { diffStates } from '../../ledger/snapshot/snapshot-diff.ts';
import { openSnapshots, type RevertiblePart } from '../../ledger/snapshot/snapshots.ts';
import { getChainNumber } from '../../ledger/state/chain-number.ts';
import { createStatementCache } from '../../ledger/store/statement-cache.ts';
import type { RunningChain } from '../setup/avm-chain.ts';
import type { NodeStore, OpenedChain } from '../setup/node-store.ts';

/** Snapshots of all chains of a node, and every other way to replace their state. */
export type ChainSnapshots = Omit<StateDeps, 'formatAddress' | 'informReaders'> & {
  /** Replaces the rows of all chains in one step; `work` runs inside the transaction. `name`: the state's name in the event. */
  readonly replaceState: (name: string, work: (reload: () => void) => void) => void;
};

export type SnapshotChain = Pick<RunningChain, 'spec' | 'revertible' | 'lastAccepted'> &
  Pick<OpenedChain, 'initialize'> & {
    /** Indexes the blocks that the restored index does not have: the snapshot was saved while the node ran without an index. */
    readonly catchUpIndex: () => void;
  };

export type ChainSnapshotDeps = {
  readonly nodeStore: Pick<NodeStore, 'store' | 'prepareRevert'>;
  /** The first one is the X-Chain. */
  readonly chains: readonly [SnapshotChain, ...SnapshotChain[]];
  readonly events: Pick<EventBus, 'publish'>;
  /** Parts beside the pending transactions, such as the clock. */
  readonly parts: readonly RevertiblePart[];
  /** Called after a reset, with all chains at block 0, to add the blocks that a fresh chain gets. */
  readonly afterReset?: () => void;
};

export function openChainSnapshots({ nodeStore, chains, events, parts, afterReset }: ChainSnapshotDeps): ChainSnapshots {
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
  const snapshots = openSnapshots({ store, parts: [...chains.map(createPendingPart), ...parts], onReverted: continueChains, tip });
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
  /** After a revert, subscribers treat the mempool as empty, so the transactions that the snapshot restored in it are published. */
  const publishPending = (): void => {
    for (const { spec, revertible } of chains)
      for (const tx of revertible?.pending().mempool ?? []) events.publish({ kind: 'pooled', chainID: spec.id, tx });
  };
  const replaceState: ChainSnapshots['replaceState'] = (name, work) => {
    checkIdle();
    prepareRevert();
    store.revert(work, name);
    continueChains();
    publish(name);
  };

  return {
    replaceState,
    snapshot: (name) => {
      checkIdle();
      return snapshots.save(name);
    },
    revert: (name) => {
      checkIdle();
      snapshots.segmentOf(name);
      prepareRevert();
      const restored = snapshots.revert(name);
      publish(name);
      publishPending();
      return restored;
    },
    listSnapshots: snapshots.list,
    deleteSnapshot: snapshots.delete,
    diff: (from, to) => diffStates(diffDeps, snapshots.segmentOf(from), to === undefined ? to : snapshots.segmentOf(to)),
    reset: () => {
      replaceState('reset', (reload) => {
        for (const { name } of undoLog.tables) store.db.exec(`DELETE FROM ${name}`);
        reload();
        for (const { initialize } of chains) initialize();
        for (const { resetRows } of parts) resetRows?.();
      });
      afterReset?.();
      dropPending();
      return tip();
    },
  };
}

const createPendingPart = ({ spec, revertible }: SnapshotChain): RevertiblePart => ({
  name: `pending ${idText(spec.id)}`,
  save: () => formatPendingTxs(revertible?.pending() ?? noPendingTxs),
  restore: (text) => revertible?.continueAfterRevert(parsePendingTxs(text)),
});
