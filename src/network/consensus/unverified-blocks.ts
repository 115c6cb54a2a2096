import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import { createLruMap } from '../../base/bytes/lru-map.ts';

/** Blocks that were received but could not be verified. A vote for one of them counts for its nearest processing ancestor. Bounded; the least recently used is removed. */
export type UnverifiedBlocks = {
  readonly add: (block: EngineBlock) => void;
  readonly get: (id: Id) => EngineBlock | undefined;
  readonly remove: (id: Id) => void;
  readonly count: () => number;
};

export function createUnverifiedBlocks(limits: { readonly blocks: number; readonly bytes: number }): UnverifiedBlocks {
  const blocks = createLruMap<EngineBlock>();
  let bytes = 0;
  const remove = (id: Id): void => {
    const block = blocks.get(id);
    if (block === undefined) return;
    bytes -= block.bytes.length;
    blocks.delete(id);
  };
  return {
    add: (block) => {
      remove(block.id);
      blocks.set(block.id, block);
      bytes += block.bytes.length;
      for (let oldest = blocks.oldest(); oldest !== undefined; oldest = blocks.oldest()) {
        if (blocks.size() <= limits.blocks && bytes <= limits.bytes) return;
        remove(oldest.value.id);
      }
    },
    get: (id) => blocks.get(id),
    remove,
    count: () => blocks.size(),
  };
}
