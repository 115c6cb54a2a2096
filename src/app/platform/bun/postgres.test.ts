import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PrivatePostgres, startPostgres } from '../../../../test/postgres.ts';
import { Fault } from '../../../base/fault.ts';
import { isDatabaseDown } from '../../../cluster/postgres/postgres-fault.ts';
import { openPostgres } from './postgres.ts';

const server = await startPostgres();

/** Milliseconds. The statement timeout is two seconds, and the longest statement of the tests a minute. */
const limit = 30_000;

const faultOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error) => (error instanceof Fault ? error.fault.code : String(error)),
  );

/** The duration of some work in milliseconds, and its fault. */
async function timed(work: Promise<unknown>): Promise<{ fault: string | undefined; took: number }> {
  const start = performance.now();
  return { fault: await faultOf(work), took: performance.now() - start };
}

describe.skipIf(server === undefined)(server === undefined ? 'PostgreSQL (skipped: not installed)' : 'PostgreSQL', () => {
  const pg = server as PrivatePostgres;
  const open = (options: object = {}) => openPostgres({ url: pg.url, max: 3, ...options });
  /** A test with a connection pool of its own. */
  const inDatabase = (name: string, work: (sql: ReturnType<typeof open>) => Promise<void>) =>
    test(name, async () => {
      const sql = open();
      try {
        await work(sql);
      } finally {
        await sql.close();
      }
    });

  beforeAll(async () => {
    const sql = open();
    await sql.all('CREATE TABLE t(n bigint PRIMARY KEY, b bytea, s text, r double precision)', []);
    await sql.close();
  });
  afterAll(() => pg.remove());

  /** Retries until it succeeds; returns the milliseconds it took. */
  async function timeToRecover(query: () => Promise<unknown>): Promise<number> {
    const start = performance.now();
    while ((await faultOf(query())) !== undefined) await Bun.sleep(20);
    return performance.now() - start;
  }

  inDatabase('a group runs on one connection in its order, a failed query fails alone, and the last query sees the others', async (sql) => {
    const pid = { text: 'SELECT pg_backend_pid() AS pid', values: [] };
    await sql.all('CREATE TABLE grouped(n bigint)', []);
    const insert = (n: number) => ({ text: 'INSERT INTO grouped VALUES (?)', values: [n] });
    const count = { text: 'SELECT count(*) AS n FROM grouped', values: [] };
    for (const round of [1, 2, 3]) {
      const { results, last } = await sql.groupThen([pid, insert(1), { text: 'SELECT no_such_column', values: [] }, insert(2), pid], count);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect(results[4]).toEqual(results[0] as PromiseSettledResult<unknown[]>);
      expect(last[0]).toEqual({ n: 2 * round });
    }
    expect(await faultOf(sql.groupThen([pid], { text: 'SELECT no_such_column', values: [] }))).toBe('DATABASE_REFUSED');
    // Others use another connection meanwhile.
    const sleeping = sql.groupThen([{ text: 'SELECT pg_sleep(?)', values: [0.3] }], pid);
    const [other] = await sql.all<{ pid: number }>(pid.text, []);
    expect((await sleeping).last[0]).not.toEqual(other);
  });

  inDatabase('values are read as they were written', async (sql) => {
    const bytes = Uint8Array.of(0, 1, 255);
    const rows = [
      [1, bytes, 'a', 0.5],
      [2 ** 40, bytes.subarray(1), 'é', 3],
      [-Number.MAX_SAFE_INTEGER, new Uint8Array(0), '', -1e300],
      [7, null, null, null],
    ];
    for (const row of rows) await sql.all('INSERT INTO t VALUES (?, ?, ?, ?)', row);
    const found = await sql.all<{ n: number; b: Uint8Array | null; s: string | null; r: number | null }>('SELECT * FROM t ORDER BY n', []);
    const plain = (row: readonly unknown[]) =>
      row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value));
    expect(found.map(({ n, b, s, r }) => plain([n, b, s, r]))).toEqual(
      rows
        .slice()
        .sort((a, b) => Number(a[0]) - Number(b[0]))
        .map(plain),
    );
    expect(
      await sql.all('SELECT count(*) AS n, length(b) AS l FROM t WHERE (n, s) > (?, ?) GROUP BY b LIMIT ? + 0', [2 ** 39, 'a', 5]),
    ).toEqual([{ n: 1, l: 2 }] as never);
    expect(await faultOf(sql.all('SELECT 9007199254740993::bigint AS n', []))).toBe('DATABASE_REFUSED');
    await sql.all('DELETE FROM t', []);
  });

  inDatabase('a write is atomic, and errors thrown inside it are not changed', async (sql) => {
    const add = (n: number) => (tx: Pick<typeof sql, 'all'>) => tx.all('INSERT INTO t(n) VALUES (?)', [n]);
    const numbers = async () => (await sql.all<{ n: number }>('SELECT n FROM t ORDER BY n', [])).map(({ n }) => n);
    await sql.write(async (tx) => {
      await add(1)(tx);
      await add(2)(tx);
      expect(await numbers()).toEqual([]);
    });
    const fault = new Fault('no', { code: 'TEST_NO' });
    await expect(
      sql.write(async (tx) => {
        await add(3)(tx);
        throw fault;
      }),
    ).rejects.toBe(fault);
    const doubled = sql.write(async (tx) => {
      await add(4)(tx);
      await add(1)(tx);
    });
    expect(await faultOf(doubled)).toBe('DATABASE_REFUSED');
    expect(await numbers()).toEqual([1, 2]);
    expect(await faultOf(sql.all('SELECT nonsense', []))).toBe('DATABASE_REFUSED');
    expect(isDatabaseDown(await sql.all('SELECT nonsense', []).catch((error) => error))).toBe(false);
    await sql.all('DELETE FROM t', []);
  });

  inDatabase('a statement that takes too long times out, and others complete', async (sql) => {
    const [slow, quick] = await Promise.all([timed(sql.all('SELECT pg_sleep(60)', [])), timed(sql.all('SELECT 1', []))]);
    expect(slow.fault).toBe('DATABASE_DOWN');
    expect(slow.took).toBeLessThan(limit);
    expect(quick.fault).toBeUndefined();
  });

  for (const how of ['kill', 'stop'] as const)
    inDatabase(`${how}: statements fail with DATABASE_DOWN, and work again when the server is back`, async (sql) => {
      await Promise.all([1, 2, 3].map(() => sql.all('SELECT 1', [])));
      const during = timed(sql.all('SELECT pg_sleep(1.5)', []));
      const writing = timed(
        sql.write(async (tx) => {
          await tx.all('INSERT INTO t(n) VALUES (99)', []);
          await tx.all('SELECT pg_sleep(1.5)', []);
        }),
      );
      await Bun.sleep(100);
      await pg.end(how);
      expect((await during).fault).toBe('DATABASE_DOWN');
      expect((await writing).fault).toBe('DATABASE_DOWN');
      for (let i = 0; i < 6; i++) {
        const { fault, took } = await timed(i % 2 === 0 ? sql.all('SELECT 1', []) : sql.write((tx) => tx.all('SELECT 1', [])));
        expect(fault).toBe('DATABASE_DOWN');
        expect(took).toBeLessThan(limit);
      }
      await pg.start();
      expect(await timeToRecover(() => sql.all('SELECT 1', []))).toBeLessThan(limit);
      expect(await sql.all('SELECT n FROM t', [])).toEqual([]);
      await sql.write((tx) => tx.all('INSERT INTO t(n) VALUES (1)', []));
      await sql.all('DELETE FROM t', []);
    });

  inDatabase('with a hung server statements time out, and work again when it continues', async (sql) => {
    await Promise.all([1, 2, 3].map(() => sql.all('SELECT 1', [])));
    pg.freeze();
    const statements = [
      sql.all('SELECT 1', []),
      sql.all('SELECT 2', []),
      sql.write((tx) => tx.all('SELECT 3', [])),
      sql.all('SELECT 4', []),
    ];
    for (const { fault, took } of await Promise.all(statements.map(timed))) {
      expect(fault).toBe('DATABASE_DOWN');
      expect(took).toBeLessThan(limit);
    }
    const late = await timed(sql.all('SELECT 1', []));
    expect(late.fault).toBe('DATABASE_DOWN');
    expect(late.took).toBeLessThan(limit);
    pg.thaw();
    expect(await timeToRecover(() => sql.all('SELECT 1', []))).toBeLessThan(limit);
    expect(await timeToRecover(() => sql.write((tx) => tx.all('SELECT 1', [])))).toBeLessThan(limit);
  });

  inDatabase('a group with a statement that the server cancels does not end the statements of other connections', async (sql) => {
    await Promise.all([1, 2, 3].map(() => sql.all('SELECT 1', [])));
    const sleep = (seconds: number) => ({ text: `SELECT pg_sleep(${seconds})`, values: [] });
    // Cancelled after 1.8 s; the second one still runs when the time of the group is over.
    const group = faultOf(sql.groupThen([sleep(30)], sleep(1)));
    await Bun.sleep(1000);
    const other = sql.all<{ n: number }>('SELECT 7 AS n FROM pg_sleep(1.5)', []);
    expect(await group).toBe('DATABASE_DOWN');
    expect(await other).toEqual([{ n: 7 }]);
  });

  test('without a server statements fail with DATABASE_DOWN within the timeout', async () => {
    const sql = openPostgres({ url: 'postgres://nobody@127.0.0.1:1/none' });
    const { fault, took } = await timed(sql.all('SELECT 1', []));
    expect(fault).toBe('DATABASE_DOWN');
    expect(took).toBeLessThan(limit);
    await sql.close();
  });
});
