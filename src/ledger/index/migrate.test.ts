import { describe, expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { readIndexCounters } from '../../cluster/chain/test-database.fixture.ts';
import { createSqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { appendBlocks, codeOf, openChain } from '../state/open-chain.fixture.ts';
import { chainID, genesisID, otherChainID, randomChain } from '../state/random-chain.fixture.ts';
import { chainSchema, sharedSchema, tablesOf } from '../state/schema.ts';
import type { Database } from '../store/database.ts';
import { fetchRows } from '../store/queries.ts';
import { openStore } from '../store/store.ts';
import { chainTables, sharedTables } from './chain-tables.ts';
import { createTable } from './ddl.ts';
import { explorerTablesOf } from './explorer-tables.ts';
import { indexedChains, isMigrationDue, isReadable, migratePostgres, migrateStore, registerWriter } from './migrate.ts';
import { type Migration, migrations, migrationsAfter, newestVersion } from './migrations.ts';
import { indexSchema, indexTablesOf } from './tables.ts';

const faultOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error) => (error as { fault?: { code: string } }).fault?.code ?? String(error),
  );

type Described = { readonly name: string; readonly type: string; readonly notnull: number; readonly pk: number };
const describeTable = (db: Database, table: string): Described[] =>
  db.prepare<Described>(`SELECT name, type, "notnull", pk FROM pragma_table_info('${table}')`).all();
const tablesIn = (db: Database): string[] =>
  db
    .prepare<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
    .all()
    .map(({ name }) => name);

test('migrations are numbered from 1 without gaps', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
  expect(migrationsAfter(newestVersion)).toEqual([]);
  expect(migrationsAfter(0)).toEqual(migrations);
});

/** A made-up next release: a column in the table of a chain, filled from its rows, and a shared table. */
const nextRelease: readonly Migration[] = [
  ...migrations,
  {
    version: newestVersion + 1,
    shared: () => ['CREATE TABLE note(text TEXT NOT NULL)'],
    chain: (_, number) => [`ALTER TABLE ${tablesOf(number).asset} ADD COLUMN doubled INTEGER NOT NULL DEFAULT 0`],
    rows: function* (number) {
      const { asset } = tablesOf(number);
      const rows = yield* fetchRows<{ id: Uint8Array; denomination: number }>([
        { text: `SELECT id, denomination FROM ${asset}`, values: [] },
      ]);
      yield rows.map(({ id, denomination }) => ({
        text: `UPDATE ${asset} SET doubled = ? WHERE id = ?`,
        values: [2 * Number(denomination), id],
      }));
    },
  },
];

test("PostgreSQL's copies of the chain's tables have the same columns and keys as the originals", () => {
  const [own, copy] = [openDatabase(':memory:', { readonly: false }), openDatabase(':memory:', { readonly: false })];
  own.exec(sharedSchema + chainSchema(tablesOf(1)));
  for (const [key, table] of Object.entries({ ...chainTables, ...sharedTables })) {
    const name = key === 'chain' ? 'chain' : tablesOf(1)[key as keyof typeof chainTables];
    for (const statement of createTable('sqlite', name, table)) copy.exec(statement);
    // A key column is never null, with or without NOT NULL in the statement.
    const normalized = (described: Described[]) => described.map((column) => ({ ...column, notnull: column.pk > 0 ? 1 : column.notnull }));
    expect(normalized(describeTable(copy, name))).toEqual(normalized(describeTable(own, name)));
    const uniques = (db: Database) =>
      db.prepare(`SELECT x.name FROM pragma_index_list('${name}') l, pragma_index_info(l.name) x WHERE l."unique"`).all();
    expect(uniques(copy)).toEqual(uniques(own));
  }
});

