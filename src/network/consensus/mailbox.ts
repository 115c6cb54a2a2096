import type { Timers } from '../../base/timing/timers.ts';

type Work = () => void | Promise<void>;

/** Runs work one after the other, also work that is asynchronous. After `turnMilliseconds` of work other tasks of the process run first. */
type Mailbox = {
  readonly post: (work: Work) => void;
  /** Adds work that runs when no other work waits, such as that of peers without stake. */
  readonly postLast: (work: Work) => void;
  readonly size: () => number;
  /** Whether work that is added now runs during the call. */
  readonly isIdle: () => boolean;
  /** Drops what waits, and all later work. */
  readonly close: () => void;
};

const turnMilliseconds = 10;

/** `fail` is called once with the error of work that throws; nothing runs after it. */
export function createMailbox(timers: Timers, fail: (error: unknown) => void): Mailbox {
  const [first, last] = [createFifo<Work>(), createFifo<Work>()];
  let isRunning = false;
  let isClosed = false;

  const size = (): number => first.size() + last.size();
  const close = (): void => {
    isClosed = true;
    first.clear();
    last.clear();
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
      for (let work = first.take() ?? last.take(); work !== undefined; work = first.take() ?? last.take()) {
        const promise = work();
        if (promise !== undefined) {
          promise.then(resume, stopWith);
          return;
        }
        if (timers.now() > end && size() > 0) {
          timers.after(0, resume);
          return;
        }
      }
      isRunning = false;
    } catch (error) {
      stopWith(error);
    }
  };
  const postTo = (queue: Fifo<Work>) => (work: Work) => {
    if (isClosed) return;
    queue.add(work);
    run();
  };

  return { post: postTo(first), postLast: postTo(last), size, isIdle: () => !isRunning, close };
}

type Fifo<T> = {
  readonly add: (item: T) => void;
  readonly take: () => T | undefined;
  readonly size: () => number;
  readonly clear: () => void;
};

/** A queue whose `take` does not move the others. */
function createFifo<T>(): Fifo<T> {
  let items: T[] = [];
  let head = 0;
  const clear = (): void => {
    items = [];
    head = 0;
  };
  return {
    add: (item) => void items.push(item),
    take: () => {
      const item = items[head];
      if (item === undefined) return undefined;
      head++;
      if (head === items.length) clear();
      else if (head > 1024) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    size: () => items.length - head,
    clear,
  };
}
