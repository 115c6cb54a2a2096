import { describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { sqliteDrivers, withScratchDatabase } from './databases.fixture.ts';

for (const { name, open, onDisk } of sqliteDrivers)
  describe(name, () => {
    const within = (work: (path: string) => void) => (onDisk ? withScratchDatabase(work) : work(':memory:'));

    test('values are read as they were written', () =>
      within((path) => {
        const db = open(path, { readonly: false });
        db.exec('CREATE TABLE t(n INTEGER PRIMARY KEY, v)');
        const add = db.prepare('INSERT INTO t(v) VALUES (?)');
        const values = [
          null,
          0,
          -1,
          Number.MAX_SAFE_INTEGER,
          '',
          'tür',
          new Uint8Array(0),
          Uint8Array.of(0, 255, 1),
          Buffer.alloc(70_000, 3),
        ];
        for (const value of values) add.run(value);
        const rows = db.prepare<{ v: unknown }>('SELECT v FROM t ORDER BY n').all();
        const plain = (v: unknown) => (v instanceof Uint8Array ? [...v] : v);
        expect(rows.map(({ v }) => plain(v))).toEqual(values.map(plain));
        for (const { v } of rows.slice(6)) expect(v).toBeInstanceOf(Uint8Array);
        // Also values that came from a database.
        db.exec('CREATE TABLE copied(n INTEGER PRIMARY KEY, v)');
        const copy = db.prepare('INSERT INTO copied(v) VALUES (?)');
        for (const { v } of rows) copy.run(v as Uint8Array);
        expect(db.prepare<{ v: unknown }>('SELECT v FROM copied ORDER BY n').all()).toEqual(rows);
        db.close();
      }));

    test.skipIf(!onDisk || process.platform === 'win32')('only the owner can read the files', () =>
      within((path) => {
        const db = open(path, { readonly: false });
        db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t(n)');
        const modes = ['', '-wal', '-shm'].map((ending) => statSync(path + ending).mode & 0o777);
        expect(modes).toEqual([0o600, 0o600, 0o600]);
        db.close();
      }),
    );

    test('one row, no row, many rows, and errors as exceptions', () =>
      within((path) => {
        const db = open(path, { readonly: false });
        db.exec('CREATE TABLE t(n INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3);');
        const get = db.prepare<{ n: number }>('SELECT n FROM t WHERE n = ?');
        expect(get.get(2)?.n).toBe(2);
        expect(get.get(9)).toBeUndefined();
        expect(get.all(9)).toEqual([]);
        expect(() => db.prepare('INSERT INTO t VALUES (?)').run(1)).toThrow(/UNIQUE/);
        expect(() => db.exec('nonsense')).toThrow();
        expect(get.get(3)?.n).toBe(3);
        db.close();
      }));

    test('a database in memory has rollback and no WAL', () =>
      within((path) => {
        if (onDisk) return;
        const db = open(path, { readonly: false });
        db.exec('CREATE TABLE t(n INTEGER PRIMARY KEY, v BLOB)');
        db.exec(`WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2000) INSERT INTO t SELECT n, zeroblob(1000) FROM c`);
        db.exec('BEGIN; DELETE FROM t; ROLLBACK');
        expect(db.prepare<{ n: number }>('SELECT count(*) AS n FROM t').get()?.n).toBe(2000);
        expect(db.walBytes()).toBe(0);
        db.close();
      }));
  });

for (const { name, open } of sqliteDrivers.filter(({ onDisk }) => onDisk))
  test(`${name}: a read-only connection cannot write`, () =>
    withScratchDatabase((path) => {
      expect(() => open(path, { readonly: true }).prepare('SELECT 1').get()).toThrow();
      const db = open(path, { readonly: false });
      db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t(n)');
      expect(db.walBytes()).toBeGreaterThan(0);
      const reader = open(path, { readonly: true });
      expect(reader.prepare('SELECT * FROM t').all()).toEqual([]);
      expect(() => reader.exec('INSERT INTO t VALUES (1)')).toThrow(/readonly/);
      reader.close();
      db.close();
    }));
