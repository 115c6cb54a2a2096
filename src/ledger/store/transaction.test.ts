import { describe, expect, test } from 'bun:test';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import { Fault } from '../../base/fault.ts';
import { createTransactions } from './transaction.ts';

for (const { name, open, onDisk } of sqliteDrivers)
  describe(name, () => {
    const within = (work: (parts: ReturnType<typeof setUp>) => void) =>
      onDisk ? withScratchDatabase((path) => work(setUp(path))) : work(setUp(':memory:'));
    const setUp = (path: string) => {
      const db = open(path, { readonly: false });
      db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t(n INTEGER PRIMARY KEY)');
      const add = db.prepare('INSERT INTO t VALUES (?)');
      const all = db.prepare<{ n: number }>('SELECT n FROM t ORDER BY n');
      return { path, db, add: (n: number) => add.run(n), numbers: () => all.all().map(({ n }) => n), ...createTransactions(db) };
    };

    test('a write that fails changes nothing', () =>
      within(({ db, add, numbers, write }) => {
        const addAll = (...all: number[]) => all.map(add).length;
        expect(write(() => addAll(1, 2))).toBe(2);
        expect(() => write(() => addAll(3, 1))).toThrow(/database: .*UNIQUE/);
        expect(numbers()).toEqual([1, 2]);
        write(() => add(4));
        expect(numbers()).toEqual([1, 2, 4]);
        db.close();
      }));

    test('every write is counted, committed or not; inside a transaction the count is unknown', () =>
      within(({ db, add, read, write, writes }) => {
        const before = writes() as number;
        expect(write(() => [add(1), writes()])).toEqual([undefined, undefined]);
        expect(writes()).toBe(before + 1);
        expect(() => write(() => add(1))).toThrow();
        expect(writes()).toBe(before + 2);
        expect(read(() => writes())).toBeUndefined();
        expect(writes()).toBe(before + 2);
        db.close();
      }));

    test('a fault is rethrown unchanged, and a driver error becomes a fault', () =>
      within(({ db, add, numbers, write }) => {
        const fault = new Fault('no', { code: 'TEST_NO' });
        const caught = (work: () => void) => {
          try {
            write(work);
          } catch (error) {
            return error;
          }
          return undefined;
        };
        expect(
          caught(() => {
            add(1);
            throw fault;
          }),
        ).toBe(fault);
        expect(caught(() => db.exec('nonsense'))).toMatchObject({ fault: { code: 'STORE_FAILED' } });
        expect(caught(() => db.exec('COMMIT'))).toMatchObject({ fault: { code: 'STORE_FAILED' } });
        expect(numbers()).toEqual([]);
        write(() => add(7));
        expect(numbers()).toEqual([7]);
        db.close();
      }));

    test('reads in one read transaction see the same commit, and a read may be nested in a write', () =>
      within(({ path, db, add, numbers, read, write }) => {
        write(() => {
          add(1);
          expect(read(numbers)).toEqual([1]);
        });
        if (onDisk) {
          const other = open(path, { readonly: false });
          read(() => {
            expect(numbers()).toEqual([1]);
            other.exec('INSERT INTO t VALUES (2)');
            expect(numbers()).toEqual([1]);
          });
          other.close();
          expect(numbers()).toEqual([1, 2]);
        }
        db.close();
      }));
  });
