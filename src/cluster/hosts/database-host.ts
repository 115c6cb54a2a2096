import { txIdTable } from '../../ledger/index/distribution.ts';
import type { GroupResult, SqlQuery } from '../../ledger/index/sql.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import { describeDatabase, parseDatabaseUrl, replaceHost } from '../postgres/database-url.ts';
import { directSetting, type Postgres, type PostgresDialect, plannerSettings, quoteIdentifier } from '../postgres/postgres.ts';
import { databaseName, PostgresError } from '../postgres/postgres-fault.ts';
import type { DatabaseConfig } from './database-config.ts';
import { createShardReads } from './shard-reads.ts';

/** One PostgreSQL server, reached directly or through a pooler such as PgBouncer. */
export type DatabaseHost = {
  readonly name: string;
  readonly url: string;
  /** The connection pool. What kind of server it is, is found out before the first statement. */
  readonly sql: ReadSql;
  /** How often shards of Citus were found to have moved. */
  readonly changes: () => number;
  readonly listen: Postgres['listen'];
  /** Asks the server what it is now: a replica becomes the primary when it is promoted. */
  readonly probe: () => Promise<HostState>;
  readonly close: () => Promise<void>;
};

/** Statements that read. */
export type ReadSql = Pick<Postgres, 'dialect' | 'all' | 'groupThen'> & {
  /**
   * The rows of queries that workers of Citus have; undefined if another server is needed. They may be old if a shard was moved: then `changes` of the
   * hosts grows with the next `groupThen` at the latest.
   */
  readonly groupOnWorkers: (queries: readonly SqlQuery[]) => Promise<readonly GroupResult[] | undefined>;
};

export type HostState = {
  readonly role: 'primary' | 'replica';
  /** The timeline that a primary writes; each promotion begins a new one, with a higher number. 0 for a replica. */
  readonly timeline: number;
  /** When the server was started: the same behind a pooler and at its own address. */
  readonly server: string;
  readonly isPooled: boolean;
  /** Whether the tables of the schema are divided over the servers of a Citus cluster; `postgres` while there are none. */
  readonly dialect: PostgresDialect;
};

type HostEnv = Pick<ClusterEnv, 'openPostgres' | 'log' | 'timers'>;

/** `config`: pool size and timeout. */
export function openDatabaseHost(url: string, config: Pick<DatabaseConfig, 'poolSize' | 'statementTimeout'>, env: HostEnv): DatabaseHost {
  const name = databaseName(url);
  let isPooled = false;
  let dialect: PostgresDialect = 'postgres';
  const open = (): Postgres =>
    env.openPostgres({ url, max: config.poolSize, statementMilliseconds: config.statementTimeout, isPooled, dialect });
  let pool = open();
  const shards = createShardReads({
    coordinator: () => pool,
    openWorker: (worker, schema) =>
      env.openPostgres({ url: replaceHost(url, worker, schema), max: config.poolSize, statementMilliseconds: config.statementTimeout }),
    timers: env.timers,
    log: env.log,
  });
  let isKnown = false;
  let isClosed = false;

  /** Through a pooler the workers' own addresses may not be reached, and no plan is kept. */
  const readsWorkers = (): boolean => dialect === 'citus' && !isPooled;

  /** Replaces the pool by one with other settings. Nothing runs on the old one: no statement is sent before the server is known. */
  const reopen = async (): Promise<void> => {
    const old = pool;
    pool = open();
    await old.close();
  };
  const usePooler = async (): Promise<void> => {
    if (isPooled || isClosed) return;
    isPooled = true;
    await reopen();
  };

  const ask = async (): Promise<ProbeRow> => {
    const [row] = await pool.all<ProbeRow>(probeText, []).catch(async (error: unknown) => {
      if (!isUnsupportedSetting(error) || isPooled) throw error;
      await usePooler();
      return pool.all<ProbeRow>(probeText, []);
    });
    return row as ProbeRow;
  };

  const probe = async (): Promise<HostState> => {
    let row = await ask();
    if (row.direct === null && !isPooled) {
      // A pooler that drops settings instead of refusing them.
      await usePooler();
      row = await ask();
    }
    if (!isKnown && isPooled) checkRole(url, row, config.statementTimeout, env);
    if (!isKnown && row.schema === null) throw noSchema(url, row.role);
    const found: PostgresDialect = row.is_divided ? 'citus' : 'postgres';
    if (found !== dialect && !isClosed) {
      dialect = found;
      await reopen();
    }
    isKnown = true;
    return {
      role: row.is_replica ? 'replica' : 'primary',
      timeline: row.wal === null ? 0 : Number.parseInt(row.wal.slice(0, 8), 16),
      server: row.started,
      isPooled,
      dialect,
    };
  };

  return {
    name,
    url,
    sql: {
      get dialect() {
        return dialect;
      },
      all: async (text, values) => {
        if (!isKnown) await probe();
        return pool.all(text, values);
      },
      groupThen: async (queries, last) => {
        if (!isKnown) await probe();
        return (readsWorkers() ? shards : pool).groupThen(queries, last);
      },
      groupOnWorkers: async (queries) => (isKnown && readsWorkers() ? shards.groupOnWorkers(queries) : undefined),
    },
    changes: shards.changes,
    listen: (channel, to) => pool.listen(channel, to),
    probe,
    close: async () => {
      isClosed = true;
      await Promise.all([pool.close(), shards.close()]);
    },
  };
}

