import type { SqlValue } from '../store/database.ts';

/**
 * A database as the index asks it: SQLite inside the node, PostgreSQL for many processes. One text of SQL serves both, so it keeps to what
 * both understand: `?` for values, blobs compared byte by byte, row values, `LIMIT ? + 0` (see state/accounts.ts).
 * Rows come as objects by column name; integers are numbers, safe below 2^53; a u64 is 8 big-endian bytes, a sum 16.
 * SQLite answers at once, PostgreSQL with a promise: callers always `await`.
 */
export type Sql = {
  readonly dialect: 'sqlite' | 'postgres';
  readonly all: <Row>(text: string, values: readonly SqlValue[]) => Row[] | Promise<Row[]>;
  /** SQLite only: everything the work reads is of one moment. It must not wait. */
  readonly read?: <T>(work: () => T) => T;
};

export type { SqlValue };

/** One that can be written to. Everything inside `write` is stored together or not at all. */
export type WritableSql = Sql & {
  readonly write: <T>(work: (sql: Sql) => T | Promise<T>) => T | Promise<T>;
};
