import { Fault } from '../../base/fault.ts';

type StoreFault =
  | { code: 'STORE_IN_USE'; path: string }
  | { code: 'STORE_OTHER_NETWORK'; stored: number; wanted: number }
  | { code: 'STORE_OTHER_GENESIS'; stored: string; wanted: string }
  | { code: 'STORE_OTHER_SCHEMA'; stored: number; wanted: number }
  | { code: 'STORE_EMPTY' }
  | { code: 'STORE_FULL' }
  | { code: 'STORE_MISSING'; path: string }
  | { code: 'STORE_EXISTS'; path: string }
  | { code: 'STORE_FOREIGN'; path: string }
  | { code: 'STORE_REMOVED'; path: string }
  | { code: 'STORE_DAMAGED' }
  | { code: 'STORE_FAILED' };

export class StoreError extends Fault<StoreFault> {}

/** Converts an error of the database driver to a StoreError; the message begins with `failedAction`. */
export function makeStoreError(failedAction: string, cause: unknown, isInMemory = false): StoreError {
  const reason = (cause as { message?: string } | null)?.message ?? String(cause);
  const error = isDamage(cause)
    ? new StoreError(
        `${failedAction}: the file is damaged or not a database, or the disk cannot read it (${reason}); restore it from a backup`,
        {
          code: 'STORE_DAMAGED',
        },
      )
    : isFull(cause)
      ? new StoreError(`${failedAction}: ${reason}; ${isInMemory ? memoryRemedy : diskRemedy}`, { code: 'STORE_FULL' })
      : new StoreError(`${failedAction}: ${reason}`, { code: 'STORE_FAILED' });
  error.cause = cause;
  return error;
}

/** Whether the write is tried again is known to the caller: a running chain does, a start does not. */
const diskRemedy = 'free space on the disk of the data directory';
const memoryRemedy = 'a database in memory is limited to 1 GiB; use --data-dir to store more';

/** Converts an error that a database driver threw and that is not a StoreError yet; returns undefined for any other error. */
export const storeErrorFromDriver = (cause: unknown): StoreError | undefined =>
  resultCode(cause) === undefined ? undefined : makeStoreError('database', cause);

/** SQLITE_FULL: the disk, or a database in memory, is full. SQLITE_IOERR_SHMSIZE: the file of the WAL index could not grow, for the same reason. */
const [fullCode, walIndexFullCode] = [13, 4874];

const isFull = (cause: unknown): boolean => resultCode(cause) === fullCode || extendedCode(cause) === walIndexFullCode;

/** SQLITE_IOERR: the disk reports an error. */
const ioErrorCode = 10;

/** Whether a result code of SQLite, with or without its extension, says that the disk reports an error. */
export const isIoErrorCode = (code: number): boolean => (code & 0xff) === ioErrorCode;

/** How the disk failed: with an error, at any moment of a commit, or because it is full, before all of the commit was written. */
export type DiskFailure = 'error' | 'full';

/** How the disk has failed, if that is the cause. */
export function diskFailureOf(cause: unknown): DiskFailure | undefined {
  const code = resultCode(cause);
  return code === ioErrorCode ? 'error' : code === fullCode ? 'full' : undefined;
}

/** SQLITE_CORRUPT (a malformed file, or a page that the disk fails to read) and SQLITE_NOTADB (not a SQLite file). */
const damageCodes: readonly (number | undefined)[] = [11, 26];

const isDamage = (cause: unknown): boolean => damageCodes.includes(resultCode(cause));

/** SQLite's primary result code in an error of Bun's or Node's driver; undefined for any other error. */
function resultCode(cause: unknown): number | undefined {
  const code = extendedCode(cause);
  return code === undefined ? undefined : code & 0xff;
}

function extendedCode(cause: unknown): number | undefined {
  const { name, code, errno, errcode } = (cause ?? {}) as { name?: string; code?: unknown; errno?: number; errcode?: number };
  return name === 'SQLiteError' ? errno : code === 'ERR_SQLITE_ERROR' ? errcode : undefined;
}
