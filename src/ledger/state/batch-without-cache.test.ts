import { afterAll, expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { defaultCacheBytes, processCaches } from '../../base/cache/cache-budget.ts';
import { commitNext, openChain } from './open-chain.fixture.ts';
import { chainID, type NextBlock, otherChainID, randomChain } from './random-chain.fixture.ts';

afterAll(() => processCaches.resize(defaultCacheBytes));

test('blocks that are stored together have the same rows as one by one, also if the caches hold nothing', () => {
  const source = randomChain(3);
  const single = openChain(openDatabase);
  const together = openChain(openDatabase);
  for (const { state } of [single, together]) state.init(source.genesisTxs, source.first);
  const batch: NextBlock[] = [];
  for (let i = 0; i < 40; i++) {
    const next = source.next(single.state, 8);
    commitNext(single, next);
    batch.push(next);
  }
  processCaches.resize(0);
  const { store, sharedMemory, state } = together;
  for (const { inboundUtxos } of batch)
    if (inboundUtxos.length > 0) store.write(() => sharedMemory.put(chainID, otherChainID, inboundUtxos));
  state.commitAll(batch);
  const rowsOf = ({ store: { db } }: typeof single, table: string) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all();
  for (const table of ['c1_balance', 'c1_owner', 'c1_spend'])
    expect(
      rowsOf(together, table)
        .map((row) => JSON.stringify(row))
        .sort(),
    ).toEqual(
      rowsOf(single, table)
        .map((row) => JSON.stringify(row))
        .sort(),
    );
  single.close();
  together.close();
});
