import { Fault } from '../fault.ts';

export type StoreFault =
  | { code: 'STORE_IN_USE'; path: string }
  | { code: 'STORE_OTHER_NETWORK'; stored: number; wanted: number }
  | { code: 'STORE_OTHER_GENESIS'; stored: string; wanted: string }
  | { code: 'STORE_OTHER_SCHEMA'; stored: number; wanted: number }
  | { code: 'STORE_EMPTY' }
  | { code: 'STORE_FULL' }
  | { code: 'STORE_MISSING'; path: string }
  | { code: 'STORE_FOREIGN'; path: string }
  | { code: 'STORE_DAMAGED' }
  | { code: 'STORE_FAILED' };

export class StoreError extends Fault<StoreFault> {}

/** What the driver said, as a fault of ours. */
export function storeFailed(what: string, cause: unknown, isInMemory = false): StoreError {
  const said = (cause as { message?: string } | null)?.message ?? String(cause);
  const fault = isDamage(cause)
    ? new StoreError(`${what}: the file is damaged or not a database (${said}); restore it from a backup`, { code: 'STORE_DAMAGED' })
    : isFull(cause)
      ? new StoreError(`${what}: ${said}; ${isInMemory ? memoryRemedy : diskRemedy}`, { code: 'STORE_FULL' })
      : new StoreError(`${what}: ${said}`, { code: 'STORE_FAILED' });
  fault.cause = cause;
  return fault;
}

const diskRemedy = 'free space on the disk of the data directory, the node tries again by itself';
const memoryRemedy = 'a database in memory ends at 1 GiB, use --data-dir for more';

/** An error that a driver threw where nobody made a fault of it; undefined for any other error. */
export const storeFaultOf = (cause: unknown): StoreError | undefined =>
  resultCode(cause) === undefined ? undefined : storeFailed('database', cause);

/** SQLITE_FULL. */
const fullCode = 13;

const isFull = (cause: unknown): boolean => resultCode(cause) === fullCode;

/** SQLite's result codes for a malformed file and for one that is no database at all. */
const damageCodes: readonly (number | undefined)[] = [11, 26];

const isDamage = (cause: unknown): boolean => damageCodes.includes(resultCode(cause));

/** The primary result code of an error of Bun's or Node's driver. */
function resultCode(cause: unknown): number | undefined {
  const { name, code, errno, errcode } = (cause ?? {}) as { name?: string; code?: unknown; errno?: number; errcode?: number };
  const full = name === 'SQLiteError' ? errno : code === 'ERR_SQLITE_ERROR' ? errcode : undefined;
  return full === undefined ? undefined : full & 0xff;
}
