import { expect, test } from 'bun:test';
import { type Migration, migrations, newestVersion } from '../../ledger/index/migrations.ts';
import { deleteAllSnapshots, openSnapshots } from '../../ledger/snapshot/snapshots.ts';
import { openChain } from '../../ledger/state/open-chain.fixture.ts';
import { memoryPath } from '../../ledger/store/database.ts';
import { openDatabase } from '../platform/database-bun.ts';
import { migrateIndex } from './index-migration.ts';

const nextRelease: readonly Migration[] = [
  ...migrations,
  { version: newestVersion + 1, shared: () => ['CREATE TABLE note(text TEXT NOT NULL)'], chain: () => [] },
];

test('an index is not migrated while snapshots hold rows of the old version; the error says what to do', () => {
  const { store } = openChain(openDatabase, memoryPath);
  migrateIndex(store, 1);
  openSnapshots({ store, parts: [], tip: () => ({ height: 0, time: 0 }) }).save('a');
  migrateIndex(store, 1);
  expect(() => migrateIndex(store, 1, nextRelease)).toThrow(/its 1 snapshots hold rows .* run serac reindex, which deletes the snapshots/);
  deleteAllSnapshots(store);
  migrateIndex(store, 1, nextRelease);
  expect(store.db.prepare('SELECT count(*) AS n FROM note').get() as unknown).toEqual({ n: 0 });
  store.close();
});
