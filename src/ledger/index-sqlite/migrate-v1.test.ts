import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { checkIndex } from '../../../test/index-check/check-index.ts';
import { sqliteDrivers, withScratchDatabase } from '../../app/platform/databases.fixture.ts';
import { openPostgres } from '../../app/platform/postgres-bun.ts';
import { chainTables } from '../index/chain-tables.ts';
import { createTable } from '../index/ddl.ts';
import { type MigrationWatch, migratePostgres, migrateStore } from '../index/migrate.ts';
import { type Migration, migrations, newestVersion } from '../index/migrations.ts';
import type { SqlValue } from '../index/sql.ts';
import { runSteps, syncStepRunner } from '../index/steps.ts';
import { indexTablesOf } from '../index/tables.ts';
import type { IndexSpec } from '../index-write/block-writer.ts';
import { openTwoChains, twoChainIDs, twoChainsGenesis, unindexedChainID } from '../index-write/two-chains.fixture.ts';
import { tablesOf } from '../state/schema.ts';
import type { Database, OpenDatabase } from '../store/database.ts';
import { openStore } from '../store/store.ts';
import { openIndexedChains } from './indexed-chains.fixture.ts';
import { openSqliteIndex } from './sqlite-index.ts';

/*
 * A database of version 1, written by the program of commit 9e05c1a: both chains of `openIndexedChains(openDatabase, 7, path)` after 45 blocks,
 * with assets that have amounts and NFTs, and with imports from an indexed chain and from one that is not.
 */
const version1File = gunzipSync(readFileSync(join(import.meta.dir, '../../../test/index-v1.sqlite.gz')));

/** The same chains again, because the file does not contain the fee asset. */
const specs = (open: OpenDatabase): readonly IndexSpec[] => {
  const testChains = openIndexedChains(open, 7);
  testChains.close();
  return testChains.specs;
};

const rowsOf = <Row>(db: Database, text: string): Row[] => db.prepare<Row>(text).all();
const importedRows = 'SELECT count(*) AS n FROM c1_holding WHERE shelf = 6';

type Report = 'end' | { readonly from: number; readonly to: number } | { readonly done: number; readonly total: number };

function recordMigrations() {
  const reports: Report[] = [];
  const push = (report: Report) => void reports.push(report);
  const watch: MigrationWatch = { onStart: push, onProgress: push, onEnd: () => push('end') };
  return { watch, reports };
}

/** Expects a start, growing progress up to the total, and an end for every chain. Removes the reports. */
function expectReports(reports: Report[], chains: number): void {
  for (let i = 0; i < chains; i++) {
    expect(reports.shift()).toEqual({ from: 1, to: newestVersion });
    let done = 0;
    for (let report = reports.shift(); report !== 'end'; report = reports.shift()) {
      const counts = report as { readonly done: number; readonly total: number };
      expect(counts.done).toBeGreaterThan(done);
      expect(counts.done <= counts.total).toBe(true);
      done = counts.done;
      if (reports[0] === 'end') expect(counts.done).toBe(counts.total);
    }
    expect(done).toBeGreaterThan(0);
  }
  expect(reports).toEqual([]);
}

for (const { name, open } of sqliteDrivers.filter(({ onDisk }) => onDisk))
  test(`${name}: migrates an index of version 1 to what this version would have written`, () =>
    withScratchDatabase((path) => {
      writeFileSync(path, version1File);
      const chains = specs(sqliteDrivers[0].open);
      const store = openStore(open, { path, networkID: 12345, genesis: twoChainsGenesis });
      expect(rowsOf(store.db, "SELECT value FROM meta WHERE name LIKE 'index%'")).toEqual([{ value: 1 }, { value: 1 }, { value: 1 }]);
      expect(rowsOf<{ n: number }>(store.db, importedRows)).toEqual([{ n: 0 }]);
      const { watch, reports } = recordMigrations();
      for (const { number } of chains) migrateStore(store, number, watch);
      expectReports(reports, chains.length);
      for (const { number } of chains) migrateStore(store, number, watch);
      expect(reports).toEqual([]);
      expect(syncStepRunner(store.db)(checkIndex(chains, 'sqlite'))).toEqual([]);
      expect(rowsOf<{ n: number }>(store.db, importedRows)[0]?.n).toBeGreaterThan(0);
      const mixed = 'SELECT count(*) AS n FROM c1_asset_stat WHERE nfts > 0 AND supply > zeroblob(16)';
      expect(rowsOf<{ n: number }>(store.db, mixed)[0]?.n).toBeGreaterThan(0);
      store.close();
    }));

const numbers = [1, 2];

/** Rows of all index tables in the file, and of the chain tables that PostgreSQL has too. */
const oldRows = (): [table: string, rows: Record<string, SqlValue>[]][] =>
  withScratchDatabase((path) => {
    writeFileSync(path, version1File);
    const db = sqliteDrivers[0].open(path, { readonly: false });
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
  'PostgreSQL: migrates the same rows in the same way',
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
      const chains = twoChainIDs.map((id) => ({ id, genesis: twoChainsGenesis }));
      const { watch, reports } = recordMigrations();
      expect(await migratePostgres(sql, 12345, chains, watch)).toEqual(numbers);
      expectReports(reports, chains.length);
      expect(await runSteps(sql, checkIndex(specs(sqliteDrivers[0].open), 'postgres'))).toEqual([]);
    } finally {
      await sql.close();
      await admin.all(`DROP DATABASE ${name} WITH (FORCE)`, []);
      await admin.close();
    }
  },
  60_000,
);

test('migrates an index of version 1 that lacks the last blocks, then catches up', () =>
  withScratchDatabase((path) => {
    writeFileSync(path, version1File);
    const { open } = sqliteDrivers[1];
    // The same chains again, to continue where the file ends.
    const testChains = openIndexedChains(open, 7);
    testChains.begin();
    for (let i = 0; i < 45; i++) testChains.step();
    const file = openTwoChains(open, path);
    for (let i = 0; i < 20; i++) {
      const { chain, block, diff, inboundUtxos } = testChains.step();
      if (inboundUtxos.length > 0) file.store.write(() => file.memory.put(chain.source.id, unindexedChainID, inboundUtxos));
      file.states[testChains.chains.indexOf(chain)]?.commit(block, diff);
    }
    for (const { number } of testChains.specs) migrateStore(file.store, number);
    expect(file.states.map((state) => state.height())).toEqual(testChains.chains.map(({ state }) => state.height()));
    for (const spec of testChains.specs) for (const _ of openSqliteIndex(file.store, spec).catchUp());
    expect(syncStepRunner(file.store.db)(checkIndex(testChains.specs, 'sqlite'))).toEqual([]);
    file.close();
    testChains.close();
  }));
