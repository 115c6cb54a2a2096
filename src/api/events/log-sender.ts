import type { LongWork, Pause } from '../../base/timing/long-work.ts';
import type { Audience } from './audience.ts';
import type { LogReader } from './log-reader.ts';
import type { StreamEvent } from './stream-event.ts';
import type { Subscriber } from './subscriber.ts';

/**
 * Reads new entries of the log and queues them, and live events, for the live clients: in a later turn of the event loop, so that the request that
 * caused an event is answered first, and in time slices. A client that arrives meanwhile is at `log.head`, and gets what comes after it.
 * `onLost`: called for a live client that has missed entries that are no longer stored. `onMissed`: for one that has missed live events, because
 * too many waited.
 */
export function createLogSender({
  log,
  audience,
  longWork,
  nextTurn,
  onLost,
  onMissed,
}: {
  readonly log: LogReader;
  readonly audience: Audience;
  readonly longWork: LongWork;
  readonly nextTurn: () => Promise<void>;
  readonly onLost: (subscriber: Subscriber) => void;
  readonly onMissed: (subscriber: Subscriber) => void;
}) {
  const live = createWaitingLive(onMissed);
  let isRunning = false;
  let mustRead = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    try {
      for (;;) {
        await nextTurn();
        if (audience.all.size === 0 || !(mustRead || live.isReady(log.head()))) return;
        const pause = longWork.begin();
        await live.sendUpTo(log.head(), pause);
        if (mustRead) await sendEntries(pause);
      }
    } finally {
      isRunning = false;
    }
  };
  const sendEntries = async (pause: Pause): Promise<void> => {
    mustRead = false;
    const entries = await log.readNew();
    if (entries === undefined) await skipLostEntries();
    for (const entry of entries ?? []) {
      // The head has changed during the read if all clients went and another one came.
      if (entry.number !== log.head() + 1) continue;
      log.setHead(entry.number);
      await audience.send(log.eventsOf(entry), pause);
      await live.sendUpTo(log.head(), pause);
    }
    if (entries?.length) mustRead = true;
  };
  const skipLostEntries = async (): Promise<void> => {
    await log.skipToEnd();
    log.clear();
    for (const subscriber of audience.live()) onLost(subscriber);
  };
  /** One run at a time. */
  const start = async (): Promise<void> => {
    if (!isRunning && audience.all.size > 0) await run();
  };

  return {
    /** Sends what is new in the log. Rejects if it cannot be read. */
    advance: (): Promise<void> => {
      mustRead = true;
      return start();
    },
    /** Sends a live event after the entry with a number. If too many wait, it is dropped, and the clients that would have got it are told. */
    sendLive: (event: StreamEvent, after: number): Promise<void> => {
      live.add(
        after,
        () => audience.sendLive(event),
        () => audience.wanting(event),
      );
      return start();
    },
    /** Does something when all live clients have the entries up to `log.head`. */
    whenSent: (work: () => void): Promise<void> => {
      live.add(log.head(), work, () => []);
      return start();
    },
    clear: live.clear,
  };
}

/** Live events that wait. */
const maxWaitingLive = 10_000;

/**
 * Live events that came after entries that are not sent yet, which they must not overtake. If too many wait, further ones are dropped, and
 * `onMissed` is called for each client that would have got one, when it has got the events that waited.
 */
function createWaitingLive(onMissed: (subscriber: Subscriber) => void) {
  let waiting: { readonly after: number; readonly send: () => void }[] = [];
  const missed = new Set<Subscriber>();
  const isReady = (head: number): boolean => waiting[0] !== undefined && waiting[0].after <= head;
  return {
    isReady,
    add: (after: number, send: () => void, wanting: () => readonly Subscriber[]): void => {
      if (waiting.length < maxWaitingLive) waiting.push({ after, send });
      else for (const subscriber of wanting()) missed.add(subscriber);
    },
    sendUpTo: async (head: number, pause: Pause): Promise<void> => {
      while (isReady(head)) {
        waiting.shift()?.send();
        const paused = pause();
        if (paused !== undefined) await paused;
      }
      if (waiting.length > 0) return;
      for (const subscriber of missed) onMissed(subscriber);
      missed.clear();
    },
    clear: (): void => {
      waiting = [];
      missed.clear();
    },
  };
}
