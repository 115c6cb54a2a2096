import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { OpenDatabase } from '../store/database.ts';
import { openStore } from '../store/store.ts';
import { openSnapshots, type Snapshots } from './snapshots.ts';

const genesis = '01'.repeat(32) as Id;

/** A store with tables of each kind that a node has: integer key, composite key without rowid, unique columns, nullable and real columns. */
function openTestStore(open: OpenDatabase, path: string) {
  const store = openStore(open, { path, networkID: 1, genesis });
  store.db.exec(`
    CREATE TABLE IF NOT EXISTS c1_tx(seq INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, height INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS c1_account(address BLOB, asset BLOB, own BLOB, rate REAL, PRIMARY KEY (address, asset)) WITHOUT ROWID, STRICT;
    CREATE TABLE IF NOT EXISTS c1_holding(address BLOB, shelf INTEGER, seq INTEGER, PRIMARY KEY (address, shelf, seq)) WITHOUT ROWID, STRICT;
    CREATE TABLE IF NOT EXISTS moved(seq INTEGER PRIMARY KEY, taken_by BLOB, UNIQUE (taken_by)) STRICT;`);
  let part = '';
  const parts = [
    {
      name: 'part',
      save: () => part,
      restore: (text: string) => {
        part = text;
      },
    },
  ];
  const snapshots = openSnapshots({ store, parts, tip: () => ({ height: 1, time: 2 }) });
  const setPart = (text: string): void => {
    part = text;
  };
  return { store, snapshots, part: () => part, setPart };
}

type TestStore = ReturnType<typeof openTestStore>;

const tables = ['c1_tx', 'c1_account', 'c1_holding', 'moved'];

const contentOf = ({ store, part }: TestStore): string => {
  const hash = createHash('sha256').update(part());
  for (const table of tables) {
    const rows = store.db.prepare<Record<string, unknown>>(`SELECT *, typeof(${table === 'c1_account' ? 'rate' : 1}) FROM ${table}`).all();
    for (const row of rows)
      for (const value of Object.values(row)) hash.update(`${value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value};`);
    hash.update(table);
  }
  return hash.digest('hex');
};

