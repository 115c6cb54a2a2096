import type { NewBlock, StoredBlock } from '../../ledger/state/block-change.ts';
import type { ChainState } from '../../ledger/state/chain-state.ts';
import type { OnBlocksStored } from '../../ledger/state/chain-writer.ts';
import type { Diff } from '../../ledger/state/diff.ts';
import type { EventBus } from './events.ts';

/**
 * Stores accepted blocks in one database transaction, then publishes an event for each block. All accepted blocks go through it, those of an engine
 * and those of a followed node. `writeMore` runs in that transaction too.
 */
export type Accept = (blocks: readonly NewBlock[], writeMore?: () => void) => void;

/** `writeRows` writes the other rows of the blocks in the same transaction: those of the index and of the event log (app/node/node-store.ts). */
export const createAccept =
  (state: Pick<ChainState, 'id' | 'commitAll'>, writeRows: OnBlocksStored | undefined, { publish }: Pick<EventBus, 'publish'>): Accept =>
  (blocks, writeMore) => {
    let committed: readonly StoredBlock[] = [];
    state.commitAll(blocks, (all) => {
      writeRows?.(all);
      writeMore?.();
      committed = all;
    });
    for (const stored of committed) publish({ kind: 'accepted', chainID: state.id, stored });
  };

/**
 * Stores transactions from before linearization and their index rows, each with its changes. No block contains them, so nothing is published.
 * `writeMore` runs in the same transaction.
 */
export type ExtendGenesis = (txs: readonly Pick<Diff, 'applied' | 'consumed'>[], writeMore: () => void) => void;

export const createExtendGenesis =
  (state: Pick<ChainState, 'extendGenesis'>, writeIndex: OnBlocksStored | undefined): ExtendGenesis =>
  (txs, writeMore) =>
    state.extendGenesis(txs, (stored) => {
      writeIndex?.(stored);
      writeMore();
    });
