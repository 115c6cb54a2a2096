import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { chainTables } from '../index/chain-tables.ts';
import { createTable } from '../index/ddl.ts';
import { migratePostgres, migrateStore } from '../index/migrate.ts';
import { type Migration, migrations } from '../index/migrations.ts';
import type { SqlValue } from '../index/sql.ts';
import { runSteps, syncStepRunner } from '../index/steps.ts';
import { indexTablesOf } from '../index/tables.ts';
import { checkIndex } from '../index-check/check-index.ts';
import type { IndexSpec } from '../index-write/block-writer.ts';
import { openWorld, outside, worldChains, worldGenesis } from '../index-write/two-chains.fixture.ts';
import { drivers, inScratch } from '../platform/databases.fixture.ts';
import { openPostgres } from '../platform/postgres-bun.ts';
import { tablesOf } from '../state/schema.ts';
import type { Database, OpenDatabase } from '../store/database.ts';
import { openStore } from '../store/store.ts';
import { indexedWorld } from './indexed-world.fixture.ts';
import { sqliteIndex } from './sqlite-index.ts';

/*
 * A database of version 1, written by the program of commit 9e05c1a: both chains of `indexedWorld(openDatabase, 7, path)` after 45 steps,
 * with assets that have amounts and NFTs, and with imports from an indexed chain and from one that is not.
 */
const old = gunzipSync(readFileSync(join(import.meta.dir, '../../test/index-v1.sqlite.gz')));

/** The same chains, for what the file does not say: which asset pays fees. */
const specs = (open: OpenDatabase): readonly IndexSpec[] => {
  const world = indexedWorld(open, 7);
  world.close();
  return world.specs;
};

const rowsOf = <Row>(db: Database, text: string): Row[] => db.prepare<Row>(text).all();
const importedRows = 'SELECT count(*) AS n FROM c1_holding WHERE shelf = 6';

for (const { name, open } of drivers.filter(({ onDisk }) => onDisk))
  test(`${name}: an index of version 1 becomes what this program would have written`, () =>
    inScratch((path) => {
      writeFileSync(path, old);
      const chains = specs(drivers[0].open);
      const store = openStore(open, { path, networkID: 12345, genesis: worldGenesis });
      expect(rowsOf(store.db, "SELECT value FROM meta WHERE name LIKE 'index%'")).toEqual([{ value: 1 }, { value: 1 }, { value: 1 }]);
      expect(rowsOf<{ n: number }>(store.db, importedRows)).toEqual([{ n: 0 }]);
      for (const { number } of chains) migrateStore(store, number);
      expect(syncStepRunner(store.db)(checkIndex(chains, 'sqlite'))).toEqual([]);
      expect(rowsOf<{ n: number }>(store.db, importedRows)[0]?.n).toBeGreaterThan(0);
      const mixed = 'SELECT count(*) AS n FROM c1_asset_stat WHERE nfts > 0 AND supply > zeroblob(16)';
      expect(rowsOf<{ n: number }>(store.db, mixed)[0]?.n).toBeGreaterThan(0);
      store.close();
    }));

const numbers = [1, 2];

/** Every row of the file by table, but those of a chain that lives there. */
const oldRows = (): [table: string, rows: Record<string, SqlValue>[]][] =>
  inScratch((path) => {
    writeFileSync(path, old);
    const db = drivers[0].open(path, { readonly: false });
    const ofChain = (number: number) => [
      ...(Object.keys(chainTables) as (keyof typeof chainTables)[]).map((key) => tablesOf(number)[key]),
      ...Object.values(indexTablesOf(number)),
    ];
    const tables = ['chain', 'moved', 'progress', ...numbers.flatMap(ofChain)];
    const rows = tables.map((table): [string, Record<string, SqlValue>[]] => [table, rowsOf(db, `SELECT * FROM ${table}`)]);
    db.close();
    return rows;
  });

const server = process.env.SERAC_TEST_POSTGRES;

test.skipIf(server === undefined)(
  'PostgreSQL: the same rows there are brought forward the same way',
  async () => {
    const admin = openPostgres({ url: server as string, max: 1 });
    const name = `serac_migrate_v1_${process.pid}`;
    await admin.all(`CREATE DATABASE ${name}`, []);
    const url = new URL(server as string);
    url.pathname = `/${name}`;
    const sql = openPostgres({ url: url.href, max: 2 });
    try {
      const [first] = migrations as [Migration];
      const meta = { columns: { name: { type: 'text' }, value: { type: 'int' } }, key: ['name'] } as const;
      for (const statement of [
        ...createTable('postgres', 'meta', meta),
        ...first.shared('postgres'),
        ...numbers.flatMap((number) => first.chain('postgres', number)),
      ])
        await sql.all(statement, []);
      for (const [table, rows] of oldRows())
        for (const row of rows) {
          const columns = Object.keys(row);
          const text = `INSERT INTO ${table}(${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
          await sql.all(text, Object.values(row));
        }
      for (const part of ['index', 'index of chain 1', 'index of chain 2']) await sql.all('INSERT INTO meta VALUES (?, 1)', [part]);
      const known = worldChains.map((id) => ({ id, genesis: worldGenesis }));
      expect(await migratePostgres(sql, 12345, known)).toEqual(numbers);
      expect(await runSteps(sql, checkIndex(specs(drivers[0].open), 'postgres'))).toEqual([]);
    } finally {
      await sql.close();
      await admin.all(`DROP DATABASE ${name} WITH (FORCE)`, []);
      await admin.close();
    }
  },
  60_000,
);

test('an index of version 1 that lacks the last blocks is migrated as far as it goes, then caught up', () =>
  inScratch((path) => {
    writeFileSync(path, old);
    const { open } = drivers[1];
    // The same world again, to go on from where the file ends.
    const world = indexedWorld(open, 7);
    world.begin();
    for (let i = 0; i < 45; i++) world.step();
    const file = openWorld(open, path);
    for (let i = 0; i < 20; i++) {
      const { chain, block, diff, puts } = world.step();
      if (puts.length > 0) file.store.write(() => file.memory.put(chain.source.id, outside, puts));
      file.states[world.chains.indexOf(chain)]?.commit(block, diff);
    }
    for (const { number } of world.specs) migrateStore(file.store, number);
    expect(file.states.map((state) => state.height())).toEqual(world.chains.map(({ state }) => state.height()));
    for (const spec of world.specs) for (const _ of sqliteIndex(file.store, spec).catchUp());
    expect(syncStepRunner(file.store.db)(checkIndex(world.specs, 'sqlite'))).toEqual([]);
    file.close();
    world.close();
  }));
