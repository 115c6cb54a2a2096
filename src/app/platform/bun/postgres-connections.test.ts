import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCertificates } from '../../../../test/certificates.ts';
import { startCutProxy } from '../../../../test/cut-proxy.ts';
import { type PrivatePgBouncer, pgBouncerBinary, startPgBouncer } from '../../../../test/pgbouncer.ts';
import { findServerUser, handOver, type PrivatePostgres, startPostgres } from '../../../../test/postgres.ts';
import { eventually } from '../../../../test/processes.ts';
import { messageOf } from '../../../base/fault.ts';
import type { Postgres, PostgresOptions } from '../../../cluster/postgres/postgres.ts';
import { isDatabaseDown } from '../../../cluster/postgres/postgres-fault.ts';
import { openPostgres } from './postgres.ts';

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

  test('have a name, and are closed by the server when their client is gone, or idle for too long', async () => {
    const names = ['application_name', 'tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'tcp_user_timeout'];
    const idle = ['idle_session_timeout', 'idle_in_transaction_session_timeout'];
    const text = `SELECT ${[...names, ...idle].map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`;
    const keepAlives = { tcp_keepalives_idle: '10', tcp_keepalives_interval: '5', tcp_keepalives_count: '3', tcp_user_timeout: '25000' };
    expect(await ask({ url: urlOf({}) }, text)).toEqual({
      ...{ application_name: 'serac', ...keepAlives },
      ...{ idle_session_timeout: '0', idle_in_transaction_session_timeout: '0' },
    });
    expect(await ask({ url: urlOf({}), applicationName: 'some name', idleMilliseconds: 30_000 }, text)).toEqual({
      ...{ application_name: 'some name', ...keepAlives },
      ...{ idle_session_timeout: '30s', idle_in_transaction_session_timeout: '30s' },
    });
  });

  test('that listen are replaced when they are cut off without a sign of it', async () => {
    const proxy = await startCutProxy(pg.port);
    const sql = openPostgres({ url: urlOf({ host: '127.0.0.1' }).replace(`:${pg.port}`, `:${proxy.port}`), listenCheckMilliseconds: 500 });
    const heard: string[] = [];
    let losses = 0;
    const stop = sql.listen('some_channel', { onNotify: (payload) => heard.push(payload), onLost: () => losses++ });
    const notify = (payload: string) => admin.all('SELECT pg_notify(?, ?)', ['some_channel', payload]);
    await eventually(
      () => heard.length,
      (count) => count === 1,
    );
    await notify('before');
    await eventually(
      () => heard,
      (found) => found.includes('before'),
    );
    proxy.cut();
    await notify('meanwhile');
    await eventually(
      () => losses,
      (count) => count > 0,
    );
    proxy.restore();
    // It begins to listen again, and says that something may have been missed.
    await eventually(
      async () => {
        await notify('after');
        return heard.slice(2);
      },
      (found) => found.includes('') && found.includes('after'),
    );
    stop();
    await sql.close();
    proxy.close();
  });

  test('get their answer after this process was stalled for longer than the timeout', async () => {
    const sql = openPostgres({ url: urlOf({}), statementMilliseconds: 400 });
    await sql.all('SELECT 1', []);
    const answer = sql.all<{ n: number }>('SELECT 2 AS n', []);
    await Promise.resolve();
    Bun.sleepSync(1500);
    expect(await answer).toEqual([{ n: 2 }]);
    await sql.close();
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

  test('fail in time while the server behind the pooler is cut off, and work again when it is back', async () => {
    const proxy = await startCutProxy(pg.port);
    const pooler = await startPgBouncer(proxy);
    const sql = openPostgres({ url: pooler.url, isPooled: true, max: 2, statementMilliseconds: 500 });
    const answers = () =>
      sql.all('SELECT 1 AS n', []).then(
        () => true,
        (error: unknown) => {
          expect(isDatabaseDown(error)).toBe(true);
          return false;
        },
      );
    await eventually(answers, Boolean);
    proxy.cut();
    for (let i = 0; i < 3; i++) expect(await answers()).toBe(false);
    proxy.restore();
    await eventually(answers, Boolean);
    await sql.close();
    await pooler.stop();
    proxy.close();
  });
});
