import type { LongWork } from '../../base/timing/long-work.ts';

/**
 * Runs a query that takes long in small steps, so that other requests are answered in between. One query runs at a time, since each may use
 * tens of megabytes. Callers with the same key share the result while the query waits or runs.
 */
export type RunLongQuery = <T>(key: string, work: Generator<void, T>) => Promise<T>;

export function createLongQueryRunner(longWork: LongWork): RunLongQuery {
  const running = new Map<string, Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();

  return <T>(key: string, work: Generator<void, T>): Promise<T> => {
    const existing = running.get(key);
    if (existing !== undefined) return existing as Promise<T>;
    const result = last.then(() => runToEnd(work, longWork)).finally(() => running.delete(key));
    running.set(key, result);
    last = result.catch(() => {});
    return result;
  };
}

async function runToEnd<T>(work: Generator<void, T>, longWork: LongWork): Promise<T> {
  const pause = longWork.begin();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await pause();
  }
}
