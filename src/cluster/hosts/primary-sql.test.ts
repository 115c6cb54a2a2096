import { expect, test } from 'bun:test';
import type { ClusterEnv } from '../cluster-env.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';
import type { DatabaseConfig } from './database-config.ts';
import { createPrimarySql } from './primary-sql.ts';

/** A primary whose role can only read: `write` is refused. `pools` has the open state of every pool, the ones of probes too. */
function openReadOnly() {
  const pools: { isOpen: boolean }[] = [];
  let isUp = true;
  const openPostgres = (): Postgres => {
    const pool = { isOpen: true };
    pools.push(pool);
    const answer = async <T>(rows: T): Promise<T> => {
      await Bun.sleep(1);
      if (!isUp || !pool.isOpen) throw new PostgresError('Connection closed', { code: 'DATABASE_DOWN', reason: 'test' });
      return rows;
    };
    return {
      all: (text: string) =>
        answer(text.includes('pg_is_in_recovery') ? [{ is_replica: false, wal: '00000001', direct: 'yes', schema: 'public' }] : [{ n: 1 }]),
      write: async () => {
        await answer(undefined);
        throw new PostgresError('permission denied for table webhook', { code: 'DATABASE_REFUSED', reason: '42501' });
      },
      close: async () => {
        pool.isOpen = false;
      },
    } as unknown as Postgres;
  };
  const sql = createPrimarySql(
    { url: 'postgres://reads@127.0.0.1/db', statementTimeout: 1000 } as DatabaseConfig,
    { openPostgres, log: () => {} } as unknown as ClusterEnv,
  );
  const setUp = (value: boolean): void => {
    isUp = value;
  };
  return { sql, setUp, openPools: () => pools.filter(({ isOpen }) => isOpen).length };
}

test('a write that is refused does not end the statements of others, and a lost connection is opened again', async () => {
  const { sql, openPools, setUp } = openReadOnly();
  const read = () => sql.all('SELECT 1 AS n', []);
  await read();
  const [written, ...found] = await Promise.allSettled([sql.write(async () => {}), read(), read()]);
  expect(written).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('cannot write webhooks') } });
  expect(found.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  setUp(false);
  for (const { status } of await Promise.allSettled([read(), read()])) expect(status).toBe('rejected');
  setUp(true);
  expect(await read()).toEqual([{ n: 1 }]);
  expect(openPools()).toBe(1);
  await sql.close();
  expect(openPools()).toBe(0);
});

test('a server that starts before its database connects when the database is there', async () => {
  const { sql, setUp } = openReadOnly();
  setUp(false);
  await expect(sql.all('SELECT 1 AS n', [])).rejects.toThrow();
  setUp(true);
  expect(await sql.all('SELECT 1 AS n', [])).toEqual([{ n: 1 }]);
  await sql.close();
});
