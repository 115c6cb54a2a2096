import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { type CutProxy, startCutProxy } from '../../../test/cut-proxy.ts';
import { type PrivatePostgres, startPostgres } from '../../../test/postgres.ts';
import { eventually } from '../../../test/processes.ts';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import { Fault } from '../../base/fault.ts';
import { createLog } from '../../base/log/log.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { type Lease, type LeaseTimes, tryLease } from './lease.ts';
import { findLease, readLease } from './lease-table.ts';

const server = await startPostgres();

/** A lease that is taken after two seconds, so that tests do not wait for long. */
const times: LeaseTimes = { length: 2000, renewal: 100, secondLook: 300, idle: 60_000 };

const faultOf = (work: Promise<unknown> | undefined): Promise<string | undefined> | undefined =>
  work?.then(
    () => undefined,
    (error) => (error instanceof Fault ? error.fault.code : String(error)),
  );

const lines: string[] = [];

const env = {
  openPostgres,
  random: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  log: createLog(
    (line) => void lines.push(line.trimEnd()),
    () => 'info',
  ),
  timers: {
    soon: (run: () => void) => void setImmediate(run),
    after: (ms: number, run: () => void) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  },
};

/** An environment whose timers can be stopped: a process that hangs, while its connections stay open. */
function freezableEnv() {
  let isFrozen = false;
  const after = (ms: number, run: () => void) => env.timers.after(ms, () => (isFrozen ? void after(50, run) : run()));
  return {
    ...env,
    timers: { ...env.timers, after },
    freeze: () => {
      isFrozen = true;
    },
    thaw: () => {
      isFrozen = false;
    },
  };
}

