import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { createTable } from '../index/ddl.ts';
import { IndexError } from '../index/fault.ts';
import { newestVersion } from '../index/migrations.ts';
import { createBlockWriter, type IndexSpec, type SignerReads } from '../index-write/block-writer.ts';
import { exportedOutputQueries } from '../index-write/exported-outputs.ts';
import { createStoredBlockIndexer } from '../index-write/stored-blocks.ts';
import { tablesOf } from '../state/schema.ts';
import type { OpenDatabase } from '../store/database.ts';
import { sqliteRunner } from '../store/sqlite-runner.ts';
import { offlineCacheBytes, type Store } from '../store/store.ts';
import { type CompareProgress, compareIndexes, type IndexDifference, indexTablesOfChains } from './compare-indexes.ts';
import type { IndexProgress } from './sqlite-index.ts';

/** A rebuild of the index from the blocks, in a separate file. The database does not change before `replace`. */
export type Reindex = {
  /** Indexes a batch of blocks at each step, in one transaction. It can be stopped after any step and continues there when started again. */
  readonly build: () => Generator<IndexProgress, void>;
  /** Compares the index in the database (`left`) with the rebuilt one (`right`). */
  readonly compare: () => Generator<CompareProgress, IndexDifference[]>;
  /** Replaces the index in the database by the rebuilt one, in one transaction. Index writers must be opened after it. */
  readonly replace: () => void;
  /** Detaches the file; the caller removes it. */
  readonly close: () => void;
};

export function openReindex({
  store,
  open,
  path,
  chains,
  recover,
}: {
  /** An on-disk store with index tables. No other process may write to it. */
  readonly store: Store;
  readonly open: OpenDatabase;
  /** Path of the rebuild file. An existing file is continued. */
  readonly path: string;
  /** All indexed chains of the database: outputs that move between two chains are in the index of both. */
  readonly chains: readonly IndexSpec[];
  readonly recover?: SignerReads['recover'];
}): Reindex {
  const { db } = store;
  const tables = indexTablesOfChains(chains.map(({ number }) => number));
  prepareFile(open, path, tables, store.epoch());
  db.exec(`ATTACH DATABASE '${path.replaceAll("'", "''")}' AS rebuilt`);
  // NORMAL is enough: a step that is lost in a power failure is repeated.
  db.exec('PRAGMA rebuilt.synchronous = NORMAL');
  db.exec(`PRAGMA rebuilt.cache_size = -${offlineCacheBytes / 1024}`);
  const run = sqliteRunner(db);
  const progress = db.prepare<{ height: number }>('SELECT height FROM rebuilt.progress WHERE chain = ?');
  const builders = chains.map((chain) => {
    const indexFrom = createStoredBlockIndexer(chain, createBlockWriter(chain, 'sqlite', { schema: 'rebuilt.', recover }));
    const tip = db.prepare<{ height: number | null }>(`SELECT max(height) AS height FROM ${tablesOf(chain.number).block}`);
    const done = (): number => (progress.get(idToBytes(chain.id))?.height ?? -1) + 1;
    return {
      done,
      total: (): number => (tip.get()?.height ?? -1) + 1,
      step: (): void => store.write(() => run(indexFrom(done()))),
    };
  });
  const currentProgress = (): IndexProgress => ({
    done: builders.reduce((sum, { done }) => sum + done(), 0),
    total: builders.reduce((sum, { total }) => sum + total(), 0),
  });

  /** Starts over if a chain has history from before linearization: more of it may have been added since the rebuild was stopped. */
  const discardIfPreLinearization = (): void => {
    if (chains.every(({ completeFrom }) => completeFrom === 0)) return;
    store.write(() => {
      for (const { name } of tables) db.exec(`DELETE FROM rebuilt.${name}`);
    });
  };

  /** Copies imports by other chains whose transaction is unknown: they are only in the old index, not in the blocks. */
  const copyUnknownImports = (): void => {
    const all = db.prepare<{ id: Uint8Array; destination: Uint8Array; taken_time: number }>(
      'SELECT id, destination, taken_time FROM main.moved WHERE source = ? AND taken_by IS NULL AND taken_time IS NOT NULL',
    );
    for (const chain of chains) {
      const imported = all.all(idToBytes(chain.id)).map(({ id, destination, taken_time }) => ({
        id: toHex(id) as Id,
        destination: toHex(destination) as Id,
        time: taken_time,
      }));
      store.write(() => run(exportedOutputQueries(chain, 'sqlite', 'rebuilt.').markSpent(imported)));
    }
  };

  return {
    build: function* () {
      discardIfPreLinearization();
      for (const { done, total, step } of builders)
        while (done() < total()) {
          step();
          yield currentProgress();
        }
      copyUnknownImports();
    },
    compare: () =>
      compareIndexes(
        db,
        'main.',
        'rebuilt.',
        chains.map(({ number }) => number),
      ),
    replace: () =>
      store.write(() => {
        for (const { name, table } of tables) {
          const columns = Object.keys(table.columns).join(', ');
          db.exec(`DELETE FROM main.${name} WHERE ${table.indexRows ?? 'TRUE'}`);
          db.exec(`INSERT INTO main.${name}(${columns}) SELECT ${columns} FROM rebuilt.${name}`);
        }
      }),
    close: () => db.exec('DETACH DATABASE rebuilt'),
  };
}

/**
 * Creates the tables in the rebuild file. A file with another schema version is rejected; one that was begun before a revert is emptied, since
 * it may hold blocks that the chain no longer has.
 */
function prepareFile(open: OpenDatabase, path: string, tables: ReturnType<typeof indexTablesOfChains>, epoch: number): void {
  const db = open(path, { readonly: false });
  try {
    const version = db.prepare<{ user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0;
    if (version !== 0 && version !== newestVersion)
      throw new IndexError(`${path} was written by another version of this program; remove it and start again`, {
        code: 'INDEX_NEWER_SCHEMA',
        part: 'rebuilt index',
        stored: version,
        known: newestVersion,
      });
    db.exec('PRAGMA journal_mode = WAL');
    db.exec(`PRAGMA user_version = ${newestVersion}`);
    for (const { name, table } of tables) for (const statement of createTable('sqlite', name, table)) db.exec(statement);
    const begun = db.prepare<{ application_id: number }>('PRAGMA application_id').get()?.application_id ?? 0;
    if (begun === epoch) return;
    for (const { name } of tables) db.exec(`DELETE FROM ${name}`);
    db.exec(`PRAGMA application_id = ${epoch}`);
  } finally {
    db.close();
  }
}
