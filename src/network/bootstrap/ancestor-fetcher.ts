import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { engineTypes } from '../messages/message-table.ts';
import { type ContainerFetcher, createContainerFetcher, type FetcherParts } from './container-fetcher.ts';

/** Fetches a block with its ancestors: blocks that follow each other, the asked one first. */
export type AncestorFetcher = ContainerFetcher<EngineBlock>;

type AncestorParts = FetcherParts & {
  readonly vm: Pick<Vm, 'parse'>;
  /** Most blocks that are used of one answer. */
  readonly maxBlocks: number;
};

const turnMilliseconds = 10;

export function createAncestorFetcher(parts: AncestorParts): AncestorFetcher {
  const { vm, timers } = parts;

  /**
   * Decodes blocks as far as each is the parent of the one before. Stops at the first that is not. The bytes are views into the answer, which
   * stays in memory with a block unless the Vm copies them, as that of outer blocks does.
   */
  const parseChain = async (id: Id, containers: readonly Uint8Array[], maxBlocks: number): Promise<EngineBlock[]> => {
    const blocks: EngineBlock[] = [];
    let wanted = id;
    let turnEnd = timers.now() + turnMilliseconds;
    for (const bytes of containers.slice(0, maxBlocks)) {
      const block = parse(bytes);
      const child = blocks.at(-1);
      if (block?.id !== wanted || (child !== undefined && child.height !== block.height + 1n)) return blocks;
      blocks.push(block);
      wanted = block.parentID;
      if (timers.now() < turnEnd) continue;
      await sleep(timers, 0);
      turnEnd = timers.now() + turnMilliseconds;
    }
    return blocks;
  };
  const parse = (bytes: Uint8Array): EngineBlock | undefined => {
    try {
      return vm.parse(bytes);
    } catch {
      return undefined;
    }
  };
  const { fetch } = createContainerFetcher<EngineBlock>({ ...parts, engineType: engineTypes.chain, parse: parseChain });
  return { fetch: (id, maxBlocks) => fetch(id, Math.min(maxBlocks, parts.maxBlocks)) };
}
