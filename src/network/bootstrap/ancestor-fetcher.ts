import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { RandomBytes } from '../consensus/weighted-sample.ts';
import { engineTypes } from '../messages/message-table.ts';
import { createPeerTracker } from './peer-tracker.ts';
import type { Requester } from './requester.ts';

/** Fetches a block with its ancestors from one of the connected peers. */
export type AncestorFetcher = {
  /** Resolves to blocks that follow each other, the asked one first; undefined if no peer gave it. */
  readonly fetch: (id: Id, maxBlocks: number) => Promise<EngineBlock[] | undefined>;
};

type FetcherParts = {
  readonly vm: Pick<Vm, 'parse'>;
  readonly requester: Pick<Requester, 'ask'>;
  readonly peers: () => readonly NodeId[];
  readonly timers: Timers;
  readonly randomBytes: RandomBytes;
  readonly isStopped: () => boolean;
  /** Most blocks that are used of one answer. */
  readonly maxBlocks: number;
};

/** A request that takes so many times the average is sent to a second peer too, at the earliest after `minHedge` milliseconds. */
const hedgeFactor = 3;
const minHedge = 500;
const maxAttempts = 10;
const retryDelay = 200;
const turnMilliseconds = 10;

export function createAncestorFetcher(parts: FetcherParts): AncestorFetcher {
  const { vm, requester, peers, timers, randomBytes, isStopped } = parts;
  const tracker = createPeerTracker(randomBytes, timers.now());

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
  const askOne = async (node: NodeId, id: Id, maxBlocks: number): Promise<EngineBlock[]> => {
    const start = timers.now();
    tracker.started(node);
    const answer = await requester.ask(node, { kind: 'getAncestors', containerId: id, engineType: engineTypes.chain });
    const elapsed = timers.now() - start;
    const blocks = answer === undefined ? [] : await parseChain(id, answer.containers, maxBlocks);
    const bytes = blocks.reduce((sum, block) => sum + block.bytes.length, 0);
    tracker.ended(node, bytes, elapsed, timers.now());
    return blocks;
  };
  /** Asks a peer, and a second one if the first is slow. Resolves to the first good answer. */
  const askHedged = (id: Id, maxBlocks: number): Promise<EngineBlock[] | undefined> =>
    new Promise((resolve) => {
      const asked = new Set<NodeId>();
      let open = 0;
      const start = (): boolean => {
        const node = tracker.select(peers(), asked);
        if (node === undefined) return false;
        asked.add(node);
        open++;
        askOne(node, id, maxBlocks).then((blocks) => {
          open--;
          if (blocks.length > 0 || open === 0) {
            cancel();
            resolve(blocks.length > 0 ? blocks : undefined);
          }
        });
        return true;
      };
      const cancel = timers.after(Math.max(minHedge, hedgeFactor * tracker.averageLatency()), start);
      if (start()) return;
      cancel();
      resolve(undefined);
    });

  return {
    fetch: async (id, maxBlocks) => {
      for (let attempt = 0; attempt < maxAttempts && !isStopped(); attempt++) {
        const blocks = await askHedged(id, Math.min(maxBlocks, parts.maxBlocks));
        if (blocks !== undefined) return blocks;
        await sleep(timers, retryDelay);
      }
      return undefined;
    },
  };
}
