import type { NewBlock, StoredBlock } from '../state/block-change.ts';
import type { ChainState, WithinAll } from '../state/chain-state.ts';
import type { EventBus } from './events.ts';

/**
 * The one way in for accepted blocks, whoever decided them: the solo engine or a followed node. Stores the blocks and their index in one
 * transaction, then publishes an event for each.
 */
export type Accept = (blocks: readonly NewBlock[]) => void;

export const createAccept =
  (state: Pick<ChainState, 'id' | 'commitAll'>, writeIndex: WithinAll | undefined, { publish }: Pick<EventBus, 'publish'>): Accept =>
  (blocks) => {
    let committed: readonly StoredBlock[] = [];
    state.commitAll(blocks, (all) => {
      writeIndex?.(all);
      committed = all;
    });
    for (const stored of committed) publish({ kind: 'accepted', chainID: state.id, stored });
  };
