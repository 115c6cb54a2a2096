import { idText } from '../../base/bytes/id.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { EventBus } from '../../chain/lifecycle/events.ts';
import { noPendingTxs } from '../../chain/lifecycle/pending-text.ts';
import { SnapshotError } from '../../ledger/snapshot/fault.ts';
import type { Snapshots } from '../../ledger/snapshot/snapshots.ts';
import type { OpenedChain, RevertibleStore } from '../node/node-store.ts';
import type { RunningChain } from '../node/running-chain.ts';
import type { SavedPending } from './saved-pending.ts';

export type SnapshotChain = Pick<RunningChain, 'spec' | 'revertible' | 'lastAccepted'> &
  Pick<OpenedChain, 'initialize'> & {
    /** Indexes the blocks that the restored index does not have: the snapshot was saved while the node ran without an index. */
    readonly catchUpIndex: () => void;
  };

/**
 * The two ways in which the state of all chains is replaced while they run: by a state that the database has kept, and by rows that a caller writes.
 * Used by chain-snapshots.ts, which lets one run at a time.
 */
export function createStateReplacement({
  nodeStore: { store, prepareRevert },
  chains,
  snapshots,
  pending,
  events,
  longWork,
}: {
  readonly nodeStore: Pick<RevertibleStore, 'store' | 'prepareRevert'>;
  /** The first one is the X-Chain. */
  readonly chains: readonly [SnapshotChain, ...SnapshotChain[]];
  readonly snapshots: Pick<Snapshots, 'readChunks' | 'revert'>;
  readonly pending: SavedPending;
  readonly events: Pick<EventBus, 'publish'>;
  readonly longWork: LongWork;
}) {
  /**
   * Restores the state that the database has under a name. `shown`: the name in events. `keep` is called in the turn of the event loop that
   * reverts, when nothing can change any more; it returns what the restored state does not have and gets.
   */
  const restore = async (name: string, shown: string, keep = (): Kept => nothing) => {
    checkIdle(chains);
    const pause = longWork.begin();
    try {
      await pending.read(snapshots.readChunks(name), pause);
      checkIdle(chains);
      const { walletQueue, addRows } = keep();
      prepareRevert();
      const point = snapshots.revert(name, {
        shown,
        addRows,
        onReverted: () => {
          catchUpIndexes(chains);
          continueChains(chains, walletQueue);
        },
      });
      publishReverted(chains, events, shown);
      await pending.restore(pause);
      return point;
    } finally {
      pending.forget();
    }
  };

  /**
   * Replaces the rows of all chains in one step; `work` runs inside the transaction. It calls `reload` to have the chains read and index what it has
   * written so far: if they cannot, nothing is replaced. `name`: the state's name in the event.
   */
  const replace = (name: string, work: (reload: () => void) => void): void => {
    checkIdle(chains);
    prepareRevert();
    store.revert((reload) => {
      work(() => {
        reload();
        catchUpIndexes(chains);
      });
    }, name);
    continueChains(chains);
    publishReverted(chains, events, name);
  };

  return { restore, replace };
}

/** What a restored state gets in addition: the waiting wallet transactions of the X-Chain, and rows in the transaction of the revert. */
type Kept = { readonly walletQueue: readonly Uint8Array[]; readonly addRows: () => void };
const nothing: Kept = { walletQueue: [], addRows: () => {} };

/** Every chain continues from its restored block with an empty mempool, and the X-Chain with a wallet queue. */
export function continueChains([x, ...others]: readonly [SnapshotChain, ...SnapshotChain[]], walletQueue: Kept['walletQueue'] = []): void {
  x.revertible?.continueAfterRevert({ mempool: [], walletQueue });
  for (const { revertible } of others) revertible?.continueAfterRevert(noPendingTxs);
}

function catchUpIndexes(chains: readonly SnapshotChain[]): void {
  for (const { catchUpIndex } of chains) catchUpIndex();
}

/** A block is built, verified and accepted in one turn of the event loop, so one that is processing here could not be decided. */
export function checkIdle(chains: readonly SnapshotChain[]): void {
  for (const { spec, revertible } of chains)
    if (revertible !== undefined && revertible.processing() > 0)
      throw new SnapshotError(`chain ${spec.aliases[0]} is processing a block; try again`, {
        code: 'SNAPSHOT_CHAIN_BUSY',
        chainID: idText(spec.id),
      });
}

function publishReverted(chains: readonly SnapshotChain[], events: Pick<EventBus, 'publish'>, snapshot: string): void {
  for (const { spec, lastAccepted } of chains) {
    const { height, id, time } = lastAccepted();
    events.publish({ kind: 'reverted', chainID: spec.id, height, blockID: id, blockTime: time, snapshot });
  }
}
