import type { LongWork } from '../../base/timing/long-work.ts';
import type { Audience } from './audience.ts';
import type { StreamEvent } from './stream-event.ts';
import type { Subscriber } from './subscriber.ts';

/** Sends heartbeats to live clients, so that they notice a dead connection. `wait` runs something after the interval. */
export function createHeartbeats(audience: Audience, create: () => StreamEvent, wait: (run: () => void) => () => void) {
  let stop = (): void => {};
  const start = (): void => {
    stop = wait(() => {
      // A client with waiting events needs no sign of life, and one that reads past events has its own pace.
      const event = create();
      for (const subscriber of audience.live()) if (subscriber.queuedBytes() === 0) subscriber.push(event);
      start();
    });
  };
  return { start, stop: () => stop() };
}

/** Milliseconds between two looks whether the key of a stream is still valid. */
const admissionInterval = 1000;

/** Ends a stream with the event `closed` when its key has become invalid. */
export function watchAdmission(
  subscriber: Subscriber,
  stillAdmits: () => Promise<boolean>,
  closed: () => StreamEvent,
  timers: { readonly after: (ms: number, run: () => void) => () => void },
  logError: (error: unknown) => void,
): void {
  const check = async (): Promise<void> => {
    if (subscriber.hasEnded()) return;
    if (await stillAdmits()) watchAdmission(subscriber, stillAdmits, closed, timers, logError);
    else subscriber.end(closed());
  };
  timers.after(admissionInterval, () => void check().catch(logError));
}

/** Opens something for the first client and shuts it after the last one. */
export function createActivation(open: () => Promise<void>, shut: () => void) {
  /** Resolves when it is open; set while there are clients. */
  let active: Promise<void> | undefined;
  const end = (): void => {
    active = undefined;
    shut();
  };
  const activate = (): Promise<void> => {
    active ??= open().catch((error: unknown) => {
      end();
      throw error;
    });
    return active;
  };
  return {
    end,
    begin: async (): Promise<void> => {
      // It may be shut during the wait, if the other clients go.
      for (let mine = activate(); ; mine = activate()) {
        await mine;
        if (mine === active) return;
      }
    },
  };
}

/** Connections that send in one slice, about 3 ms of work, and the milliseconds before the next slice if there are more. */
const wakesPerSlice = 128;
const sliceInterval = 5;

/**
 * Calls the listeners of queues, so that connections send their events: in the order of the calls, each once however many events came. Many of them
 * are called in slices between which other work runs, the first slice some time after the call. So the request that caused the events is answered
 * first, and a connection sends the events of a transaction in the mempool, of its block and of its acceptance together.
 */
export function createWakes({
  longWork,
  timers,
  logError,
}: {
  readonly longWork: LongWork;
  readonly timers: { readonly soon: (run: () => void) => void; readonly after: (ms: number, run: () => void) => () => void };
  readonly logError: (error: unknown) => void;
}): (listener: () => void) => void {
  const waiting = new Set<() => void>();
  let isRunning = false;

  const runSlice = async (): Promise<void> => {
    const pause = longWork.begin();
    let count = 0;
    for (const listener of waiting) {
      waiting.delete(listener);
      try {
        listener();
      } catch (error) {
        logError(error);
      }
      if (++count === wakesPerSlice) return;
      // A stream sends in later microtasks, which belong to this slice.
      await pause();
    }
  };
  const run = async (): Promise<void> => {
    while (waiting.size > 0) {
      const isMany = waiting.size > wakesPerSlice;
      await new Promise<void>((resolve) => void (isMany ? timers.after(sliceInterval, resolve) : timers.soon(resolve)));
      await runSlice();
    }
    isRunning = false;
  };
  return (listener) => {
    waiting.add(listener);
    if (isRunning) return;
    isRunning = true;
    // The other listeners of the same event are added first.
    queueMicrotask(() => void run());
  };
}
