import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { bulkInsert } from './bulk-insert.ts';
import type { OpenDatabase } from './database.ts';
import { acquireLock } from './lock.ts';
import { openStore, type StoreOptions, schemaVersion } from './store.ts';

const other = 'ab'.repeat(32) as Id;
const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { fault?: { code: string } }).fault?.code ?? String(error);
  }
};

for (const { name, open } of sqliteDrivers.filter(({ onDisk }) => onDisk))
  describe(name, () => {
    const at = (path: string, options: Partial<StoreOptions> = {}) => openStore(open, { path, networkID: 5, genesis: zeroId, ...options });

    test('a database of another network, genesis or schema version is rejected, and the message names both values', () =>
      withScratchDatabase((path) => {
        at(path).close();
        expect(codeOf(() => at(path, { networkID: 1 }))).toBe('STORE_OTHER_NETWORK');
        expect(() => at(path, { networkID: 1 })).toThrow(/network 5, .* network 1/);
        expect(codeOf(() => at(path, { genesis: other }))).toBe('STORE_OTHER_GENESIS');
        expect(codeOf(() => at(path, { networkID: 1, readonly: true }))).toBe('STORE_OTHER_NETWORK');
        const store = at(path);
        store.db.exec(`UPDATE meta SET value = ${schemaVersion + 1} WHERE name = 'schema'`);
        store.close();
        expect(() => at(path)).toThrow(new RegExp(`schema version ${schemaVersion + 1}, .* version ${schemaVersion}`));
        expect(codeOf(() => at(path))).toBe('STORE_OTHER_SCHEMA');
      }));

    test('a missing, foreign, empty or invalid file is rejected, each with its own code', () =>
      withScratchDatabase((path) => {
        expect(codeOf(() => at(path, { readonly: true }))).toBe('STORE_FAILED');
        const db = open(path, { readonly: false });
        db.exec('CREATE TABLE something(n)');
        db.close();
        for (const readonly of [true, false]) expect(codeOf(() => at(path, { readonly }))).toBe('STORE_FOREIGN');
        expect(open(path, { readonly: true }).prepare('SELECT * FROM sqlite_schema').all().length).toBe(1);
        writeFileSync(path, '');
        expect(codeOf(() => at(path, { readonly: true }))).toBe('STORE_EMPTY');
        writeFileSync(path, 'not a database, but long enough to look at'.repeat(50));
        expect(codeOf(() => at(path))).toBe('STORE_DAMAGED');
      }));

    test('probeWrite writes and reads a row; it fails while the database accepts no writes, and works again afterwards', () =>
      withScratchDatabase((path) => {
        const store = at(path);
        store.probeWrite();
        store.probeWrite();
        const breaker = open(path, { readonly: false });
        breaker.exec(`CREATE TRIGGER broken BEFORE UPDATE ON meta BEGIN SELECT RAISE(ABORT, 'broken'); END`);
        expect(codeOf(store.probeWrite)).toBe('STORE_FAILED');
        breaker.exec('DROP TRIGGER broken');
        breaker.close();
        store.probeWrite();
        expect(store.db.prepare<{ value: number }>(`SELECT value FROM meta WHERE name = 'touched'`).get()?.value).toBe(3);
        store.close();
      }));

    test('the write-ahead log stays small, also with readers', () =>
      withScratchDatabase((path) => {
        const store = at(path);
        store.write(() => store.db.exec('CREATE TABLE t(n INTEGER PRIMARY KEY, v BLOB)'));
        const insert = bulkInsert(store.db, 'INSERT INTO t', 2);
        const reader = at(path, { readonly: true });
        let n = 0;
        let largest = 0;
        for (let i = 0; i < 120; i++) {
          const rows = Array.from({ length: 2000 }, () => [++n, new Uint8Array(200)] as const).flat();
          store.write(() => insert(rows));
          expect(reader.read(() => reader.db.prepare<{ n: number }>('SELECT max(n) AS n FROM t').get())?.n).toBe(n);
          largest = Math.max(largest, store.sizes().wal);
        }
        expect(largest).toBeLessThan(40_000_000);
        expect(store.sizes().file).toBeGreaterThan(48_000_000);
        reader.close();
        store.close();
        expect(at(path).sizes().wal).toBeLessThan(100_000);
      }));

    test('exclusive: no other connection can read until the store is closed', () =>
      withScratchDatabase((path) => {
        const store = at(path, { exclusive: true });
        store.probeWrite();
        const second = open(path, { readonly: true });
        expect(() => second.prepare('SELECT * FROM meta').all()).toThrow(/locked/);
        second.close();
        store.close();
        const reader = at(path, { readonly: true });
        expect(reader.db.prepare('SELECT * FROM meta').all().length).toBe(4);
        reader.close();
      }));

    test('a lock can be held once, and again after its release', () =>
      withScratchDatabase((path) => {
        const lock = acquireLock(open, path);
        expect(codeOf(() => acquireLock(open, path))).toBe('STORE_IN_USE');
        lock.release();
        acquireLock(open, path).release();
      }));
  });

