import { expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/database-bun.ts';
import type { Database } from '../store/database.ts';
import { getChainNumber } from './chain-number.ts';
import { openChain } from './open-chain.fixture.ts';
import { chainID, randomChain } from './random-chain.fixture.ts';
import { tablesOf } from './schema.ts';
import { openUtxoTable } from './utxo-table.ts';

test('outputs of one transaction are read from one row of it, until the cache is cleared', () => {
  const chain = openChain(openDatabase);
  const source = randomChain(9);
  chain.state.init(source.genesisTxs, source.first);
  const t = tablesOf(getChainNumber(chain.store, chainID));
  let reads = 0;
  const { db } = chain.store;
  const counted: Database = {
    ...db,
    prepare: (sql) => {
      const statement = db.prepare<never>(sql);
      const get = (...values: Parameters<typeof statement.get>) => {
        if (sql.includes('x.bytes')) reads++;
        return statement.get(...values);
      };
      return { ...statement, get };
    },
  };
  const utxos = openUtxoTable(counted, t, { caching: true, epoch: () => 0 });
  const txID = source.genesisTxs[0]?.id ?? expect.unreachable();
  const readAll = () => [0, 1, 0].map((outputIndex) => utxos.find({ txID, outputIndex })?.seq);
  const found = readAll();
  expect(found[0]).toBeGreaterThan(0);
  expect([found[2], reads]).toEqual([found[0], 1]);
  utxos.clearCache();
  expect(readAll()).toEqual(found);
  expect(reads).toBe(2);
});
