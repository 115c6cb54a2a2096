import { expect, test } from 'bun:test';
import { type Migration, migrations, newestVersion } from '../../ledger/index/migrations.ts';
import { deleteAllSnapshots, openSnapshots } from '../../ledger/snapshot/snapshots.ts';
import { openChain } from '../../ledger/state/open-chain.fixture.ts';
import { memoryPath } from '../../ledger/store/database.ts';
import { openDatabase } from '../platform/bun/database.ts';
import { migrateIndex } from './index-migration.ts';

const nextRelease: readonly Migration[] = [
  ...migrations,
  {
    version: newestVersion + 1,
    shared: () => ['CREATE TABLE note(text TEXT NOT NULL)'],
    chain: () => [],
    rows: function* (_, onTx) {
      yield [{ text: `INSERT INTO note VALUES ('migrated')`, values: [] }];
      onTx(1);
    },
  },
];

/** The part of the environment that a migration uses, with the lines that it logs. */
function watchedEnv() {
  const lines: string[] = [];
  const shown: unknown[] = [];
  const log = Object.assign((line: string) => void lines.push(line), { isShown: () => true });
  return {
    lines,
    shown,
    env: { log, showProgress: (progress: unknown) => void shown.push(progress), clock: { monotonic: () => 0 } } as never,
  };
}

test('an index is not migrated while snapshots hold rows of the old version; the error says what to do', () => {
  const { store } = openChain(openDatabase, memoryPath);
  const { env } = watchedEnv();
  migrateIndex(store, 1, env);
  openSnapshots({ store, parts: [], tip: () => ({ height: 0, time: 0 }) }).save('a');
  migrateIndex(store, 1, env);
  expect(() => migrateIndex(store, 1, env, nextRelease)).toThrow(
    /its 1 snapshots hold rows .* run serac reindex, which deletes the snapshots/,
  );
  deleteAllSnapshots(store);
  migrateIndex(store, 1, env, nextRelease);
  expect(store.db.prepare('SELECT count(*) AS n FROM note').get() as unknown).toEqual({ n: 1 });
  store.close();
});

test('the states that --reorg-depth keeps do not prevent a migration: a start deletes them in any case', () => {
  const { store } = openChain(openDatabase, memoryPath);
  const { env } = watchedEnv();
  migrateIndex(store, 1, env);
  const open = () => openSnapshots({ store, parts: [], tip: () => ({ height: 0, time: 0 }) });
  open().points.save(65);
  migrateIndex(store, 1, env, nextRelease);
  expect(open().points.lowest()).toBeUndefined();
  store.close();
});

test('a migration is announced and shows progress; creating the tables is not', () => {
  const { store } = openChain(openDatabase, memoryPath);
  const { lines, shown, env } = watchedEnv();
  migrateIndex(store, 1, env);
  expect([lines, shown]).toEqual([[], []]);
  migrateIndex(store, 1, env, nextRelease);
  expect(lines).toEqual([
    `migrating the index of the data directory from version ${newestVersion} to ${newestVersion + 1}; stopping now loses nothing, the next start begins again`,
    'migrated the index of the data directory',
  ]);
  expect(shown.length).toBeGreaterThan(1);
  expect(shown.at(-1)).toBeUndefined();
  migrateIndex(store, 1, env, nextRelease);
  expect(lines).toHaveLength(2);
  store.close();
});