type ProbeRow = {
  readonly is_replica: boolean;
  readonly wal: string | null;
  readonly started: string;
  readonly direct: string | null;
  readonly timeout: string;
  readonly seqscan: string;
  readonly schema: string | null;
  readonly role: string;
  readonly is_divided: boolean;
};

/** The name of a WAL file begins with the timeline. Only on Citus the first chain has a table of IDs. */
const probeText = `SELECT pg_is_in_recovery() AS is_replica,
  CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_walfile_name(pg_current_wal_lsn()) END AS wal,
  CAST(extract(epoch FROM pg_postmaster_start_time()) AS text) AS started, current_setting('${directSetting}', true) AS direct, current_setting('statement_timeout') AS timeout,
  current_setting('enable_seqscan') AS seqscan, CAST(current_schema() AS text) AS schema, CAST(current_user AS text) AS role,
  to_regclass('${txIdTable('citus', tablesOf(1))}') IS NOT NULL AS is_divided`;

/** PgBouncer's refusal of a setting that it does not know. */
const isUnsupportedSetting = (error: unknown): boolean =>
  error instanceof PostgresError && error.fault.reason === '08P01' && error.message.includes('startup parameter');

/** The schema of the URL, or every one of the role's search_path, does not exist or may not be used by the role. */
const noSchema = (url: string, role: string): PostgresError => {
  const wanted = parseDatabaseUrl(url).schema;
  const which = wanted === undefined ? `no schema of the search_path of the role ${role} exists` : `the schema "${wanted}" does not exist`;
  return new PostgresError(`${databaseName(url)}: ${which}, or the role ${role} may not use it; create it, or grant USAGE on it`, {
    code: 'DATABASE_REFUSED',
    reason: 'no schema',
  });
};

/** Through a pooler the settings of a session are those of the role: says what is missing. Throws if the tables would not be found. */
function checkRole(url: string, row: ProbeRow, statementTimeout: number, env: HostEnv): void {
  const { role, schema, timeout, seqscan } = row;
  const wanted = parseDatabaseUrl(url).schema;
  const alter = `ALTER ROLE ${quoteIdentifier(role)} SET`;
  if (wanted !== undefined && schema !== wanted)
    throw new PostgresError(
      `PostgreSQL at ${describeDatabase(url)} is a pooler, through which the schema of the URL cannot be set; run: ${alter} search_path = ${quoteIdentifier(wanted)}`,
      { code: 'DATABASE_REFUSED', reason: 'schema through a pooler' },
    );
  const missing = [
    ...(timeout === '0' ? [`${alter} statement_timeout = ${statementTimeout}`] : []),
    ...(seqscan === 'on'
      ? Object.entries(plannerSettings[row.is_divided ? 'citus' : 'postgres']).map(([name, value]) => `${alter} ${name} = ${value}`)
      : []),
  ];
  if (missing.length > 0)
    env.log(
      `${databaseName(url)} is a pooler, so the settings of its sessions are those of the role; queries are faster after: ${missing.join('; ')}`,
      'warn',
    );
}
