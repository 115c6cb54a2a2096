/**
 * The part of SQLite that Serac uses; `app/platform` implements it for each runtime. A u64 is stored as 8 big-endian bytes, not as a number,
 * because SQLite's integers are signed. Heights and sequence numbers are stored as numbers: they stay below 2^53.
 */
export type Database = {
  /** Runs one or more statements that take no parameters and return no rows. */
  readonly exec: (sql: string) => void;
  readonly prepare: <Row = never>(sql: string) => Statement<Row>;
  /** The name of a file on disk for ATTACH, as an SQL literal. */
  readonly fileToAttach: (path: string) => string;
  /** Size of the write-ahead log file in bytes; 0 for a database in memory. */
  readonly walBytes: () => number;
  /** Increases with every commit of another process, without a query. Undefined unless `watchesCommits` was given and the platform can do it. */
  readonly commitVersion?: (() => number) | undefined;
  readonly close: () => void;
};

/** A statement, prepared when it is first run: a mistake in its SQL throws then. It can be run until its database is closed. Rows are objects with the column names as keys. */
export type Statement<Row> = {
  readonly run: (...values: SqlValue[]) => void;
  readonly get: (...values: SqlValue[]) => Row | undefined;
  readonly all: (...values: SqlValue[]) => Row[];
};

export type SqlValue = null | number | string | Uint8Array;

export type OpenDatabase = (
  path: string,
  options: {
    readonly readonly: boolean;
    /** For the only connection of a process to a database that another process writes and has open: provides `commitVersion`. */
    readonly watchesCommits?: boolean;
  },
) => Database;

/** The path of a database in memory; closing the database deletes it. */
export const memoryPath = ':memory:';
