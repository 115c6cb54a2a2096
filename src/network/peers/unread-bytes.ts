import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Stakes } from '../protocol/bench-list.ts';

/**
 * Bytes that peers without stake have sent and that have no place in the budget of messages yet. A socket delivers up to 512 KiB at once, before it
 * can be paused, so many peers that send at once would fill memory and take the main thread for as long as that takes to decrypt. While too
 * much is unread, peers of which nothing waits are not read either.
 */
export type UnreadBytes = {
  /** Adds a peer. `changed` is called when reading of peers without stake stops or goes on. */
  readonly open: (node: NodeId, changed: () => void) => UnreadMeter;
  readonly total: () => number;
};

export type UnreadMeter = {
  /** Sets how many bytes of the peer are unread. */
  readonly set: (bytes: number) => void;
  /** Whether the peer must not be read while nothing of it waits. */
  readonly isHeldBack: () => boolean;
  readonly close: () => void;
};

/** Reading stops above this, and goes on below a half of it. 8 peers can fill it at once. */
export const maxUnreadBytes = 4 * 1024 * 1024;

export function createUnreadBytes(stakes: Pick<Stakes, 'of'>): UnreadBytes {
  const listeners = new Set<() => void>();
  let total = 0;
  let isFull = false;

  const add = (bytes: number): void => {
    total += bytes;
    const wasFull = isFull;
    isFull = total > (wasFull ? maxUnreadBytes / 2 : maxUnreadBytes);
    if (isFull !== wasFull) for (const changed of [...listeners]) changed();
  };
  return {
    open: (node, changed) => {
      let counted = 0;
      const set = (bytes: number): void => {
        const now = stakes.of(node) > 0n ? 0 : bytes;
        const difference = now - counted;
        // Who was read last is told last that reading goes on: its socket is read after those of the others.
        if (counted === 0 && now > 0) {
          listeners.delete(changed);
          listeners.add(changed);
        }
        counted = now;
        if (difference !== 0) add(difference);
      };
      listeners.add(changed);
      return {
        set,
        isHeldBack: () => isFull && stakes.of(node) === 0n,
        close: () => {
          listeners.delete(changed);
          add(-counted);
          counted = 0;
        },
      };
    },
    total: () => total,
  };
}
