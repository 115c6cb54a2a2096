import type { Timers } from '../../base/timing/timers.ts';

/** A promise only while a block is being stored: what is stored within the call is decided within the event. */
type Work = () => void | Promise<void>;

/**
 * Runs work one after the other, also work that is asynchronous: the events of an engine (snowman-engine.ts), the received transactions of gossip.
 * After `turnMilliseconds` of work other tasks of the process run first.
 */
export type Mailbox = ReturnType<typeof createMailbox>;

const turnMilliseconds = 10;

/** `fail` is called once with the error of work that throws; nothing runs after it. */
export function createMailbox(timers: Timers, fail: (error: unknown) => void) {
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
  const postTo =
    (queue: Fifo<Work>) =>
    (work: Work): void => {
      if (isClosed) return;
      queue.add(work);
      run();
    };

  return {
    post: postTo(first),
    /** Adds work that runs when no other work waits, such as that of peers without stake. */
    postLast: postTo(last),
    size,
    /** Whether work that is added now runs during the call. */
    isIdle: (): boolean => !isRunning,
    /** Drops what waits, and all later work. */
    close,
  };
}

type Fifo<T> = ReturnType<typeof createFifo<T>>;

/** A queue whose `take` does not move the other items. */
function createFifo<T>() {
  let items: T[] = [];
  let head = 0;
  const clear = (): void => {
    items = [];
    head = 0;
  };
  return {
    add: (item: T): void => void items.push(item),
    take: (): T | undefined => {
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
    size: (): number => items.length - head,
    clear,
  };
}
