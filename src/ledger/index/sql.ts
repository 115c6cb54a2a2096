import type { SqlValue } from '../store/database.ts';

/**
 * The database the index is in: SQLite inside the node, PostgreSQL for several processes, Citus if the tables are divided over several servers
 * (distribution.ts). All run nearly the same SQL texts, so these use only what all support: `?` for values, blobs compared byte by byte, row values, `LIMIT ? + 0` (see ledger/state/owner-rows.ts).
 * Rows are objects by column name; integers are numbers, safe below 2^53; a u64 is 8 big-endian bytes, a sum 16.
 * SQLite returns rows synchronously, PostgreSQL returns a promise: callers always `await`.
 */
export type Sql = {
  readonly dialect: 'sqlite' | 'postgres' | 'citus';
  readonly all: <Row>(text: string, values: readonly SqlValue[]) => Row[] | Promise<Row[]>;
  /**
   * Citus only: runs a read of several groups of queries. The database that `read` gets returns rows that may be old, because their shard was moved: so
   * nothing may be cached until `read` has ended. Then it is checked whether any was moved; if so, `read` runs again, on this database.
   */
  readonly checkAtEnd?: <T>(read: (sql: Sql) => Promise<T>) => Promise<T>;
  /** Not SQLite: runs queries that do not depend on each other, in one round trip where that is possible. Each has a result of its own. */
  readonly group?: (queries: readonly SqlQuery[]) => Promise<readonly GroupResult[]>;
  /** Not SQLite: runs a COPY of rows in its binary format. */
  readonly copy?: (text: string, rows: Uint8Array) => Promise<void>;
  /** SQLite only: runs `work` in one read transaction, so that all its reads see the same state. `work` must be synchronous. */
  readonly read?: <T>(work: () => T) => T;
  /** SQLite only: the number of times the database was reverted. */
  readonly epoch?: () => number;
  /** SQLite only: returns a function that calls `read` again only after a commit. */
  readonly untilCommit?: <T>(read: () => T) => () => T;
};

export type SqlQuery = { readonly text: string; readonly values: readonly SqlValue[] };

/** The rows of a query of a group, or why it failed. */
export type GroupResult = PromiseSettledResult<unknown[]>;

export type { SqlValue };

/** A database that can be written to. `write` runs `work` in one transaction. */
export type WritableSql = Sql & { readonly write: <T>(work: (sql: Sql) => T | Promise<T>) => T | Promise<T> };

/** A text with other names for its values: the first `?` becomes `name(0)`. In the texts of this program a `?` is always a value. */
export function nameValues(text: string, name: (position: number) => string): string {
  const [start, ...others] = text.split('?');
  return start + others.map((piece, position) => name(position) + piece).join('');
}

/** PostgreSQL only: whether the schema has a table of this name. A process of another version may not have created it. */
export async function hasTable(sql: Pick<Sql, 'all'>, name: string): Promise<boolean> {
  const [table] = await sql.all<{ name: string | null }>(`SELECT CAST(to_regclass('${name}') AS text) AS name`, []);
  return table?.name != null;
}
