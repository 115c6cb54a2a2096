import { expect, test } from 'bun:test';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { bulkInsert } from './bulk-insert.ts';
import type { OpenDatabase } from './database.ts';
import { openStore } from './store.ts';

const megabyte = 1_000_000;

/** A store that notes the size of the log's file at each checkpoint. */
const openCounted = (open: OpenDatabase, path: string) => {
  const logSizes: number[] = [];
  /** Of them, those that wait for readers. */
  let waiting = 0;
  const counting: OpenDatabase = (file, options) => {
    const db = open(file, options);
    return {
      ...db,
      prepare: <Row>(sql: string) => {
        const statement = db.prepare<Row>(sql);
        if (!sql.includes('wal_checkpoint')) return statement;
        return {
          ...statement,
          get: (...values) => {
            logSizes.push(db.walBytes());
            if (!sql.includes('PASSIVE')) waiting++;
            return statement.get(...values);
          },
        };
      },
    };
  };
  const store = openStore(counting, { path, networkID: 5, genesis: zeroId });
  store.write(() => store.db.exec('CREATE TABLE t(n, bytes)'));
  return { store, logSizes, waiting: () => waiting };
};

for (const { name, open } of sqliteDrivers.filter(({ onDisk }) => onDisk)) {
  test(`${name}: a log of narrow rows grows to about 24 MB, then starts again`, () =>
    withScratchDatabase((path) => {
      const { store, logSizes } = openCounted(open, path);
      store.db.exec('PRAGMA synchronous = OFF; CREATE INDEX by_n ON t(n)');
      const insert = bulkInsert(store.db, 'INSERT INTO t', 2);
      const bytes = new Uint8Array(40);
      // A step that has no common factor with 2^20 spreads the keys, so that each row changes another page of the index.
      const spread = (i: number) => (i * 611_953) % 2 ** 20;
      for (let i = 0; i < 400; i++)
        store.write(() => insert(Array.from({ length: 200 }, (_, n) => spread(i * 200 + n)).flatMap((n) => [n, bytes])));
      expect(logSizes.length).toBeGreaterThan(2);
      expect(Math.max(...logSizes)).toBeLessThan(45 * megabyte);
      expect(store.sizes().wal).toBeLessThan(45 * megabyte);
      store.close();
    }));

  test(`${name}: a log of wide rows is bounded too, although the first estimate is far too low`, () =>
    withScratchDatabase((path) => {
      const { store, logSizes } = openCounted(open, path);
      store.db.exec('PRAGMA synchronous = OFF');
      const insert = store.db.prepare('INSERT INTO t VALUES (?, ?)');
      const wide = new Uint8Array(500_000);
      for (let i = 0; i < 300; i++) store.write(() => insert.run(i, wide));
      expect(logSizes.length).toBeGreaterThan(2);
      expect(store.sizes().wal).toBeLessThan(45 * megabyte);
      store.close();
    }));

  test(`${name}: a reader that holds the log delays the restart, and the writer waits for it once; afterwards the log starts again`, () =>
    withScratchDatabase((path) => {
      const { store, logSizes, waiting } = openCounted(open, path);
      store.db.exec('PRAGMA synchronous = OFF; PRAGMA busy_timeout = 1');
      const insert = store.db.prepare('INSERT INTO t VALUES (?, ?)');
      const wide = new Uint8Array(500_000);
      const reader = open(path, { readonly: true });
      reader.exec('BEGIN');
      reader.prepare('SELECT * FROM meta').all();
      for (let i = 0; i < 120; i++) store.write(() => insert.run(i, wide));
      const held = logSizes.length;
      expect(held).toBeGreaterThan(1);
      expect(held).toBeLessThan(9);
      expect(waiting()).toBe(1);
      const largest = store.sizes().wal;
      expect(largest).toBeGreaterThan(55 * megabyte);
      reader.exec('COMMIT');
      for (let i = 0; i < 120; i++) store.write(() => insert.run(i, wide));
      expect(logSizes.length).toBeGreaterThan(held);
      expect(store.sizes().wal).toBeLessThan(largest + 10 * megabyte);
      reader.close();
      store.close();
    }));
}