/** Numbers below a limit, from a seed. */
const createPicker = (seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

function changeRows({ store, setPart }: TestStore, pick: (below: number) => number): void {
  const { db } = store;
  const byte = (below: number) => Buffer.from([pick(below)]);
  const changes = [
    () => db.prepare('INSERT OR IGNORE INTO c1_tx VALUES (?, ?, ?)').run(pick(60), byte(60), pick(9)),
    () => db.prepare('REPLACE INTO c1_tx VALUES (?, ?, ?)').run(pick(60), byte(60), pick(9)),
    () => db.prepare('DELETE FROM c1_tx WHERE seq = ?').run(pick(60)),
    () => db.prepare('REPLACE INTO c1_account VALUES (?, ?, ?, ?)').run(byte(6), byte(6), pick(3) === 0 ? null : byte(99), pick(4) / 2),
    () => db.prepare('DELETE FROM c1_account WHERE address = ?').run(byte(6)),
    () =>
      db
        .prepare('INSERT INTO c1_account VALUES (?, ?, ?, 1.5) ON CONFLICT DO UPDATE SET own = excluded.own, rate = rate + 1')
        .run(byte(6), byte(6), byte(99)),
    () => db.prepare('INSERT OR IGNORE INTO c1_holding VALUES (?, ?, ?)').run(byte(6), pick(4), pick(9)),
    () => db.prepare('UPDATE OR REPLACE c1_holding SET shelf = ? WHERE address = ?').run(pick(4), byte(6)),
    () => db.prepare('REPLACE INTO moved(taken_by) VALUES (?)').run(pick(2) === 0 ? null : byte(20)),
    () => db.prepare('UPDATE OR IGNORE moved SET taken_by = ? WHERE seq = ?').run(byte(20), pick(30)),
    () => db.exec(`DELETE FROM ${tables[pick(4)]}`),
  ];
  const count = pick(12);
  store.write(() => {
    for (let i = 0; i < count; i++) (changes[pick(count > 9 ? changes.length : changes.length - 1)] as () => void)();
  });
  setPart(String(pick(1000)));
}

for (const { name, open, onDisk } of sqliteDrivers)
  describe(name, () => {
    const within = (work: (path: string) => void) => (onDisk ? withScratchDatabase(work) : work(':memory:'));

    test('a random walk of changes, snapshots, reverts, deletions and restarts equals a model that copies every state', () =>
      within((path) => {
        for (const seed of onDisk ? [1] : [1, 2, 3]) {
          const pick = createPicker(seed);
          let chain = openTestStore(open, path);
          for (const { name } of chain.snapshots.list()) chain.snapshots.delete(name);
          const model = new Map<string, string>();
          const anyName = () => [...model.keys()][pick(model.size)] as string;
          let epoch = chain.store.epoch();
          for (let step = 0; step < 400; step++) {
            const action = pick(10);
            if (action === 0 && pick(4) === 0) {
              chain.store.write(chain.snapshots.undoLog.clearTables);
              for (const table of tables) expect(chain.store.db.prepare(`SELECT 1 FROM ${table}`).get()).toBeUndefined();
            } else if (action < 5) changeRows(chain, pick);
            else if (action < 7) {
              const { name } = chain.snapshots.save(pick(3) === 0 ? undefined : `s${pick(6)}`);
              model.set(name, contentOf(chain));
            } else if (action === 7 && model.size > 0) {
              const name = anyName();
              chain.snapshots.delete(name);
              model.delete(name);
            } else if (action === 8 && model.size > 0) {
              const name = anyName();
              chain.snapshots.revert(name);
              expect(contentOf(chain)).toBe(model.get(name) as string);
              expect(chain.store.epoch()).toBe(++epoch);
            } else if (action === 9 && onDisk && pick(5) === 0) {
              const text = chain.part();
              chain.store.close();
              chain = openTestStore(open, path);
              chain.setPart(text);
            }
          }
          expect(
            chain.snapshots
              .list()
              .map(({ name }) => name)
              .sort(),
          ).toEqual([...model.keys()].sort());
          for (const [name, content] of model) {
            chain.snapshots.revert(name);
            expect(contentOf(chain)).toBe(content);
          }
          chain.store.close();
        }
      }));

    test('without snapshots nothing is recorded, and a start removes the triggers and undo tables', () =>
      within((path) => {
        let chain = openTestStore(open, path);
        const count = (from: string) => chain.store.db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${from}`).get()?.n;
        const undoObjects = `sqlite_schema WHERE name LIKE 'undo%'`;
        expect(count(undoObjects)).toBe(0);
        chain.snapshots.save('a');
        expect(count(undoObjects)).toBe(4 * tables.length + 1);
        const pick = createPicker(3);
        for (let i = 0; i < 9; i++) changeRows(chain, pick);
        expect(count('undo_c1_tx')).toBeGreaterThan(0);
        chain.snapshots.delete('a');
        for (let i = 0; i < 9; i++) changeRows(chain, pick);
        for (const table of tables) expect(count(`undo_${table}`)).toBe(0);
        if (onDisk) {
          chain.store.close();
          chain = openTestStore(open, path);
          expect(count(undoObjects)).toBe(0);
        }
        chain.store.close();
      }));

    test('repeated reverts to one of several snapshots keep the undo tables small', () =>
      within((path) => {
        const chain = openTestStore(open, path);
        const pick = createPicker(9);
        const rows = () =>
          tables.reduce(
            (sum, table) => sum + (chain.store.db.prepare<{ n: number }>(`SELECT count(*) AS n FROM undo_${table}`).get()?.n ?? 0),
            0,
          );
        for (const name of ['a', 'b', 'c']) {
          chain.snapshots.save(name);
          changeRows(chain, pick);
        }
        for (let i = 0; i < (onDisk ? 50 : 200); i++) {
          chain.snapshots.revert(['a', 'b'][pick(2)] as string);
          changeRows(chain, pick);
        }
        // Each of the three segments holds a row of a table at most once; the tables have at most about 60 + 36 + 216 + 200 keys.
        expect(rows()).toBeLessThan(3 * 600);
        chain.store.close();
      }));

    test('a revert that fails changes nothing', () =>
      within((path) => {
        const chain = openTestStore(open, path);
        chain.snapshots.save('a');
        changeRows(chain, createPicker(4));
        const before = contentOf(chain);
        chain.store.db.exec(
          `CREATE TRIGGER fail BEFORE INSERT ON meta WHEN NEW.name = 'epoch' BEGIN SELECT RAISE(ABORT, 'disk failed'); END`,
        );
        expect(() => chain.snapshots.revert('a')).toThrow('disk failed');
        expect([contentOf(chain), chain.store.epoch()]).toEqual([before, 0]);
        chain.store.db.exec('DROP TRIGGER fail');
        const addRows = (): void => {
          chain.store.db.exec('INSERT INTO moved VALUES (999, NULL)');
          throw new Error('rows not added');
        };
        expect(() => chain.snapshots.revert('a', { addRows })).toThrow('rows not added');
        expect([contentOf(chain), chain.store.epoch()]).toEqual([before, 0]);
        chain.snapshots.revert('a');
        expect(chain.store.epoch()).toBe(1);
        chain.store.close();
      }));
  });

test('names are checked, and an unknown one names the method that lists them', () => {
  const { snapshots, store } = openTestStore((sqliteDrivers[0] as { open: OpenDatabase }).open, ':memory:');
  const codeOf = (work: (snapshots: Snapshots) => void) => {
    try {
      work(snapshots);
      return undefined;
    } catch (error) {
      return (error as { fault: { code: string } }).fault.code;
    }
  };
  expect(codeOf(({ revert }) => revert('nope'))).toBe('SNAPSHOT_UNKNOWN');
  expect(codeOf((all) => all.delete('nope'))).toBe('SNAPSHOT_UNKNOWN');
  expect(codeOf(({ save }) => save('x'.repeat(101)))).toBe('SNAPSHOT_BAD_NAME');
  for (let i = 0; i < 1000; i++) snapshots.save();
  expect(codeOf(({ save }) => save())).toBe('SNAPSHOT_LIMIT');
  expect(codeOf(({ save }) => save('1000'))).toBeUndefined();
  store.close();
});
