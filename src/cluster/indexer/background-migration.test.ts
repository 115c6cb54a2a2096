import { describe, expect, test } from 'bun:test';
import { nextRelease, rowsPerStep, secondNextRelease } from '../../../test/next-release.ts';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { createLog } from '../../base/log/log.ts';
import { runBackgroundMigrations } from '../../ledger/index/background-migration.ts';
import { isReadable, migratePostgres, migrateStore } from '../../ledger/index/migrate.ts';
import { migrations, newestVersion } from '../../ledger/index/migrations.ts';
import { openIndexedChains } from '../../ledger/index-sqlite/indexed-chains.fixture.ts';
import { readIndexCounters, withPostgresChain } from '../chain/test-database.fixture.ts';
import { startBackgroundMigration } from './background-migration.ts';

const server = process.env.SERAC_TEST_POSTGRES;

const env = {
  clock: { monotonic: () => performance.now() },
  timers: {
    after: (ms: number, run: () => void) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  },
};

test('SQLite converts all rows when the store is opened', () => {
  const chains = openIndexedChains(openDatabase, 73);
  chains.begin();
  for (let i = 0; i < 30; i++) chains.commit(chains.prepare());
  const progress: number[] = [];
  migrateStore(chains.store, 1, nextRelease, { onStart: () => {}, onProgress: ({ done }) => progress.push(done), onEnd: () => {} });
  const wrong = chains.store.db.prepare<{ n: number }>('SELECT count(*) AS n FROM c1_tx WHERE size IS NULL OR size <> length(bytes)').get();
  expect(wrong).toEqual({ n: 0 });
  expect(progress.length).toBeGreaterThan(1);
  chains.close();
});

describe.skipIf(server === undefined)(server === undefined ? 'PostgreSQL (skipped: SERAC_TEST_POSTGRES is not set)' : 'PostgreSQL', () => {
  test('rows are converted in the background while blocks are stored; a stop loses no step, and both versions can read', async () => {
    await withPostgresChain(server as string, { seed: 72, partitionSize: 64 }, async ({ sql, geneses, grow }) => {
      await grow(60);
      // A server of the next release can start before the indexer, which migrates, is replaced.
      expect(await isReadable(sql, nextRelease)).toBe(true);
      const [before] = await sql.all<{ seq: number }>('SELECT max(seq) AS seq FROM c1_tx', []);
      const last = Number(before?.seq);
      await migratePostgres(sql, 12345, geneses, nextRelease);
      const converted = async (): Promise<number> =>
        Number((await sql.all<{ n: number }>(`SELECT count(*) AS n FROM c1_tx WHERE size IS NOT NULL AND seq <= ${last}`, []))[0]?.n);
      expect(await converted()).toBe(0);
      // One of this release still reads it.
      for (const all of [migrations, nextRelease]) expect(await isReadable(sql, all)).toBe(true);
      await readIndexCounters(sql);
      let steps = 0;
      await runBackgroundMigrations(sql, 1, { onProgress: () => steps++, isStopped: () => steps >= 2 }, nextRelease);
      expect(await converted()).toBe(2 * rowsPerStep);

      // The next process continues there; its log has the progress.
      const lines: string[] = [];
      const log = createLog(
        (line) => lines.push(line),
        () => 'info',
      );
      const errors: unknown[] = [];
      const running = startBackgroundMigration(sql, { ...env, log } as never, (error) => errors.push(error), nextRelease);
      let isFinished = false;
      void running.finished.then(() => {
        isFinished = true;
      });
      let stored = 0;
      while (!isFinished) {
        await grow(1);
        stored++;
      }
      expect(errors).toEqual([]);
      expect(stored).toBeGreaterThan(1);
      const wrong = await sql.all<{ n: number }>(
        `SELECT count(*) AS n FROM c1_tx WHERE seq <= ${last} AND size IS DISTINCT FROM length(bytes)`,
        [],
      );
      expect(Number(wrong[0]?.n)).toBe(0);
      expect(lines[0]).toMatch(/^migrating the rows of chain 1 to version 2: \d+\/\d+ transactions/);
      expect(lines.at(-1)).toBe('migrated the rows of chain 1 to version 2');
      expect(await sql.all(`SELECT name FROM meta WHERE name LIKE 'background%'`, [])).toEqual([]);

      // Two versions apart, or a version that says no, is refused with both versions.
      await migratePostgres(sql, 12345, geneses, secondNextRelease);
      const refusal = { fault: { code: 'INDEX_NEWER_SCHEMA', stored: newestVersion + 2 } };
      for (const all of [migrations, nextRelease]) expect(await isReadable(sql, all).catch((error) => error)).toMatchObject(refusal);
      expect(await readIndexCounters(sql).catch((error) => error)).toMatchObject(refusal);
      expect(await isReadable(sql, secondNextRelease)).toBe(true);
    });
  });

  test('a conversion that is not finished is finished before the next migration', async () => {
    await withPostgresChain(server as string, { seed: 74 }, async ({ sql, geneses }) => {
      for (const all of [nextRelease, secondNextRelease]) await migratePostgres(sql, 12345, geneses, all);
      const left = await sql.all<{ n: number }>('SELECT count(*) AS n FROM c1_tx WHERE size IS NULL', []);
      expect(Number(left[0]?.n)).toBe(0);
      // Of an older schema than the one before, nothing is read: it must be migrated.
      await sql.all(`UPDATE meta SET value = ${newestVersion} WHERE name LIKE 'index%'`, []);
      expect(await isReadable(sql, secondNextRelease)).toBe(false);
    });
  });
});
