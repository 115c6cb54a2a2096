import { expect, test } from 'bun:test';
import { checkIndex } from '../../../test/index-check/check-index.ts';
import { sqliteDrivers } from '../../app/platform/databases.fixture.ts';
import { explorerTablesOf } from '../index/explorer-tables.ts';
import { migrateStore } from '../index/migrate.ts';
import { openIndexedChains } from './indexed-chains.fixture.ts';

/*
 * Versions that lack only tables: 5 had no stored outputs of transactions, 4 no texts of transaction IDs either. The migration of such
 * databases in PostgreSQL is part of migrate-v1.test.ts.
 */
const missingTables = { 4: ['blockTxIds', 'txOutputs'], 5: ['txOutputs'] } as const;

for (const [{ name, open }, version] of sqliteDrivers.flatMap((driver) => [[driver, 4] as const, [driver, 5] as const]))
  test(`${name}: migrates an index of version ${version}, then adds blocks to it`, () => {
    const chains = openIndexedChains(open, 11);
    chains.begin();
    for (let i = 0; i < 30; i++) chains.step();
    const { db } = chains.store;
    const numbers = chains.specs.map(({ number }) => number);
    for (const number of numbers) for (const table of missingTables[version]) db.exec(`DROP TABLE ${explorerTablesOf(number)[table]}`);
    db.exec(`UPDATE meta SET value = ${version} WHERE name LIKE 'index%'`);
    for (const number of numbers) migrateStore(chains.store, number);
    for (const table of missingTables[version]) {
      const rows = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${explorerTablesOf(1)[table]}`);
      expect(rows.get()?.n).toBeGreaterThan(5);
    }
    expect(chains.run(checkIndex(chains.specs, 'sqlite'))).toEqual([]);
    for (let i = 0; i < 10; i++) chains.step();
    expect(chains.run(checkIndex(chains.specs, 'sqlite'))).toEqual([]);
    chains.close();
  });
