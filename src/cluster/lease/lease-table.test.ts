import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { createLeaseTable, findLease, readLease, releaseLease, renewLease, takeLease, verifyLease } from './lease-table.ts';

const server = process.env.SERAC_TEST_POSTGRES;

describe.skipIf(server === undefined)(server === undefined ? 'PostgreSQL (skipped: SERAC_TEST_POSTGRES is not set)' : 'PostgreSQL', () => {
  const schema = `lease_${crypto.randomUUID().replaceAll('-', '')}`;
  let sql: Postgres;
  beforeAll(async () => {
    const url = new URL(server as string);
    url.searchParams.set('schema', schema);
    sql = openPostgres({ url: url.href, max: 3, statementMilliseconds: 30_000 });
    await sql.all(`CREATE SCHEMA ${schema}`, []);
  });
  afterAll(async () => {
    await sql.all(`DROP SCHEMA ${schema} CASCADE`, []);
    await sql.close();
  });
  const take = async (name: string, holder: string) => takeLease(sql, { name, holder, found: await findLease(sql, name) });

  test('a reader sees when the lease was last renewed, by the clock of the database', async () => {
    expect(await readLease(sql)).toBeUndefined();
    await createLeaseTable(sql);
    expect(await readLease(sql)).toBeUndefined();
    expect(await take('read', 'first')).toBe(1);
    await sql.all(`UPDATE index_lease SET renewed_at = clock_timestamp() - interval '1 hour'`, []);
    const old = await readLease(sql);
    expect(old?.isHeld).toBe(true);
    expect(old?.age).toBeGreaterThanOrEqual(3_600_000);
    expect(await renewLease(sql, 'read', 1)).toBe(true);
    expect((await readLease(sql))?.age).toBeLessThan(3_600_000);
    await releaseLease(sql, 'read', 1);
    expect((await readLease(sql))?.isHeld).toBe(false);
  });

  test('a lease has one term: who has lost it can neither renew nor commit', async () => {
    await createLeaseTable(sql);
    expect(await take('term', 'first')).toBe(1);
    const seen = await findLease(sql, 'term');
    expect(seen?.holder).toBe('first');
    // Renewed since it was seen: it stays.
    await sql.all(`UPDATE index_lease SET renewed_at = renewed_at + interval '1 hour' WHERE name = 'term'`, []);
    expect(await takeLease(sql, { name: 'term', holder: 'second', found: seen })).toBeUndefined();
    await sql.all(`UPDATE index_lease SET renewed_at = renewed_at - interval '2 hours' WHERE name = 'term'`, []);
    expect(await take('term', 'second')).toBe(2);
    // A process that saw the first term comes too late.
    expect(await takeLease(sql, { name: 'term', holder: 'third', found: seen })).toBeUndefined();
    expect(await renewLease(sql, 'term', 1)).toBe(false);
    expect(await sql.write((tx) => verifyLease(tx, 'term', 1))).toBeUndefined();
    expect(await sql.write((tx) => verifyLease(tx, 'term', 2))).toBeDefined();
    await releaseLease(sql, 'term', 1);
    expect((await findLease(sql, 'term'))?.holder).toBe('second');
  });

  test('a transaction that has verified its term does not stop renewals, and ends before the lease is taken', async () => {
    await createLeaseTable(sql);
    await take('commit', 'first');
    let isTaken = false;
    let taking: Promise<unknown> = Promise.resolve();
    await sql.write(async (tx) => {
      expect(await verifyLease(tx, 'commit', 1)).toBeDefined();
      expect(await renewLease(sql, 'commit', 1)).toBe(true);
      await releaseLease(sql, 'commit', 1);
      taking = take('commit', 'second').then((term) => {
        isTaken = true;
        expect(term).toBe(2);
      });
      // The other session waits for a lock.
      for (;;) {
        const [row] = await tx.all<{ n: number }>(
          `SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`,
          [],
        );
        if (row?.n === 1 || isTaken) break;
      }
      expect(isTaken).toBe(false);
    });
    await taking;
    expect(isTaken).toBe(true);
  });
});
