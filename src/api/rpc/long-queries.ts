import { type LongWork, runSteps } from '../../base/timing/long-work.ts';
import { AvmError } from './fault.ts';

/**
 * Runs a query that takes long in small steps, so that other requests are answered in between. One query runs at a time, since each may use
 * tens of megabytes. Callers with the same key share the result while the query waits or runs.
 */
export type RunLongQuery = <T>(key: string, work: Generator<void, T>) => Promise<T>;

/** Queries that wait for others, or run. Each can take seconds: who comes later would wait for minutes. */
export const maxWaiting = 256;

export function createLongQueryRunner(longWork: LongWork): RunLongQuery {
  const running = new Map<string, Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();

  return <T>(key: string, work: Generator<void, T>): Promise<T> => {
    const existing = running.get(key);
    if (existing !== undefined) return existing as Promise<T>;
    if (running.size >= maxWaiting)
      return Promise.reject(new AvmError(`${maxWaiting} long queries are waiting; try again`, { code: 'AVM_BUSY', max: maxWaiting }));
    const result = last.then(() => runSteps(work, longWork.begin())).finally(() => running.delete(key));
    running.set(key, result);
    last = result.catch(() => {});
    return result;
  };
}