test('a checkpoint that fails does not undo the write before it', () => {
  const { open } = sqliteDrivers[0];
  let checkpoints = 0;
  const failing: OpenDatabase = (path, options) => {
    const db = open(path, options);
    const fail = () => {
      checkpoints++;
      throw new TypeError('disk full');
    };
    return {
      ...db,
      prepare: <Row>(sql: string) => (sql.includes('wal_checkpoint') ? { ...db.prepare<Row>(sql), get: fail } : db.prepare<Row>(sql)),
    };
  };
  const store = openStore(failing, { path: ':memory:', networkID: 5, genesis: zeroId });
  store.write(() => store.db.exec('CREATE TABLE t(n)'));
  const insert = bulkInsert(store.db, 'INSERT INTO t', 1);
  for (let i = 0; i < 40; i++) store.write(() => insert(Array(2000).fill(i)));
  expect(checkpoints).toBeGreaterThan(1);
  expect(store.db.prepare<{ n: number }>('SELECT count(*) AS n FROM t').get()?.n).toBe(80_000);
});

test('a process that is killed leaves no lock behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serac-lock-'));
  const path = join(folder, 'lock.sqlite');
  const { open } = sqliteDrivers[1];
  const child = Bun.spawn(
    [
      process.execPath,
      '-e',
      `import { openDatabase } from '${import.meta.dir}/../../app/platform/bun/database.ts';
       import { acquireLock } from '${import.meta.dir}/lock.ts';
       // Kept: a lock that is garbage is released.
       globalThis.lock = acquireLock(openDatabase, '${path}');
       console.log('locked');
       process.stdin.on('end', () => process.exit()).resume();`,
    ],
    { stdin: 'pipe', stdout: 'pipe' },
  );
  await child.stdout.getReader().read();
  expect(codeOf(() => acquireLock(open, path))).toBe('STORE_IN_USE');
  child.kill('SIGKILL');
  await child.exited;
  acquireLock(open, path).release();
  rmSync(folder, { recursive: true, force: true });
});

test('bulkInsert inserts any number of rows', () => {
  const db = sqliteDrivers[0].open(':memory:', { readonly: false });
  db.exec('CREATE TABLE t(a, b)');
  const insert = bulkInsert(db, 'INSERT INTO t', 2);
  for (const count of [0, 1, 15, 16, 17, 40]) {
    db.exec('DELETE FROM t');
    insert(Array.from({ length: count * 2 }, (_, i) => i));
    const rows = db.prepare<{ a: number; b: number }>('SELECT a, b FROM t ORDER BY a').all();
    expect(rows.map(({ a, b }) => [a, b])).toEqual(Array.from({ length: count }, (_, i) => [i * 2, i * 2 + 1]));
  }
  db.close();
});

test('others are told of a revert when it is committed: not while it reads what it has written so far, and not if it fails', () => {
  const store = openStore(sqliteDrivers[0].open, { path: ':memory:', networkID: 5, genesis: zeroId });
  const calls: string[] = [];
  store.onReload(() => void calls.push(`reload ${store.epoch()}`));
  store.onReverted(() => void calls.push(`reverted ${store.epoch()}`));
  store.revert((reload) => reload());
  expect(() =>
    store.revert(() => {
      throw new Error('damaged');
    }),
  ).toThrow('damaged');
  expect(calls).toEqual(['reload 0', 'reload 1', 'reverted 1', 'reload 1']);
  store.close();
});

test('a store that cannot be opened on a full disk says so, and does not promise to try again: the start has failed', () => {
  const full = Object.assign(new Error('database or disk is full'), { name: 'SQLiteError', errno: 13 });
  const openFull = (): never => {
    throw full;
  };
  expect(() => openStore(openFull, { path: '/d', networkID: 5, genesis: zeroId })).toThrow(
    /^cannot open the database \/d: database or disk is full; free space on the disk of the data directory$/,
  );
});
