import { Fault } from '../fault.ts';

export type StoreFault =
  | { code: 'STORE_IN_USE'; path: string }
  | { code: 'STORE_OTHER_NETWORK'; stored: number; wanted: number }
  | { code: 'STORE_OTHER_GENESIS'; stored: string; wanted: string }
  | { code: 'STORE_OTHER_SCHEMA'; stored: number; wanted: number }
  | { code: 'STORE_EMPTY' }
  | { code: 'STORE_FULL' }
  | { code: 'STORE_FAILED' };

export class StoreError extends Fault<StoreFault> {}

/** What the driver said, as a fault of ours. */
export function storeFailed(what: string, cause: unknown, isInMemory = false): StoreError {
  const text = `${what}: ${(cause as { message?: string } | null)?.message ?? cause}`;
  const fault = isFull(cause)
    ? new StoreError(`${text}; ${isInMemory ? memoryRemedy : diskRemedy}`, { code: 'STORE_FULL' })
    : new StoreError(text, { code: 'STORE_FAILED' });
  fault.cause = cause;
  return fault;
}

const diskRemedy = 'free space on the disk of the data directory, the node tries again by itself';
const memoryRemedy = 'a database in memory ends at 1 GiB, use --data-dir for more';

/** SQLITE_FULL is error 13; Bun calls it `errno`, Node `errcode`. */
const isFull = (cause: unknown): boolean => {
  const { errno, errcode } = (cause ?? {}) as { errno?: unknown; errcode?: unknown };
  return errno === 13 || errcode === 13;
};
