import type { LongWork } from '../../base/timing/long-work.ts';
import type { EntryEvents } from './render-entry.ts';
import { sendEntry } from './send-entry.ts';
import type { Subscriber } from './subscriber.ts';

/** Bytes of JSON that one client gets before the next one has its turn. */
const maxSlice = 65_536;

/**
 * Sends past entries to the clients that resume. All clients share one time slice per turn of the event loop (base/timing/long-work.ts), and
 * each gets a slice of events only when it has read the one before. So neither their number nor the length of the log makes other requests wait,
 * and a client that does not read costs nothing.
 */
export function createReplay({
  longWork,
  soon,
  head,
  load,
  onCaughtUp,
  onLost,
  onFailed,
}: {
  readonly longWork: LongWork;
  readonly soon: (run: () => void) => void;
  /** Number of the last entry that was sent to live clients: no client may be ahead of it. */
  readonly head: () => number;
  /** The events of the entry with a number; undefined if it is no longer stored. */
  readonly load: (number: number) => Promise<EntryEvents | undefined>;
  /** Called when a client has all entries up to `head`. */
  readonly onCaughtUp: (subscriber: Subscriber) => void;
  /** Called when the next entry of a client is no longer stored. */
  readonly onLost: (subscriber: Subscriber) => void;
  readonly onFailed: (subscriber: Subscriber, error: unknown) => void;
}) {
  /** Clients that have read all their events and need past ones, in the order of their turns. */
  const ready = new Set<Subscriber>();
  let isRunning = false;

  /** Queues the next slice of events. Returns false when the client has no more past entries to get. */
  const sendSlice = async (subscriber: Subscriber, pause: ReturnType<LongWork['begin']>): Promise<boolean> => {
    const isFull = (): boolean => subscriber.queuedBytes() >= maxSlice;
    while (!subscriber.hasEnded() && !isFull()) {
      const { entry: last, index } = subscriber.position;
      if (last === head() && index === undefined) {
        onCaughtUp(subscriber);
        return false;
      }
      const entry = last > head() ? undefined : await load(index === undefined ? last + 1 : last);
      if (subscriber.hasEnded()) return false;
      if (entry === undefined) {
        onLost(subscriber);
        return false;
      }
      if (sendEntry(subscriber, entry, isFull)) subscriber.position = { entry: entry.number, index: undefined };
      const paused = pause();
      if (paused !== undefined) await paused;
    }
    return !subscriber.hasEnded();
  };

  /** A client may have asked for more while its last slice was made. */
  const stop = (subscriber: Subscriber): void => {
    subscriber.onDrained(() => undefined);
    ready.delete(subscriber);
  };

  const run = async (): Promise<void> => {
    isRunning = true;
    // A client that reads fast asks for more in the same turn of the event loop.
    await new Promise<void>((resolve) => soon(resolve));
    const pause = longWork.begin();
    for (const subscriber of ready) {
      ready.delete(subscriber);
      try {
        if (!(await sendSlice(subscriber, pause))) stop(subscriber);
      } catch (error) {
        stop(subscriber);
        onFailed(subscriber, error);
      }
      const paused = pause();
      if (paused !== undefined) await paused;
    }
    isRunning = false;
  };

  return {
    /** Sends the next past events to a client, and goes on each time when it has read them, until it has all. */
    start: (subscriber: Subscriber): void =>
      subscriber.onDrained(() => {
        ready.add(subscriber);
        if (!isRunning) void run();
      }),
  };
}
