import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { pgBouncerBinary, startPgBouncer } from '../../../test/pgbouncer.ts';
import { type PrivatePostgres, postgresInstalled, startPostgres } from '../../../test/postgres.ts';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import { messageOf } from '../../base/fault.ts';
import { openDatabaseHost } from './database-host.ts';

const config = { poolSize: 2, statementTimeout: 30_000 };
/** Used on Citus only. */
const timers = { soon: () => {}, after: () => () => {} };
const isAvailable = postgresInstalled && pgBouncerBinary !== undefined;

describe.skipIf(!isAvailable)(
  isAvailable ? 'a database host' : 'a database host (skipped: PostgreSQL or PgBouncer is not installed)',
  () => {
    let pg: PrivatePostgres;
    beforeAll(async () => {
      pg = (await startPostgres()) as PrivatePostgres;
      const sql = openPostgres({ url: pg.url, max: 1, ...config });
      await sql.all('CREATE SCHEMA other', []);
      await sql.all('CREATE TABLE other.t AS SELECT 7 AS n', []);
      await sql.all('CREATE ROLE other_role LOGIN', []);
      await sql.all('GRANT USAGE ON SCHEMA other TO other_role', []);
      await sql.all('GRANT SELECT ON other.t TO other_role', []);
      await sql.all('ALTER ROLE other_role SET search_path = other', []);
      await sql.all('CREATE ROLE lost_role LOGIN', []);
      await sql.all('ALTER ROLE lost_role SET search_path = nowhere', []);
      for (const setting of ['statement_timeout = 2000', 'enable_seqscan = off']) await sql.all(`ALTER ROLE other_role SET ${setting}`, []);
      await sql.close();
    });
    afterAll(() => pg?.remove());

    /** Opens a host, probes it and reads a row. */
    async function ask(url: string, text = 'SELECT 1 AS n') {
      const lines: string[] = [];
      const log = Object.assign((line: string) => void lines.push(line), { isShown: () => true });
      const host = openDatabaseHost(url, config, { openPostgres, log, timers });
      try {
        const rows = await host.sql.all(text, []);
        return { state: await host.probe(), rows, lines };
      } catch (error) {
        return { error: messageOf(error), lines };
      } finally {
        await host.close();
      }
    }

    test('says that it is the primary, its timeline, and that no pooler is in between', async () => {
      expect(await ask(pg.url)).toEqual({
        state: { role: 'primary', timeline: 1, server: expect.stringMatching(/^\d+\.\d+$/), isPooled: false, dialect: 'postgres' },
        rows: [{ n: 1 }],
        lines: [],
      });
    });

    test('names a schema that does not exist, or that the role may not use', async () => {
      expect((await ask(`${pg.url}?schema=nowhere`)).error).toContain(
        'the schema "nowhere" does not exist, or the role serac may not use it',
      );
      expect((await ask(`postgres://lost_role@127.0.0.1:${pg.port}/postgres`)).error).toContain(
        'no schema of the search_path of the role lost_role',
      );
      expect((await ask(`postgres://lost_role@127.0.0.1:${pg.port}/postgres?schema=other`)).error).toContain('may not use it');
    });

    const ignored =
      'tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count,tcp_user_timeout,statement_timeout,serac.direct,jit,enable_seqscan,enable_hashjoin,enable_mergejoin,enable_bitmapscan,plan_cache_mode,search_path';
    for (const [name, settings] of [
      ['refuses settings', []],
      ['drops settings', [`ignore_startup_parameters = ${ignored}`]],
    ] as const)
      test(`recognizes a pooler that ${name}, and names the settings that the role lacks`, async () => {
        const pooler = await startPgBouncer(pg, settings, ['"serac" ""', '"other_role" ""']);
        try {
          const { state, rows, lines } = await ask(pooler.url);
          expect([state?.isPooled, rows]).toEqual([true, [{ n: 1 }]]);
          expect(lines).toEqual([
            expect.stringContaining('ALTER ROLE "serac" SET statement_timeout = 30000; ALTER ROLE "serac" SET jit = off'),
          ]);
          const url = (role: string) => `postgres://${role}@127.0.0.1:${pooler.port}/postgres?schema=other`;
          expect((await ask(url('serac'))).error).toContain('ALTER ROLE "serac" SET search_path = "other"');
          const found = await ask(url('other_role'), 'SELECT n FROM t');
          expect([found.rows, found.lines]).toEqual([[{ n: 7 }], []]);
        } finally {
          await pooler.stop();
        }
      });
  },
);
