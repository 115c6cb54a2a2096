import type { Audience } from './audience.ts';
import type { LogReader } from './log-reader.ts';
import type { StreamEvent } from './stream-event.ts';
import type { Subscriber } from './subscriber.ts';

type LogSenderDeps = {
  readonly log: LogReader;
  readonly audience: Audience;
  readonly waitingLive: ReturnType<typeof createWaitingLive>;
  readonly nextTurn: () => Promise<void>;
  /** A live client has missed entries that are no longer stored. */
  readonly onLost: (subscriber: Subscriber) => void;
};

/** Reads new entries of the log and sends them to the live clients. */
export function createLogSender({ log, audience, waitingLive, nextTurn, onLost }: LogSenderDeps) {
  let isRunning = false;
  let runAgain = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    try {
      do {
        runAgain = false;
        const entries = await log.readNew();
        if (entries === undefined) await skipLostEntries();
        for (const entry of entries ?? []) {
          // The head has changed during the read if all clients went and another one came.
          if (entry.seq !== log.head() + 1) continue;
          audience.send(log.eventsOf(entry));
          log.setHead(entry.seq);
          waitingLive.sendUpTo(entry.seq);
        }
        if (entries?.length) runAgain = true;
        if (runAgain) await nextTurn();
      } while (runAgain && audience.all.size > 0);
    } finally {
      isRunning = false;
    }
  };
  const skipLostEntries = async (): Promise<void> => {
    await log.skipToEnd();
    log.clear();
    waitingLive.sendUpTo(log.head());
    for (const subscriber of audience.live()) onLost(subscriber);
  };

  return {
    /** Sends what is new. One run at a time: calls during a run make it read once more. */
    advance: (): Promise<void> | undefined => {
      runAgain = true;
      return isRunning || audience.all.size === 0 ? undefined : run();
    },
  };
}

/** Live events that wait for entries of the log to be read. */
const maxWaitingLive = 10_000;

/**
 * Live events that came after entries that are not sent yet, which they must not overtake. If too many wait, further ones are dropped, and
 * `onMissed` is called for each client that would have got one, when it has got the events that waited.
 */
export function createWaitingLive(onMissed: (subscriber: Subscriber) => void) {
  const waiting: { readonly after: number; readonly send: () => void }[] = [];
  const missed = new Set<Subscriber>();
  return {
    sendAfter: (after: number, head: number, to: readonly Subscriber[], event: StreamEvent): void => {
      const send = (): void => {
        for (const subscriber of to) subscriber.push(event);
      };
      if (after <= head) send();
      else if (waiting.length < maxWaitingLive) waiting.push({ after, send });
      else for (const subscriber of to) missed.add(subscriber);
    },
    sendUpTo: (head: number): void => {
      while (waiting[0] !== undefined && waiting[0].after <= head) waiting.shift()?.send();
      if (waiting.length > 0) return;
      for (const subscriber of missed) onMissed(subscriber);
      missed.clear();
    },
    clear: (): void => {
      waiting.length = 0;
      missed.clear();
    },
  };
}
