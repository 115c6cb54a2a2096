import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Stakes } from '../protocol/validators.ts';
import type { PeerSocket } from './socket.ts';
import type { PeerTiming } from './timing.ts';

/** Whether the socket of a peer is read: not while a message of the peer waits, nor while too much of all peers is unread. `run` handles messages. */
export function createReadGate(
  socket: Pick<PeerSocket, 'pause' | 'resume' | 'buffered'>,
  timing: Pick<PeerTiming, 'after' | 'soon'>,
  unread: { readonly isHeldBack: () => boolean },
  run: () => void,
) {
  let isPaused = false;
  let isSuspended = false;
  let isHeldBack = false;
  let isClosed = false;
  let cancelWait: (() => void) | undefined;

  const setPaused = (value: boolean): void => {
    if (isPaused === value) return;
    isPaused = value;
    if (value) socket.pause();
    else socket.resume();
  };
  const suspend = (): void => {
    isSuspended = true;
    setPaused(true);
  };
  const proceed = (next: () => void = run): void => {
    cancelWait = undefined;
    isSuspended = false;
    if (!isClosed) next();
  };
  const proceedSoon = (): void => {
    cancelWait = undefined;
    timing.soon(() => proceed());
  };
  return {
    /** Stops reading until `proceed`. */
    suspend,
    proceed,
    /** Goes on in the next turn of the event loop. */
    proceedSoon,
    waitFor: (milliseconds: number, next?: () => void): undefined => {
      suspend();
      cancelWait = timing.after(milliseconds, () => proceed(next));
    },
    /** Waits for what `wait` is called back for. It returns a function that cancels the wait. */
    waitUntil: (wait: (then: () => void) => () => void): undefined => {
      suspend();
      cancelWait = wait(proceedSoon);
    },
    /** Waits for bytes: for the rest of a message, or for the next one, if it may be read. */
    awaitMore: (isBetweenMessages: boolean): undefined => {
      // What the socket has read counts already: it is less if it is handled.
      isHeldBack = isBetweenMessages && socket.buffered() === 0 && unread.isHeldBack();
      setPaused(isHeldBack);
    },
    isSuspended: () => isSuspended,
    /** Whether the peer is not read although nothing of it waits. */
    isHeldBack: () => isHeldBack,
    close: (): void => {
      isClosed = true;
      cancelWait?.();
    },
  };
}

type UnreadEvents = {
  /** Reading of peers without stake stops or goes on. */
  readonly changed: () => void;
  /** The peer keeps others from being read. It must be closed. */
  readonly evicted: () => void;
};

/** Reading stops above this, and goes on below a half of it. 8 peers can fill it at once. */
export const maxUnreadBytes = 4 * 1024 * 1024;

/** Milliseconds that reading may stop before a peer is closed, and between two that are. */
export const maxFullTime = { first: 5000, next: 500 } as const;

type Entry = UnreadEvents & { bytes: number };

/**
 * Bytes that peers without stake have sent and that have no place in the budget of messages yet. A socket delivers up to 512 KiB at once, before it
 * can be paused, so many peers that send at once would fill memory and take the main thread for as long as that takes to decrypt. While too
 * much is unread, peers of which nothing waits are not read either. If that lasts, the peer with the most unread bytes is closed: a few whose
 * messages take long must not keep all others out.
 */
export function createUnreadBytes(stakes: Pick<Stakes, 'of'>, timing: Pick<PeerTiming, 'after'>) {
  /** In the order in which they were last read. */
  const entries = new Set<Entry>();
  let total = 0;
  let isFull = false;
  let stopTimer = (): void => {};

  const evict = (): void => {
    const largest = [...entries].reduce((most, entry) => (entry.bytes > most.bytes ? entry : most));
    stopTimer = timing.after(maxFullTime.next, evict);
    largest.evicted();
  };
  const add = (entry: Entry, bytes: number): void => {
    entry.bytes += bytes;
    total += bytes;
    const wasFull = isFull;
    isFull = total > (wasFull ? maxUnreadBytes / 2 : maxUnreadBytes);
    if (isFull === wasFull) return;
    stopTimer();
    if (isFull) stopTimer = timing.after(maxFullTime.first, evict);
    for (const { changed } of [...entries]) changed();
  };
  return {
    open: (node: NodeId, events: UnreadEvents) => {
      const entry: Entry = { ...events, bytes: 0 };
      entries.add(entry);
      return {
        /** Sets how many bytes of the peer are unread. */
        set: (bytes: number): void => {
          const counted = stakes.of(node) > 0n ? 0 : bytes;
          // Who was read last is told last that reading goes on: its socket is read after those of the others.
          if (entry.bytes === 0 && counted > 0) {
            entries.delete(entry);
            entries.add(entry);
          }
          if (counted !== entry.bytes) add(entry, counted - entry.bytes);
        },
        /** Whether the peer must not be read while nothing of it waits. */
        isHeldBack: (): boolean => isFull && stakes.of(node) === 0n,
        close: (): void => {
          entries.delete(entry);
          add(entry, -entry.bytes);
        },
      };
    },
    total: (): number => total,
  };
}
