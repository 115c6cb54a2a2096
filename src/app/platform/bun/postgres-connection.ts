import { type DatabaseTls, parseDatabaseUrl } from '../../config/database-url.ts';

export type PostgresOptions = {
  /** Of one host; see `splitHosts`. */
  readonly url: string;
  /**
   * The URL is one of a pooler, such as PgBouncer in transaction mode, which may run every transaction on another connection of the server.
   * So nothing is set for a session and no statement is prepared by name: search_path, statement_timeout and the planner's settings are
   * those of the role (docs/guides/cluster.md), and `listen` does not work.
   */
  readonly isPooled?: boolean;
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

/**
 * Planner settings: always use indexes, since every query reads a few rows by a key. Without them the planner chooses to read or sort whole
 * tables while they are small; it cannot know that they will grow.
 */
export const plannerSettings = {
  jit: 'off',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  // A statement is planned once for each connection. With partitions a plan for single values looks cheaper, so one would be made every time.
  plan_cache_mode: 'force_generic_plan',
} as const;

/**
 * When the server ends a session whose client is gone without a word, such as a host without power: after 25 s without an answer. The default of
 * Linux is two hours.
 */
const keepAliveSettings = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
} as const;

/**
 * A setting that exists only in sessions of this program that have no pooler in between: a pooler refuses the connection because of it, or
 * drops it. So `current_setting('serac.direct', true)` says what the connection is.
 */
export const directSetting = 'serac.direct';

/** A connection. It is opened by its first statement, and again by the first one after it was lost. */
export function connect({
  url,
  connectMilliseconds = 2000,
  statementMilliseconds = defaultStatementMilliseconds,
  applicationName = 'serac',
  idleMilliseconds,
  isPooled = false,
  onLost,
}: PostgresOptions): Bun.SQL {
  const { hosts, user, password, database, schema, tls } = parseDatabaseUrl(url);
  const [{ host, port }] = hosts as [(typeof hosts)[0]];
  return new Bun.SQL({
    adapter: 'postgres',
    // The mode of TLS can only be given in a URL; everything else here has precedence over it.
    url: `postgres://localhost/?sslmode=${tls.mode}`,
    hostname: host,
    port,
    ...(user !== undefined && { username: user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    ...(!host.startsWith('/') && tlsOptions(tls)),
    max: 1,
    bigint: true,
    prepare: !isPooled,
    connectionTimeout: connectMilliseconds / 1000,
    ...(onLost ? { onclose: onLost } : {}),
    connection: {
      application_name: applicationName,
      ...(!isPooled && {
        ...keepAliveSettings,
        ...(idleMilliseconds !== undefined && {
          idle_session_timeout: idleMilliseconds,
          idle_in_transaction_session_timeout: idleMilliseconds,
        }),
        [directSetting]: 'yes',
        // The server's timeout is a little shorter than ours, so that a slow statement ends with the server's own error.
        statement_timeout: Math.ceil(statementMilliseconds * 0.9),
        ...plannerSettings,
        ...(schema !== undefined && { search_path: quoteIdentifier(schema) }),
      }),
    },
  });
}

export const defaultStatementMilliseconds = 2000;

/** Files of TLS. With a certificate authority and no mode that verifies, the driver would verify all the same; libpq does not. */
function tlsOptions({ mode, ca, certificate, key }: DatabaseTls): { readonly tls?: Bun.TLSOptions } {
  if (mode === 'disable') return {};
  const verifies = mode === 'verify-ca' || mode === 'verify-full';
  const options = {
    ...(ca !== undefined && verifies && { ca: Bun.file(ca) }),
    ...(certificate !== undefined && { cert: Bun.file(certificate) }),
    ...(key !== undefined && { key: Bun.file(key) }),
  };
  return Object.keys(options).length === 0 ? {} : { tls: options };
}

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
