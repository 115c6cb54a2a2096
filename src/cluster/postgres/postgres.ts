import type { GroupResult, Sql, SqlQuery } from '../../ledger/index/sql.ts';

/** A PostgreSQL server as this wing uses it. `app/platform/bun/postgres.ts` implements it with Bun's driver. */

type Value = null | number | string | Uint8Array;

/** Citus is PostgreSQL too; see ledger/index/distribution.ts. */
export type PostgresDialect = Exclude<Sql['dialect'], 'sqlite'>;

export type PostgresConnection = {
  readonly all: <Row>(text: string, values: readonly Value[]) => Promise<Row[]>;
  /** Runs a COPY with rows in PostgreSQL's binary format. */
  readonly copy: (text: string, rows: Uint8Array) => Promise<void>;
  readonly dialect: PostgresDialect;
};

export type Postgres = PostgresConnection & {
  /**
   * Runs queries that do not depend on each other, and `last` after all of them: it sees whatever they have seen. Without a pooler all are sent
   * at once on one connection. Rejects if `last` fails.
   */
  readonly groupThen: (queries: readonly SqlQuery[], last: SqlQuery) => Promise<GroupThen>;
  /** Runs `work` in one transaction on one connection. */
  readonly write: <T>(work: (sql: PostgresConnection) => T | Promise<T>) => Promise<T>;
  /**
   * Calls `onNotify` when it begins to listen on a channel, with an empty payload, for every notification, and after each reconnect, when some
   * may have been missed; `onLost` when the connection, which is its own, is lost. Returns a function that ends this.
   */
  readonly listen: (channel: string, to: Listener) => () => void;
  readonly close: () => Promise<void>;
};

export type OpenPostgres = (options: PostgresOptions) => Postgres;

export type GroupThen = { readonly results: readonly GroupResult[]; readonly last: unknown[] };

export type Listener = { readonly onNotify: (payload: string) => void; readonly onLost: () => void };

export type PostgresOptions = {
  /** Of one host; see `splitHosts`. */
  readonly url: string;
  /**
   * The URL is one of a pooler, such as PgBouncer in transaction mode, which may run every transaction on another connection of the server.
   * So nothing is set for a session and no statement is prepared by name: search_path, statement_timeout and the planner's settings are
   * those of the role (docs/guides/cluster.md), and `listen` does not work.
   */
  readonly isPooled?: boolean;
  /** `citus`: the tables are divided over several servers; default `postgres`. */
  readonly dialect?: PostgresDialect;
  /** Maximum number of connections; default 8. */
  readonly max?: number;
  readonly connectMilliseconds?: number;
  /** Timeout of one statement, also if the server does not answer at all. */
  readonly statementMilliseconds?: number;
  /** The name by which other sessions find those of this pool in `pg_stat_activity`; default `serac`. */
  readonly applicationName?: string;
  /** The server ends a session that was idle for so long, in a transaction or not; default: as the server is set. Not sent to a pooler. */
  readonly idleMilliseconds?: number;
  /** How often a connection that listens is checked, and how long it may take; default 5000. */
  readonly listenCheckMilliseconds?: number;
  /** Called each time an established connection is closed, by either side. */
  readonly onLost?: () => void;
};

export const defaultStatementMilliseconds = 2000;

/**
 * Planner settings: always use indexes, since every query reads a few rows by a key. Without them the planner chooses to read or sort whole
 * tables while they are small; it cannot know that they will grow.
 */
const indexSettings = {
  jit: 'off',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
} as const;

export const plannerSettings: { readonly [D in PostgresDialect]: { readonly [setting: string]: string | number } } = {
  postgres: {
    ...indexSettings,
    // A statement is planned once for each connection. With partitions a plan for single values looks cheaper, so one would be made every time.
    plan_cache_mode: 'force_generic_plan',
  },
  citus: {
    ...indexSettings,
    // One connection to each worker: a statement reads few shards of it, and a transaction is prepared once on each.
    'citus.max_adaptive_executor_pool_size': 1,
  },
};

/**
 * A setting that exists only in sessions of this program that have no pooler in between: a pooler refuses the connection because of it, or
 * drops it. So `current_setting('serac.direct', true)` says what the connection is.
 */
export const directSetting = 'serac.direct';

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
