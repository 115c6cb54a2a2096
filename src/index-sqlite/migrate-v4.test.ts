import { expect, test } from 'bun:test';
import { explorerTablesOf } from '../index/explorer-tables.ts';
import { migrateStore } from '../index/migrate.ts';
import { checkIndex } from '../index-check/check-index.ts';
import { sqliteDrivers } from '../platform/databases.fixture.ts';
import { openIndexedChains } from './indexed-chains.fixture.ts';

/*
 * Version 4 had no table with the texts of transaction IDs and was equal otherwise. The migration of such a database in PostgreSQL is part of
 * migrate-v1.test.ts.
 */
for (const { name, open } of sqliteDrivers)
  test(`${name}: migrates an index of version 4, then adds blocks to it`, () => {
    const chains = openIndexedChains(open, 11);
    chains.begin();
    for (let i = 0; i < 30; i++) chains.step();
    const { db } = chains.store;
    const numbers = chains.specs.map(({ number }) => number);
    for (const number of numbers) db.exec(`DROP TABLE ${explorerTablesOf(number).blockTxIds}`);
    db.exec(`UPDATE meta SET value = 4 WHERE name LIKE 'index%'`);
    for (const number of numbers) migrateStore(chains.store, number);
    const rows = db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${explorerTablesOf(1).blockTxIds}`);
    expect(rows.get()?.n).toBeGreaterThan(5);
    expect(chains.run(checkIndex(chains.specs, 'sqlite'))).toEqual([]);
    for (let i = 0; i < 10; i++) chains.step();
    expect(chains.run(checkIndex(chains.specs, 'sqlite'))).toEqual([]);
    chains.close();
  });
