import type { Audience } from './audience.ts';
import type { LogReader } from './log-reader.ts';
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

/** Live events that came after entries that are not sent yet, which they must not overtake. */
export function createWaitingLive() {
  const waiting: { readonly after: number; readonly send: () => void }[] = [];
  return {
    sendAfter: (after: number, head: number, send: () => void): void => {
      if (after > head && waiting.length < maxWaitingLive) waiting.push({ after, send });
      else send();
    },
    sendUpTo: (head: number): void => {
      while (waiting[0] !== undefined && waiting[0].after <= head) waiting.shift()?.send();
    },
    clear: (): void => {
      waiting.length = 0;
    },
  };
}
