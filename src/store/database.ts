/**
 * The little of SQLite that the house needs; `platform/` has it once for each runtime. A u64 never goes in as a number:
 * it is 8 big-endian bytes, because SQLite's integers are signed. Heights and sequence numbers are numbers, safe below 2^53.
 */
export type Database = {
  /** One or more statements without parameters or rows. */
  readonly exec: (sql: string) => void;
  readonly prepare: <Row = never>(sql: string) => Statement<Row>;
  /** Size of the write-ahead log beside the file; 0 in memory. */
  readonly logBytes: () => number;
  readonly close: () => void;
};

/** Prepared once, used often: it lives as long as its database is open. Rows come as objects by column name. */
export type Statement<Row> = {
  readonly run: (...values: SqlValue[]) => void;
  readonly get: (...values: SqlValue[]) => Row | undefined;
  readonly all: (...values: SqlValue[]) => Row[];
};

export type SqlValue = null | number | string | Uint8Array;

export type OpenDatabase = (path: string, options: { readonly readonly: boolean }) => Database;

/** The path of a database that lives in memory, and only as long as it is open. */
export const memoryPath = ':memory:';
