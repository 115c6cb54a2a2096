import type { PlainChain } from '../src/data/plain-reads.fixture.ts';
import { idNamed, txs } from '../src/data/world.fixture.ts';
import { migrateStore } from '../src/index/migrate.ts';
import type { IndexReads } from '../src/index-read/index-reads.ts';
import { openReads } from '../src/index-read/open-reads.ts';
import { sqliteIndex } from '../src/index-sqlite/sqlite-index.ts';
import { sqliteSql } from '../src/index-sqlite/sqlite-sql.ts';
import { openDatabase } from '../src/platform/database-bun.ts';
import { claimedNumber } from '../src/state/chain-number.ts';
import { openState } from '../src/state/chain-state.ts';
import { diffOn } from '../src/state/diff.ts';
import { openSharedMemory } from '../src/state/shared-memory.ts';
import { memoryPath } from '../src/store/database.ts';
import { openStore } from '../src/store/store.ts';
import { effectsOf } from '../src/tx/effects.ts';

/** The same chain in a database with the real index. */
export function indexedReads({ id, genesisTxs, blocks, deposits }: PlainChain): { readonly reads: IndexReads; readonly close: () => void } {
  const genesis = idNamed('genesis');
  const store = openStore(openDatabase, { path: memoryPath, networkID: 12345, genesis });
  const memory = openSharedMemory(store);
  const state = openState(store, memory, { id, genesis });
  const number = claimedNumber(store, id);
  migrateStore(store, number);
  const index = sqliteIndex(store, { number, id, feeAsset: txs.avax.id, completeFrom: 0 });
  const [first, ...others] = blocks;
  if (first !== undefined) state.init(genesisTxs, first, index.within);
  store.write(() => {
    for (const { from, utxo } of deposits) memory.put(id, from, [utxo]);
  });
  for (const block of others) {
    const diff = diffOn(state);
    for (const tx of block.txs) diff.apply(tx, effectsOf(tx));
    state.commit(block, diff, index.within);
  }
  return { reads: openReads(sqliteSql(store), { number, id }), close: store.close };
}
