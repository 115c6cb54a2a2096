import { type DatabaseTls, parseDatabaseUrl } from '../../../cluster/postgres/database-url.ts';
import {
  defaultStatementMilliseconds,
  directSetting,
  type PostgresOptions,
  plannerSettings,
  quoteIdentifier,
} from '../../../cluster/postgres/postgres.ts';

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

/** A connection. It is opened by its first statement, and again by the first one after it was lost. */
export function connect(options: PostgresOptions, onLost = options.onLost): Bun.SQL {
  const { url, connectMilliseconds = 2000, isPooled = false } = options;
  const { hosts, user, password, database, schema, tls } = parseDatabaseUrl(url);
  const [{ host, port }] = hosts as [(typeof hosts)[0]];
  return new Bun.SQL({
    adapter: 'postgres',
    // The mode of TLS can only be given in a URL; everything else here has precedence over it.
    url: `postgres://localhost/?sslmode=${tls.mode}`,
    hostname: host,
    port,
    username: user,
    password,
    database,
    tls: host.startsWith('/') ? undefined : tlsFiles(tls),
    max: 1,
    bigint: true,
    prepare: !isPooled,
    connectionTimeout: connectMilliseconds / 1000,
    onclose: onLost,
    connection: sessionSettings(options, schema),
  });
}

/** Settings of a session. A pooler such as PgBouncer gets the name only: its sessions belong to other clients too. */
function sessionSettings(
  {
    applicationName = 'serac',
    isPooled = false,
    dialect = 'postgres',
    statementMilliseconds = defaultStatementMilliseconds,
    idleMilliseconds,
  }: PostgresOptions,
  schema: string | undefined,
): Record<string, string | number> {
  const settings: Record<string, string | number> = { application_name: applicationName };
  if (isPooled) return settings;
  Object.assign(settings, keepAliveSettings, plannerSettings[dialect]);
  settings[directSetting] = 'yes';
  // The server's timeout is a little shorter than ours, so that a slow statement ends with the server's own error.
  settings.statement_timeout = Math.ceil(statementMilliseconds * 0.9);
  if (idleMilliseconds !== undefined) {
    settings.idle_session_timeout = idleMilliseconds;
    settings.idle_in_transaction_session_timeout = idleMilliseconds;
  }
  if (schema !== undefined) settings.search_path = quoteIdentifier(schema);
  return settings;
}

/** Files of TLS. With a certificate authority and no mode that verifies, the driver would verify all the same; libpq does not. */
function tlsFiles({ mode, ca, certificate, key }: DatabaseTls): Bun.TLSOptions | undefined {
  const verifies = mode === 'verify-ca' || mode === 'verify-full';
  const files = { ca: verifies ? ca : undefined, cert: certificate, key };
  if (mode === 'disable' || Object.values(files).every((path) => path === undefined)) return undefined;
  return Object.fromEntries(Object.entries(files).flatMap(([name, path]) => (path === undefined ? [] : [[name, Bun.file(path)]])));
}