for (const { name, open } of sqliteDrivers.filter(({ onDisk }) => onDisk))
  describe(name, () => {
    test('a database without the index gets its tables; a read-only store is refused until then', () =>
      withScratchDatabase((path) => {
        const chain = openChain(open, path);
        appendBlocks(chain, randomChain(1), 3);
        chain.close();
        const reader = openStore(open, { path, networkID: 12345, genesis: genesisID, readonly: true });
        expect(codeOf(() => migrateStore(reader, 1))).toBe('INDEX_NOT_MADE');
        reader.close();
        const store = openStore(open, { path, networkID: 12345, genesis: genesisID });
        const before = tablesIn(store.db);
        migrateStore(store, 1);
        const created = tablesIn(store.db).filter((table) => !before.includes(table));
        const expected = [...Object.values(indexTablesOf(1)), ...Object.values(explorerTablesOf(1)), 'moved', 'progress', 'signer_key'];
        // The state has created the table of owners, which it shares with the index.
        expect(created.sort()).toEqual(expected.filter((table) => table !== tablesOf(1).owner).sort());
        migrateStore(store, 1);
        store.db.exec(chainSchema(tablesOf(2)));
        migrateStore(store, 2);
        expect(tablesIn(store.db)).toContain(indexTablesOf(2).movedOwner);
        for (const [key, { columns }] of Object.entries(indexSchema))
          expect(describeTable(store.db, indexTablesOf(1)[key as keyof typeof indexSchema]).map((column) => column.name)).toEqual(
            Object.keys(columns),
          );
        store.close();
        const after = openStore(open, { path, networkID: 12345, genesis: genesisID, readonly: true });
        migrateStore(after, 1);
        after.close();
        // Opening the file without the index still works.
        const again = openChain(open, path);
        expect(again.state.height()).toBe(3n);
        again.close();
      }));

    test('a database of an older version is migrated once: tables, columns and the rows that are there', () =>
      withScratchDatabase((path) => {
        const { store } = openChain(open, path);
        migrateStore(store, 1);
        expect(isMigrationDue(store, 1)).toBe(false);
        expect(isMigrationDue(store, 1, nextRelease)).toBe(true);
        const { asset } = tablesOf(1);
        const insert = store.db.prepare(`INSERT INTO ${asset} VALUES (?, ?, ?, ?, ?)`);
        for (const denomination of [3, 9])
          insert.run(new Uint8Array(32).fill(denomination), '0', new Uint8Array(1), new Uint8Array(1), denomination);
        migrateStore(store, 1, nextRelease);
        const wrong = store.db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${asset} WHERE doubled <> 2 * denomination`);
        expect(wrong.get()).toEqual({ n: 0 });
        expect(store.db.prepare<{ most: number }>(`SELECT max(doubled) AS most FROM ${asset}`).get()).toEqual({ most: 18 });
        expect(tablesIn(store.db)).toContain('note');
        expect(isMigrationDue(store, 1, nextRelease)).toBe(false);
        // A second run would fail: the column exists.
        migrateStore(store, 1, nextRelease);
        expect(() => migrateStore(store, 1)).toThrow(/use the version of serac that wrote it, or start with an empty data directory/);
        store.close();
      }));

    test('an index of a newer version is refused, and the error has both versions', () =>
      withScratchDatabase((path) => {
        const { store } = openChain(open, path);
        migrateStore(store, 1);
        for (const part of ['index', 'index of chain 1']) {
          store.db.exec(`UPDATE meta SET value = ${newestVersion + 1} WHERE name = '${part}'`);
          expect(codeOf(() => migrateStore(store, 1))).toBe('INDEX_NEWER_SCHEMA');
          expect(() => migrateStore(store, 1)).toThrow(
            new RegExp(`version ${newestVersion + 1} of the ${part}, .* version ${newestVersion}`),
          );
          store.db.exec(`UPDATE meta SET value = ${newestVersion} WHERE name = '${part}'`);
        }
        store.close();
      }));
  });

test('SQLite: a write is one transaction and must be synchronous', () => {
  const store = openStore(openDatabase, { path: ':memory:', networkID: 1, genesis: zeroId });
  const sql = createSqliteSql(store);
  sql.write((tx) => tx.all('CREATE TABLE t(n INTEGER)', []));
  const add = (n: number) => sql.all('INSERT INTO t VALUES (?)', [n]);
  sql.write(() => add(1));
  expect(
    codeOf(() =>
      sql.write(() => {
        add(2);
        throw new TypeError('no');
      }),
    ),
  ).toBe('STORE_FAILED');
  expect(codeOf(() => sql.write(async () => void add(3)))).toBe('INDEX_WAITING_WRITE');
  expect(sql.all<{ n: number }>('SELECT n FROM t', [])).toEqual([{ n: 1 }]);
  store.close();
});

const server = process.env.SERAC_TEST_POSTGRES;

describe.skipIf(server === undefined)(server === undefined ? 'PostgreSQL (skipped: SERAC_TEST_POSTGRES is not set)' : 'PostgreSQL', () => {
  const inDatabase = async (work: (open: () => ReturnType<typeof openPostgres>) => Promise<void>) => {
    const admin = openPostgres({ url: server as string, max: 1, statementMilliseconds: 20_000 });
    const name = `serac_migrate_${process.pid}`;
    await admin.all(`CREATE DATABASE ${name}`, []);
    const url = new URL(server as string);
    url.pathname = `/${name}`;
    const opened: ReturnType<typeof openPostgres>[] = [];
    try {
      await work(() => {
        const sql = openPostgres({ url: url.href, max: 2, statementMilliseconds: 20_000 });
        opened.push(sql);
        return sql;
      });
    } finally {
      for (const sql of opened) await sql.close();
      await admin.all(`DROP DATABASE ${name} WITH (FORCE)`, []);
      await admin.close();
    }
  };
  const chains = [chainID, otherChainID].map((id) => ({ id, genesis: genesisID }));

  test('several processes may migrate at once: each chain gets one number, and all tables are created', () =>
    inDatabase(async (open) => {
      const numbers = await Promise.all(Array.from({ length: 6 }, () => migratePostgres(open(), 5, chains)));
      for (const one of numbers) expect(one).toEqual([1, 2]);
      const sql = open();
      expect(await migratePostgres(sql, 5, [{ id: zeroId, genesis: genesisID }, ...chains])).toEqual([3, 1, 2]);
      expect(await indexedChains(sql)).toEqual([
        { number: 1, id: chainID },
        { number: 2, id: otherChainID },
        { number: 3, id: zeroId },
      ]);
      const tables = (await sql.all<{ tablename: string }>(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`, [])).map(
        ({ tablename }) => tablename,
      );
      for (const number of [1, 2, 3])
        for (const table of [
          ...Object.values(indexTablesOf(number)),
          ...Object.keys(chainTables).map((key) => tablesOf(number)[key as keyof typeof chainTables]),
        ])
          expect(tables).toContain(table);
      const before = await readIndexCounters(sql);
      await registerWriter(sql);
      const after = await readIndexCounters(sql);
      expect([after.writer > before.writer, after.revision > before.revision, after.server]).toEqual([true, true, before.server]);
    }));

  test('a database of an older version is migrated once, with the rows that are there', () =>
    inDatabase(async (open) => {
      const sql = open();
      await migratePostgres(sql, 5, chains);
      const { asset } = tablesOf(1);
      const bytes = new Uint8Array(32);
      await sql.all(`INSERT INTO ${asset} VALUES (?, ?, ?, ?, ?)`, [bytes, '0', bytes, bytes, 9]);
      for (let run = 0; run < 2; run++) expect(await migratePostgres(sql, 5, chains, nextRelease)).toEqual([1, 2]);
      expect(await sql.all(`SELECT doubled FROM ${asset}`, [])).toEqual([{ doubled: 18 }] as never);
      expect(await faultOf(migratePostgres(sql, 5, chains))).toBe('INDEX_NEWER_SCHEMA');
    }));

  test('a database of another network, another genesis or a newer version is refused', () =>
    inDatabase(async (open) => {
      const sql = open();
      await migratePostgres(sql, 5, chains);
      expect(await faultOf(migratePostgres(sql, 1, chains))).toBe('INDEX_OTHER_NETWORK');
      expect(await faultOf(migratePostgres(sql, 5, [{ id: chainID, genesis: 'ab'.repeat(32) as Id }]))).toBe('INDEX_OTHER_GENESIS');
      const setVersion = (version: number) =>
        sql.all(`UPDATE meta SET value = ? WHERE name IN ('index of chain 2', 'readable from')`, [version]);
      expect(await isReadable(sql)).toBe(true);
      await setVersion(newestVersion - 1);
      expect(await isReadable(sql)).toBe(false);
      await setVersion(newestVersion + 1);
      expect(await faultOf(migratePostgres(sql, 5, chains))).toBe('INDEX_NEWER_SCHEMA');
      expect(await faultOf(isReadable(sql))).toBe('INDEX_NEWER_SCHEMA');
    }));
});
