import type { Timers } from '../../base/timing/timers.ts';

/** Runs work one after the other, also work that is asynchronous. After `turnMilliseconds` of work other tasks of the process run first. */
type Mailbox = {
  readonly post: (work: () => void | Promise<void>) => void;
  readonly size: () => number;
  /** Drops what waits, and all later work. */
  readonly close: () => void;
};

const turnMilliseconds = 10;

/** `fail` is called once with the error of work that throws; nothing runs after it. */
export function createMailbox(timers: Timers, fail: (error: unknown) => void): Mailbox {
  let queue: (() => void | Promise<void>)[] = [];
  let head = 0;
  let isRunning = false;
  let isClosed = false;

  const close = (): void => {
    isClosed = true;
    queue = [];
    head = 0;
  };
  const stopWith = (error: unknown): void => {
    if (isClosed) return;
    close();
    fail(error);
  };
  const resume = (): void => {
    isRunning = false;
    run();
  };
  const run = (): void => {
    if (isRunning) return;
    isRunning = true;
    const end = timers.now() + turnMilliseconds;
    try {
      while (head < queue.length) {
        const work = queue[head++] as () => void | Promise<void>;
        if (head > 1024) {
          queue = queue.slice(head);
          head = 0;
        }
        const promise = work();
        if (promise !== undefined) {
          promise.then(resume, stopWith);
          return;
        }
        if (timers.now() > end && head < queue.length) {
          timers.after(0, resume);
          return;
        }
      }
      queue = [];
      head = 0;
      isRunning = false;
    } catch (error) {
      stopWith(error);
    }
  };

  return {
    post: (work) => {
      if (isClosed) return;
      queue.push(work);
      run();
    },
    size: () => queue.length - head,
    close,
  };
}
