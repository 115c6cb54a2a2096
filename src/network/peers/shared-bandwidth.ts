import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Stakes } from '../protocol/validators.ts';
import type { PeerTiming } from './timing.ts';

/**
 * Bandwidth that all peers without stake share, beside the limit of each. However many they are, what they send costs this node the CPU time and
 * memory of so many bytes. Of those that wait, the one that has recently used least is next: a peer that sends little does not wait for a
 * flood. Responses that this node asked for are given back.
 */
type SharedBandwidth = ReturnType<typeof createSharedBandwidth>;

/** The part of one peer in the shared bandwidth. */
export type BandwidthAccount = ReturnType<SharedBandwidth['open']>;

/** The limit in bytes per second, and the most bytes of a burst. */
export const bandwidthWithoutStake = { perSecond: 4 * 1024 * 1024, burst: 8 * 1024 * 1024 } as const;

/** A message counts as at least so many bytes: a small one costs more than its bytes. */
const minCounted = 256;

/** Milliseconds after which bytes count half for the order of those that wait. */
const halfLife = 10_000;

type Usage = { bytes: number; updated: number };
type Waiter = { readonly usage: Usage; readonly bytes: number; readonly taken: () => void };

export function createSharedBandwidth(stakes: Pick<Stakes, 'of'>, timing: Pick<PeerTiming, 'now' | 'after'>) {
  const { perSecond, burst } = bandwidthWithoutStake;
  const waiters = new Set<Waiter>();
  let tokens: number = burst;
  let updated = timing.now();
  let isTimerSet = false;

  const refill = (): void => {
    const now = timing.now();
    tokens = Math.min(burst, tokens + ((now - updated) * perSecond) / 1000);
    updated = now;
  };
  const read = (usage: Usage): number => {
    const now = timing.now();
    usage.bytes *= 2 ** ((usage.updated - now) / halfLife);
    usage.updated = now;
    return usage.bytes;
  };
  /** A message is admitted while there are tokens at all; what it exceeds them by is waited for afterwards. */
  const debit = (usage: Usage, bytes: number): void => {
    tokens -= bytes;
    usage.bytes = Math.max(0, read(usage) + bytes);
  };
  const next = (): Waiter => [...waiters].reduce((least, waiter) => (read(waiter.usage) < read(least.usage) ? waiter : least));
  const serve = (): void => {
    isTimerSet = false;
    refill();
    while (tokens > 0 && waiters.size > 0) {
      const waiter = next();
      waiters.delete(waiter);
      debit(waiter.usage, waiter.bytes);
      waiter.taken();
    }
    setTimer();
  };
  const setTimer = (): void => {
    if (isTimerSet || waiters.size === 0) return;
    isTimerSet = true;
    timing.after(Math.max(1, (-tokens * 1000) / perSecond), serve);
  };

  return {
    open: (node: NodeId) => {
      const usage: Usage = { bytes: 0, updated: timing.now() };
      const hasStake = (): boolean => stakes.of(node) > 0n;
      return {
        /** Takes the bytes of a message if nobody has to wait. Always true with stake. */
        take: (bytes: number): boolean => {
          if (hasStake()) return true;
          refill();
          if (tokens <= 0 || waiters.size > 0) return false;
          debit(usage, Math.max(minCounted, bytes));
          return true;
        },
        /** Takes the bytes later, and calls `taken` then. Returns a function that gives up. */
        wait: (bytes: number, taken: () => void): (() => void) => {
          const waiter = { usage, bytes: Math.max(minCounted, bytes), taken };
          waiters.add(waiter);
          setTimer();
          return () => void waiters.delete(waiter);
        },
        /** Counts bytes that are known afterwards; negative ones are given back. */
        charge: (bytes: number): void => {
          if (!hasStake()) debit(usage, bytes);
        },
      };
    },
    /** Peers that wait. */
    waiting: (): number => waiters.size,
  };
}
