import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { QueueLimit } from './queue-limit.ts';

/** Blocks that wait for their parent or are being prepared. */
export type PendingBlocks = {
  /** Returns false if there is no place. */
  readonly add: (node: NodeId, block: EngineBlock) => boolean;
  readonly get: (id: Id) => EngineBlock | undefined;
  readonly has: (id: Id) => boolean;
  readonly remove: (id: Id) => void;
  readonly count: () => number;
};

export function createPendingBlocks(limit: Pick<QueueLimit, 'admit'>): PendingBlocks {
  const entries = new Map<Id, { readonly block: EngineBlock; readonly end: () => void }>();
  return {
    add: (node, block) => {
      const end = limit.admit(node, block.bytes.length);
      if (end === undefined) return false;
      entries.set(block.id, { block, end });
      return true;
    },
    get: (id) => entries.get(id)?.block,
    has: (id) => entries.has(id),
    remove: (id) => {
      entries.get(id)?.end();
      entries.delete(id);
    },
    count: () => entries.size,
  };
}
