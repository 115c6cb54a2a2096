import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Stakes } from '../protocol/bench-list.ts';
import { createTokenBucket } from './token-bucket.ts';

/** Milliseconds that the messages of one peer are handled before other events run. */
export const sliceMilliseconds = 4;

/** Milliseconds of each second that the messages of all peers without stake are handled, and how many at once. */
const withoutStake = { perSecond: 500, burst: 16 } as const;

/**
 * When the messages of a peer are handled: those of peers with stake as they come, those of all others in slices one after the other, with
 * pauses. However many of these send at once, a message of a peer with stake waits for a few slices only. Times are in milliseconds.
 */
export type HandlingSlices = {
  /** Takes a slice for a peer. Returns after how long it begins; 0: now. */
  readonly begin: (node: NodeId, now: number) => number;
  /** Gives back what was not used of a slice that has begun, or all of one that has not. */
  readonly end: (node: NodeId, used: number, now: number) => void;
};

export function createHandlingSlices(stakes: Pick<Stakes, 'of'>, start: number): HandlingSlices {
  const bucket = createTokenBucket(withoutStake.perSecond, withoutStake.burst, start);
  const hasStake = (node: NodeId): boolean => stakes.of(node) > 0n;
  return {
    begin: (node, now) => (hasStake(node) ? 0 : bucket.reserve(sliceMilliseconds, now)),
    end: (node, used, now) => void (hasStake(node) || bucket.reserve(used - sliceMilliseconds, now)),
  };
}
