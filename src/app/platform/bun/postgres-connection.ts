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
