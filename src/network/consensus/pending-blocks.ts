import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';

/** Blocks that wait for their parent or are being prepared. One peer can fill at most a quarter of the places. */
export type PendingBlocks = {
  /** Returns false if there is no place. */
  readonly add: (node: NodeId, block: EngineBlock) => boolean;
  readonly get: (id: Id) => EngineBlock | undefined;
  readonly has: (id: Id) => boolean;
  readonly remove: (id: Id) => void;
  readonly count: () => number;
};

export function createPendingBlocks(limits: { readonly pendingBlocks: number; readonly pendingBytes: number }): PendingBlocks {
  const entries = new Map<Id, { readonly node: NodeId; readonly block: EngineBlock }>();
  const counts = new Map<NodeId, number>();
  let bytes = 0;
  const changeCount = (node: NodeId, by: number): void => {
    const count = (counts.get(node) ?? 0) + by;
    if (count === 0) counts.delete(node);
    else counts.set(node, count);
  };
  return {
    add: (node, block) => {
      const isFull = entries.size >= limits.pendingBlocks || bytes + block.bytes.length > limits.pendingBytes;
      if (isFull || (counts.get(node) ?? 0) >= limits.pendingBlocks / 4) return false;
      entries.set(block.id, { node, block });
      bytes += block.bytes.length;
      changeCount(node, 1);
      return true;
    },
    get: (id) => entries.get(id)?.block,
    has: (id) => entries.has(id),
    remove: (id) => {
      const entry = entries.get(id);
      if (entry === undefined) return;
      entries.delete(id);
      bytes -= entry.block.bytes.length;
      changeCount(entry.node, -1);
    },
    count: () => entries.size,
  };
}
