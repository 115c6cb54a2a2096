import type { NodeId } from '../../base/bytes/node-id.ts';

type Window = { readonly start: number; readonly hits: Map<NodeId, number> };

/** Limits the pull requests of each peer in a sliding window. The clock is an argument. AvalancheGo: network/p2p/throttler.go. */
export function createPullLimit(period: number, start: number) {
  let current: Window = { start, hits: new Map() };
  let previous: Window = { start: start - period, hits: new Map() };
  const rotate = (at: number): void => {
    previous = current;
    current = { start: at, hits: new Map() };
  };
  return {
    /** Counts a request. Returns whether it is within the limit. */
    allow: (node: NodeId, limit: number, now: number): boolean => {
      let elapsed = now - current.start;
      if (elapsed >= 2 * period) rotate(now - period);
      if (elapsed >= period) {
        rotate(now);
        elapsed = 0;
      }
      const hits = current.hits.get(node) ?? 0;
      current.hits.set(node, hits + 1);
      const share = (period - elapsed) / period;
      return hits + share * (previous.hits.get(node) ?? 0) < limit;
    },
  };
}

/**
 * The pull requests that one peer may send per period, if each of `validators` sends `requests` and chooses whom to ask at random: the mean plus
 * four standard deviations. AvalancheGo: network/p2p/handler.go, DynamicThrottlerHandler.
 */
export function pullRequestLimit(requests: number, validators: number): number {
  const count = Math.max(1, validators);
  const mean = requests / count;
  const deviation = Math.sqrt((requests * (count - 1)) / (count * count));
  return mean + 4 * deviation;
}
