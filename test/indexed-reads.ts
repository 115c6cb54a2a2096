import { idNamed, txs } from '../src/api/data/sample-chain.fixture.ts';
import type { ScannedChain } from '../src/api/data/scanning-reads.fixture.ts';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import { migrateStore } from '../src/ledger/index/migrate.ts';
import type { IndexReads } from '../src/ledger/index-read/index-reads.ts';
import { openReads } from '../src/ledger/index-read/open-reads.ts';
import { openSqliteIndex } from '../src/ledger/index-sqlite/sqlite-index.ts';
import { createSqliteSql } from '../src/ledger/index-sqlite/sqlite-sql.ts';
import { getChainNumber } from '../src/ledger/state/chain-number.ts';
import { openState } from '../src/ledger/state/chain-state.ts';
import { createDiff } from '../src/ledger/state/diff.ts';
import { openSharedMemory } from '../src/ledger/state/shared-memory.ts';
import { memoryPath } from '../src/ledger/store/database.ts';
import { openStore } from '../src/ledger/store/store.ts';

/** Stores the chain in a SQLite database with the real index and opens its reads. */
export function openIndexedReads({ id, genesisTxs, blocks, deposits }: ScannedChain): {
  readonly reads: IndexReads;
  readonly close: () => void;
} {
  const genesis = idNamed('genesis');
  const store = openStore(openDatabase, { path: memoryPath, networkID: 12345, genesis });
  const sharedMemory = openSharedMemory(store);
  const state = openState(store, sharedMemory, { id, genesis });
  const number = getChainNumber(store, id);
  migrateStore(store, number);
  const spec = { number, id, feeAsset: txs.avax.id, completeFrom: 0 };
  const index = openSqliteIndex(store, spec);
  const [first, ...others] = blocks;
  if (first !== undefined) state.init(genesisTxs, first, index.indexBlocks);
  store.write(() => {
    for (const { from, utxo } of deposits) sharedMemory.put(id, from, [utxo]);
  });
  for (const block of others) {
    const diff = createDiff(state);
    for (const tx of block.txs) diff.apply(tx, effectsOf(tx));
    state.commitAll([{ block, diff }], index.indexBlocks);
  }
  return { reads: openReads(createSqliteSql(store), spec), close: store.close };
}
