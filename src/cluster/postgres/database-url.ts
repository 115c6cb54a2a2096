import { Fault } from '../../base/fault.ts';

/**
 * A PostgreSQL URL as libpq reads it: `postgres://user:password@host1:5432,host2:5432/name?sslmode=verify-full`. Bun's driver takes one host,
 * and the URL class refuses several. User, password and database are percent-encoded, so that they may contain any character.
 */
type DatabaseUrl = {
  /** The servers of one database: the primary and its replicas, in any order. */
  readonly hosts: readonly DatabaseHost[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  /** The schema of the tables; undefined: the first of the role's search_path. */
  readonly schema: string | undefined;
  readonly tls: DatabaseTls;
  /** Whether the index is read from replicas too. */
  readonly reads: 'replicas' | 'primary';
};

/** A host name or IP address, or the folder of a Unix socket, which begins with a slash. */
type DatabaseHost = { readonly host: string; readonly port: number };

/** `mode` is libpq's sslmode. Paths of PEM files: the certificate authority, the client's certificate and its key. */
export type DatabaseTls = {
  readonly mode: (typeof tlsModes)[number];
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
};

const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** libpq's target_session_attrs. What else it names, such as `standby`, would forbid the primary, which answers when a replica is behind. */
const readsOf = { any: 'replicas', 'prefer-standby': 'replicas', primary: 'primary', 'read-write': 'primary' } as const;

const parameters = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'schema',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'target_session_attrs',
] as const;

/** Hosts of one URL at most. */
const maxHosts = 16;

/** Parses a URL. Throws DATABASE_BAD_URL, whose message never contains the URL: it may have a password. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [, authority = '', path = '', query = ''] = /^postgres(?:ql)?:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(text) ?? [];
  if (!/^postgres(?:ql)?:\/\//.test(text)) throw badUrl('it must begin with postgres://');
  const given = parseQuery(query);
  const at = authority.lastIndexOf('@');
  const [, user = '', password] = /^([^:]*)(?::(.*))?$/s.exec(at < 0 ? '' : authority.slice(0, at)) ?? [];
  const hosts = parseHosts(given.host === undefined ? authority.slice(at + 1) : given.host, given.port);
  return {
    hosts,
    user: given.user ?? (decode(user, 'user') || undefined),
    password: given.password ?? (password === undefined ? undefined : decode(password, 'password')),
    database: given.dbname ?? (decode(path, 'database') || undefined),
    schema: given.schema,
    tls: parseTls(given),
    reads: oneOf('target_session_attrs', given.target_session_attrs ?? 'any', readsOf),
  };
}

/** The URLs of the single hosts, each with everything else of the URL. */
export const splitHosts = (text: string): readonly string[] => {
  const url = parseDatabaseUrl(text);
  return url.hosts.map((host) => formatDatabaseUrl({ ...url, hosts: [host] }));
};

/** The URL of another server, with everything else of a URL, and a schema. */
export const replaceHost = (text: string, { host, port }: DatabaseHost, schema: string): string =>
  formatDatabaseUrl({ ...parseDatabaseUrl(text), hosts: [{ host, port }], schema });

/** Host, port and database of a URL, for messages: without user and password. */
export function describeDatabase(text: string): string {
  try {
    const { hosts, database } = parseDatabaseUrl(text);
    return `${hosts.map(describeHost).join(',')}${database === undefined ? '' : `/${database}`}`;
  } catch {
    return 'an unknown host';
  }
}

const describeHost = ({ host, port }: DatabaseHost): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

function formatDatabaseUrl({ hosts, user, password, database, schema, tls, reads }: DatabaseUrl): string {
  const values: { readonly [name in (typeof parameters)[number]]?: string | undefined } = {
    host: hosts.map(({ host }) => (host.includes(':') ? `[${host}]` : host)).join(','),
    port: hosts.map(({ port }) => port).join(','),
    user,
    password,
    schema,
    sslmode: tls.mode,
    sslrootcert: tls.ca,
    sslcert: tls.certificate,
    sslkey: tls.key,
    target_session_attrs: reads === 'primary' ? 'primary' : 'any',
  };
  const query = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]));
  return `postgres:///${encodeURIComponent(database ?? '')}?${query.join('&')}`;
}

type Given = { readonly [name in (typeof parameters)[number]]?: string };

function parseQuery(query: string): Given {
  const given: { [name: string]: string } = {};
  for (const part of query.split('&').filter((text) => text !== '')) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(part) ?? [];
    if (!parameters.some((known) => known === name))
      throw badUrl(`the parameter ${JSON.stringify(name.slice(0, 40))} is not known; there are ${parameters.join(', ')}`);
    given[name] = decode(value, name);
  }
  return given as Given;
}

/** `host1:5432,[::1]:5433,%2Fvar%2Frun%2Fpostgresql`; libpq's parameter `port` gives the ports of hosts without one, in order. */
function parseHosts(text: string, ports: string | undefined): DatabaseHost[] {
  const names = text.split(',');
  if (names.length > maxHosts) throw badUrl(`it has ${names.length} hosts; at most ${maxHosts} are allowed`);
  const portList = (ports ?? '').split(',');
  return names.map((name, i) => {
    const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(decode(name, 'host')) ?? [];
    const host = bracketed ?? plain;
    // The text is not shown: in postgres://me:se/cret@host/name, where the / is not escaped, it has the beginning of the password.
    if (host === '' && name !== '') throw badUrl(`host ${i + 1} is not host:port; in a password, / is written as %2F`);
    const number = Number(port ?? (portList[i] || (portList.length === 1 ? portList[0] : '') || 5432));
    if (!(number > 0 && number < 65_536)) throw badUrl(`the port of host ${i + 1} is not between 1 and 65535`);
    return { host: host === '' ? 'localhost' : host, port: number };
  });
}

function parseTls(given: Given): DatabaseTls {
  const mode = oneOf('sslmode', given.sslmode ?? 'disable', Object.fromEntries(tlsModes.map((name) => [name, name])));
  const [ca, certificate, key] = [given.sslrootcert, given.sslcert, given.sslkey];
  if ((certificate === undefined) !== (key === undefined)) throw badUrl('sslcert and sslkey must be given together');
  return { mode: mode as DatabaseTls['mode'], ca, certificate, key };
}

function oneOf<T>(name: string, value: string, allowed: { readonly [value: string]: T }): T {
  const found = Object.hasOwn(allowed, value) ? allowed[value] : undefined;
  if (found === undefined) throw badUrl(`${name} must be one of ${Object.keys(allowed).join(', ')}`);
  return found;
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badUrl(`the ${what} has a % that is not followed by two hex digits; write % as %25`);
  }
}

type DatabaseUrlFault = { code: 'DATABASE_BAD_URL'; reason: string };
export class DatabaseUrlError extends Fault<DatabaseUrlFault> {}

const badUrl = (reason: string) => new DatabaseUrlError(`not a PostgreSQL URL: ${reason}`, { code: 'DATABASE_BAD_URL', reason });
