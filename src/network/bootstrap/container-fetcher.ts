import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { ChainLink } from '../protocol/transport.ts';
import { createPeerTracker } from './peer-tracker.ts';
import type { Requester } from './requester.ts';

/** Fetches a container with its ancestors. Resolves to at most `max` containers, the asked one first; undefined if no peer gave it. */
export type FetchContainers<T> = (id: Id, max: number) => Promise<T[] | undefined>;

/** What a fetcher of blocks or of vertices asks with. */
export type FetcherParts = {
  readonly requester: Pick<Requester, 'ask'>;
  readonly peers: () => readonly NodeId[];
  readonly isStopped: () => boolean;
};

/** A request that takes so many times the average is sent to a second peer too, at the earliest after `minHedge` milliseconds. */
const hedgeFactor = 3;
const minHedge = 500;
const maxTries = 10;
const retryDelay = 200;

/**
 * Fetches containers, which are blocks or vertices, from the connected peers. `parse` decodes an answer as far as it is what was asked for, to none
 * if the first container is another one.
 */
export function createContainerFetcher<T extends { readonly bytes: Uint8Array }>(
  { timers, randomBytes }: Pick<ChainLink, 'timers' | 'randomBytes'>,
  { requester, peers, isStopped }: FetcherParts,
  engineType: number,
  parse: (id: Id, containers: readonly Uint8Array[], max: number) => Promise<T[]>,
): FetchContainers<T> {
  const tracker = createPeerTracker(randomBytes, timers.now());

  const askOne = async (node: NodeId, id: Id, max: number): Promise<T[]> => {
    const start = timers.now();
    tracker.started(node);
    const answer = await requester.ask(node, { kind: 'getAncestors', containerId: id, engineType });
    const elapsed = timers.now() - start;
    const containers = answer === undefined ? [] : await parse(id, answer.containers, max);
    const bytes = containers.reduce((sum, container) => sum + container.bytes.length, 0);
    tracker.ended(node, bytes, elapsed, timers.now());
    return containers;
  };
  /** Asks a peer, and a second one if the first is slow. Resolves to the first good answer. */
  const askHedged = (id: Id, max: number): Promise<T[] | undefined> =>
    new Promise((resolve) => {
      const asked = new Set<NodeId>();
      let open = 0;
      const start = (): boolean => {
        const node = tracker.select(peers(), asked);
        if (node === undefined) return false;
        asked.add(node);
        open++;
        askOne(node, id, max).then((containers) => {
          open--;
          if (containers.length > 0 || open === 0) {
            cancel();
            resolve(containers.length > 0 ? containers : undefined);
          }
        });
        return true;
      };
      const cancel = timers.after(Math.max(minHedge, hedgeFactor * tracker.averageLatency()), start);
      if (start()) return;
      cancel();
      resolve(undefined);
    });

  return async (id, max) => {
    for (let tries = 0; tries < maxTries && !isStopped(); tries++) {
      const containers = await askHedged(id, max);
      if (containers !== undefined) return containers;
      await sleep(timers, retryDelay);
    }
    return undefined;
  };
}
