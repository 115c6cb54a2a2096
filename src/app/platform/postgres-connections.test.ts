import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCertificates } from '../../../test/certificates.ts';
import { type PrivatePgBouncer, pgBouncerBinary, startPgBouncer } from '../../../test/pgbouncer.ts';
import { findServerUser, handOver, type PrivatePostgres, startPostgres } from '../../../test/postgres.ts';
import { messageOf } from '../../base/fault.ts';
import { openPostgres, type Postgres, type PostgresOptions } from './postgres-bun.ts';

const server = await startPostgres();
const hasTls = Bun.which('openssl') !== null;

/** Opens a pool, runs a statement and returns its one row, or the message of the error. */
async function ask(options: PostgresOptions, text = 'SELECT current_user::text AS who'): Promise<unknown> {
  const sql = openPostgres({ max: 1, statementMilliseconds: 30_000, connectMilliseconds: 30_000, ...options });
  try {
    return (await sql.all(text, []))[0];
  } catch (error) {
    return messageOf(error);
  } finally {
    await sql.close();
  }
}

const secret = `p@ss/w:o?r#d %&=+"'\\ é`;

describe.skipIf(server === undefined)('connections to PostgreSQL', () => {
  const pg = server as PrivatePostgres;
  let admin: Postgres;
  const urlOf = (parts: { user?: string; host?: string; query?: string }) =>
    `postgres://${parts.user ?? 'serac'}@${parts.host ?? '127.0.0.1'}:${pg.port}/postgres${parts.query ?? ''}`;

  beforeAll(async () => {
    admin = openPostgres({ url: pg.url, statementMilliseconds: 30_000 });
    // Not through `all`, which takes the question mark of the password for a placeholder.
    const direct = new Bun.SQL(pg.url, { max: 1 });
    await direct.unsafe(`CREATE ROLE "o'Neil @home" LOGIN PASSWORD '${secret.replaceAll("'", "''")}'`);
    await direct.close();
    await admin.all('CREATE SCHEMA "Other Schema"', []);
    await admin.all('CREATE TABLE "Other Schema".t AS SELECT 7 AS n', []);
    if (hasTls) createCertificates(pg.folder);
    const user = findServerUser();
    if (user !== undefined) handOver(pg.folder, user);
    writeFileSync(
      join(pg.folder, 'data', 'pg_hba.conf'),
      [
        'local all serac trust',
        'host all "o\'Neil @home" 127.0.0.1/32 scram-sha-256',
        hasTls ? 'hostssl postgres tls_only 127.0.0.1/32 trust' : '',
        'host all serac 127.0.0.1/32 trust',
        '',
      ].join('\n'),
    );
    if (hasTls) {
      for (const [name, value] of Object.entries({ ssl: 'on', ssl_cert_file: '../server.pem', ssl_key_file: '../server.key' }))
        await admin.all(`ALTER SYSTEM SET ${name} = '${value}'`, []);
      await admin.all('CREATE ROLE tls_only LOGIN', []);
    }
    await admin.all('SELECT pg_reload_conf()', []);
  });
  afterAll(async () => {
    await admin?.close();
    await pg.remove();
  });

  test('take user names and passwords with any characters', async () => {
    const user = `${encodeURIComponent("o'Neil @home")}:${encodeURIComponent(secret)}`;
    expect(await ask({ url: urlOf({ user }) })).toEqual({ who: "o'Neil @home" });
    expect(await ask({ url: urlOf({ user: `${encodeURIComponent("o'Neil @home")}:wrong` }) })).toContain('password authentication failed');
  });

  test('go through a Unix socket', async () => {
    const text = 'SELECT inet_server_addr() IS NULL AS is_local';
    expect(await ask({ url: urlOf({ host: encodeURIComponent(pg.folder) }) }, text)).toEqual({ is_local: true });
    expect(await ask({ url: urlOf({}) }, text)).toEqual({ is_local: false });
  });

  test('use the schema of the URL', async () => {
    expect(await ask({ url: urlOf({ query: '?schema=Other%20Schema' }) }, 'SELECT n FROM t')).toEqual({ n: 7 });
    expect(await ask({ url: urlOf({}) }, 'SELECT n FROM t')).toContain('relation "t" does not exist');
  });

  test.skipIf(!hasTls)('verify the certificate and the name of the server with sslmode=verify-full', async () => {
    const text = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    const [ca, otherCa] = [join(pg.folder, 'ca.pem'), join(pg.folder, 'other-ca.pem')];
    const via = (query: string, host = 'localhost', user = 'tls_only') => ask({ url: urlOf({ user, host, query }) }, text);
    expect(await via('')).toContain('no pg_hba.conf entry');
    expect(await via('?sslmode=require')).toEqual({ ssl: true });
    expect(await via('?sslmode=prefer')).toEqual({ ssl: true });
    expect(await via(`?sslmode=verify-full&sslrootcert=${ca}`)).toEqual({ ssl: true });
    expect(await via(`?sslmode=verify-ca&sslrootcert=${ca}`, '127.0.0.1')).toEqual({ ssl: true });
    const refusals = [
      await via(`?sslmode=verify-full&sslrootcert=${otherCa}`),
      await via(`?sslmode=verify-full&sslrootcert=${ca}`, '127.0.0.1'),
      await via(`?sslmode=verify-ca&sslrootcert=${otherCa}`),
      await via('?sslmode=verify-full'),
      await via('?sslmode=verify-full&sslrootcert=/nowhere/ca.pem'),
    ];
    for (const refusal of refusals) expect(refusal).toBeString();
  });
});

describe.skipIf(server === undefined || pgBouncerBinary === undefined)('connections through PgBouncer in transaction mode', () => {
  let pg: PrivatePostgres;
  let bouncer: PrivatePgBouncer;
  beforeAll(async () => {
    pg = (await startPostgres()) as PrivatePostgres;
    bouncer = await startPgBouncer(pg);
  });
  afterAll(async () => {
    await bouncer?.stop();
    await pg?.remove();
  });

  test('are refused with the settings of a direct connection, and work without them', async () => {
    expect(await ask({ url: bouncer.url })).toContain('unsupported startup parameter');
    expect(await ask({ url: bouncer.url, isPooled: true })).toEqual({ who: 'serac' });
  });

  test('run many statements and transactions at once, each with its own result', async () => {
    const sql = openPostgres({ url: bouncer.url, isPooled: true, max: 12, statementMilliseconds: 60_000, connectMilliseconds: 60_000 });
    await sql.all('CREATE TABLE t(n bigint PRIMARY KEY, b bytea)', []);
    const numbers = Array.from({ length: 300 }, (_, i) => i);
    await Promise.all(
      numbers.map((n) =>
        sql.write(async (tx) => {
          await tx.all('INSERT INTO t VALUES (?, ?)', [n, Uint8Array.of(n & 255)]);
          const [row] = await tx.all<{ n: number }>(`SELECT n + ? AS n FROM t WHERE n = ?`, [n % 7, n]);
          expect(row?.n).toBe(n + (n % 7));
        }),
      ),
    );
    const rows = await Promise.all(
      numbers.map((n) => sql.all<{ n: number; b: Uint8Array }>(`SELECT n, b FROM t WHERE n = ? AND ${n % 40} >= 0`, [n])),
    );
    expect(rows.map(([row]) => [row?.n, row?.b[0]])).toEqual(numbers.map((n) => [n, n & 255]));
    await sql.close();
  });
});
