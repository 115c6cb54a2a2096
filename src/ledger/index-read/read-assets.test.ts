import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { sumToBytes } from '../index/output-amount.ts';
import type { Sql } from '../index/sql.ts';
import { createSqliteSql } from '../index-sqlite/sqlite-sql.ts';
import { chainID } from '../state/random-chain.fixture.ts';
import { openExplorerReads } from './open-explorer-reads.ts';
import { openReadsChains } from './reads-chains.fixture.ts';

test('supply and held supply of an asset are of the same block, although another process adds one after every query', async () => {
  const chains = openReadsChains(openDatabase, 1);
  for (let n = 0; n < 10; n++) chains.step();
  const { db } = chains.store;
  const addUnit = db.prepare(`UPDATE c${chains.number}_asset_stat SET supply = ?, held = ?`);
  let units = 1n;
  const addBlock = (): void => void addUnit.run(sumToBytes(++units), sumToBytes(units));
  addBlock();
  // Like PostgreSQL: steps of a read do not see one snapshot.
  const { dialect, all } = createSqliteSql(chains.store);
  const changing: Sql = {
    dialect,
    all: async <Row>(...query: Parameters<typeof all>) => {
      const rows = await all<Row>(...query);
      addBlock();
      return rows;
    },
  };
  const explorer = openExplorerReads(changing, { number: chains.number, id: chainID, feeAsset: chains.feeAsset, hasInbound: false });
  const found = (await explorer.countedAssets([chains.feeAsset])).get(chains.feeAsset);
  expect(found?.entry.supply).toBe(2n);
  expect(found?.counts?.held).toBe(2n);
  expect(units).toBeGreaterThan(3n);
  chains.close();
});