describe.skipIf(server === undefined)(server === undefined ? 'PostgreSQL (skipped: not installed)' : 'PostgreSQL', () => {
  const pg = server as PrivatePostgres;
  let sql: Postgres;
  const proxies: CutProxy[] = [];
  const leases: Lease[] = [];
  const take = async (name: string, { url = pg.url, from = env, leaseTimes = times, statementMilliseconds = 2000 } = {}) => {
    const lease = await tryLease(from, { url, statementMilliseconds }, name, leaseTimes);
    if (lease !== undefined) leases.push(lease);
    return lease;
  };
  /** Tries until it gets the lease. */
  const waitFor = async (name: string): Promise<Lease> =>
    (await eventually(
      () => take(name),
      (lease) => lease !== undefined,
    )) as Lease;
  const insert = (lease: Lease | undefined, n: number) => lease?.write((tx) => tx.all('INSERT INTO t(n) VALUES (?)', [n]));
  const rows = async () => (await sql.all<{ n: number }>('SELECT n FROM t ORDER BY n', [])).map(({ n }) => n);

  beforeAll(async () => {
    sql = openPostgres({ url: pg.url, max: 2 });
    await sql.all('CREATE TABLE t(n bigint PRIMARY KEY)', []);
  });
  afterEach(async () => {
    for (const lease of leases.splice(0)) await lease.release();
    for (const proxy of proxies.splice(0)) proxy.close();
    await sql.all('DELETE FROM t', []);
    lines.length = 0;
  });
  afterAll(async () => {
    await sql?.close();
    await pg?.remove();
  });

  test('a lease has one holder; the next one takes it at once when it is released, or its session ends', async () => {
    const first = await take('writer');
    expect(first).toBeDefined();
    expect(await take('writer')).toBeUndefined();
    expect(await take('another')).toBeDefined();
    await insert(first, 1);
    await first?.release();
    expect((await findLease(sql, 'writer'))?.isHeld).toBe(false);
    const second = await take('writer');
    expect(second).toBeDefined();
    const age = async () => (await findLease(sql, 'writer'))?.age ?? 0;
    // It is renewed.
    await eventually(age, (one) => one > 50);
    await eventually(age, (one) => one < 50);
    await sql.all('SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = ?', ['advisory']);
    expect(await second?.lost).toBe('the connection was lost');
    expect(await faultOf(insert(second, 2))).toBe('DATABASE_DOWN');
    const third = await waitFor('writer');
    expect((await findLease(sql, 'writer'))?.term).toBe(3);
    await insert(third, 3);
    expect(await rows()).toEqual([1, 3]);
  });

  test('a holder that hangs inside a transaction is replaced, keeps no locks, and cannot write when it goes on', async () => {
    const hanging = freezableEnv();
    const first = await take('writer', { from: hanging });
    await insert(first, 1);
    const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const late = faultOf(
      first?.write(async (tx) => {
        await tx.all('INSERT INTO t(n) VALUES (2)', []);
        begin();
        await thawed;
        await tx.all('INSERT INTO t(n) VALUES (3)', []);
      }),
    );
    await begun;
    hanging.freeze();
    const frozen = performance.now();
    // A standby that comes before the lease has expired does nothing.
    expect(await take('writer')).toBeUndefined();
    expect(lines).toEqual([]);
    const second = await waitFor('writer');
    expect(performance.now() - frozen).toBeGreaterThan(times.length);
    expect(lines).toEqual([expect.stringMatching(/has not renewed its lease for \d+ s; its sessions were ended$/)]);
    // The same key: it would wait for the transaction of the first holder.
    await insert(second, 2);
    hanging.thaw();
    thaw();
    expect(await late).toBe('DATABASE_DOWN');
    expect(await first?.lost).toBe('the connection was lost');
    expect(await faultOf(insert(first, 4))).toBe('DATABASE_DOWN');
    expect(await rows()).toEqual([1, 2]);
  });

  test('a holder that is cut off is replaced, and cannot write when it is back', async () => {
    const proxy = await startCutProxy(pg.port);
    proxies.push(proxy);
    const first = await take('writer', { url: pg.url.replace(`:${pg.port}`, `:${proxy.port}`) });
    await insert(first, 1);
    proxy.cut();
    const late = faultOf(insert(first, 2));
    const second = await waitFor('writer');
    await insert(second, 2);
    proxy.restore();
    expect(await late).toBe('DATABASE_DOWN');
    await first?.lost;
    expect(await rows()).toEqual([1, 2]);
  });

  test('a holder of another role, which the next one may not end, is ended by the server', async () => {
    await sql.all('CREATE ROLE other_indexer LOGIN', []);
    await sql.all('GRANT ALL ON SCHEMA public TO other_indexer', []);
    await sql.all('GRANT ALL ON ALL TABLES IN SCHEMA public TO other_indexer', []);
    const hanging = freezableEnv();
    const first = await take('roles', {
      url: pg.url.replace('serac@', 'other_indexer@'),
      from: hanging,
      leaseTimes: { ...times, idle: 3000 },
    });
    expect(first).toBeDefined();
    hanging.freeze();
    const second = await waitFor('roles');
    expect(lines).toEqual([]);
    expect(await first?.lost).toBe('the connection was lost');
    await insert(second, 1);
    hanging.thaw();
  });

  test('a server that is stalled for longer than the lease, or an expired term, does not change the holder', async () => {
    const long = { ...times, length: 3000 };
    const first = await take('writer', { leaseTimes: long });
    await insert(first, 1);
    let isLost = false;
    void first?.lost.then(() => {
      isLost = true;
    });
    pg.freeze();
    const [standby, write] = [faultOf(take('writer')), insert(first, 2)];
    await Bun.sleep(2500);
    pg.thaw();
    await write;
    // Longer ago than the two seconds of the other process: the holder renews before the second look.
    expect(await standby).toBeOneOf([undefined, 'DATABASE_DOWN']);
    expect(await take('writer')).toBeUndefined();
    await insert(first, 3);
    expect([isLost, lines]).toEqual([false, []]);
    expect((await readLease(sql))?.isHeld).toBe(true);
    expect(await rows()).toEqual([1, 2, 3]);
  });

  test('an indexer of an earlier version, which has the advisory lock only, is neither ended nor written beside', async () => {
    const first = await take('writer');
    await first?.release();
    await sql.all(`UPDATE index_lease SET holder = 'expired', renewed_at = now() - interval '1 hour' WHERE name = 'writer'`, []);
    const old = openPostgres({ url: pg.url, max: 1 });
    const lock = (name: string) => old.all<{ ours: boolean }>(`SELECT ${name}(hashtextextended('writer in public', 0)) AS ours`, []);
    expect(await lock('pg_try_advisory_lock')).toEqual([{ ours: true }]);
    expect(await take('writer')).toBeUndefined();
    expect(await lock('pg_advisory_unlock')).toEqual([{ ours: true }]);
    const second = await take('writer');
    expect(second).toBeDefined();
    expect(await lock('pg_try_advisory_lock')).toEqual([{ ours: false }]);
    await old.close();
  });

  test('a term that another process has taken ends the writes of the holder, whatever the state of its session', async () => {
    const first = await take('writer');
    await sql.all(`UPDATE index_lease SET term = term + 1 WHERE name = 'writer'`, []);
    expect(await faultOf(insert(first, 1))).toBe('DATABASE_DOWN');
    expect(await first?.lost).toBe('another process has taken the lease');
    expect(await rows()).toEqual([]);
  });

  test('what waits for a long transaction of its lease does not time out, and the lease is renewed meanwhile', async () => {
    const lease = await take('writer', { leaseTimes: { ...times, length: 1000 }, statementMilliseconds: 1000 });
    let isLost = false;
    void lease?.lost.then(() => {
      isLost = true;
    });
    const long = lease?.write(async (tx) => {
      await tx.all('SELECT 1', []);
      await Bun.sleep(2500);
      return (await tx.all<{ n: number }>('SELECT 2 AS n', []))[0]?.n;
    });
    const waiting = [lease?.write((tx) => tx.all('SELECT 3 AS n', [])), lease?.all('SELECT 4 AS n', [])];
    expect(await take('writer', { leaseTimes: { ...times, length: 1000 } })).toBeUndefined();
    expect(await long).toBe(2);
    expect((await Promise.all(waiting)).map((found) => found?.[0])).toEqual([{ n: 3 }, { n: 4 }]);
    expect(isLost).toBe(false);
  });

  test('a read through a lease waits for the writes before it, not for those that follow', async () => {
    const lease = await take('writer');
    let isAnswered = false;
    const write = () => lease?.write((tx) => tx.all('SELECT 1', []));
    const first = write();
    const read = lease?.all('SELECT 2 AS n', []).finally(() => {
      isAnswered = true;
    });
    await first;
    let later = 0;
    for (; !isAnswered && later < 50; later++) await write();
    expect(later).toBeLessThanOrEqual(1);
    expect(await read).toEqual([{ n: 2 }]);
  });

  test('a server that is killed, or hangs for longer than the lease, ends it; it is taken again when the server is back', async () => {
    const first = await take('writer');
    await pg.end('kill');
    await first?.lost;
    expect(await faultOf(take('writer'))).toBe('DATABASE_DOWN');
    await pg.start();
    const second = await take('writer');
    expect(second).toBeDefined();
    pg.freeze();
    await second?.lost;
    pg.thaw();
    expect(await waitFor('writer')).toBeDefined();
  });
});
