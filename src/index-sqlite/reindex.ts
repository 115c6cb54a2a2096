import { toHex } from '../bytes/hex.ts';
import { type Id, idToBytes } from '../bytes/id.ts';
import { createTable } from '../index/ddl.ts';
import { IndexError } from '../index/fault.ts';
import { newestVersion } from '../index/migrations.ts';
import { syncStepRunner } from '../index/steps.ts';
import { blockWriter, type IndexSpec } from '../index-write/block-writer.ts';
import { exportSteps } from '../index-write/exported-outputs.ts';
import { storedBlocks } from '../index-write/stored-blocks.ts';
import { tablesOf } from '../state/schema.ts';
import type { OpenDatabase } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { type Compared, compareIndexes, type Difference, indexTableNames } from './compare-indexes.ts';
import type { Progress } from './sqlite-index.ts';

/** An index made anew from the blocks, in a file beside the database. Nothing of the database changes before `replace`. */
export type Reindex = {
  /** Some blocks at each step, each step in one transaction: it can be left at any of them and goes on where it was left. */
  readonly build: () => Generator<Progress, void>;
  /** `left` is what the database has, `right` what was made anew. */
  readonly compare: () => Generator<Compared, Difference[]>;
  /** Takes over what was made anew, in one transaction. Whoever writes to the index must be opened after it. */
  readonly replace: () => void;
  /** Lets go of the file; to remove it is the caller's business. */
  readonly close: () => void;
};

export type ReindexOptions = {
  /** On disk, with index tables; nobody else writes to it. */
  readonly store: Store;
  readonly open: OpenDatabase;
  /** Of the file. One that is there is continued. */
  readonly path: string;
  /** All chains that are indexed in the database: what moves between them belongs to both. */
  readonly chains: readonly IndexSpec[];
};

export function openReindex({ store, open, path, chains }: ReindexOptions): Reindex {
  const { db } = store;
  const tables = indexTableNames(chains.map(({ number }) => number));
  prepareFile(open, path, tables);
  db.exec(`ATTACH DATABASE '${path.replaceAll("'", "''")}' AS rebuilt`);
  // A step that a power cut takes back is made again.
  db.exec('PRAGMA rebuilt.synchronous = NORMAL');
  const run = syncStepRunner(db);
  const progress = db.prepare<{ height: number }>('SELECT height FROM rebuilt.progress WHERE chain = ?');
  const builders = chains.map((chain) => {
    const [writer, blocksFrom] = [blockWriter(chain, 'sqlite', 'rebuilt.'), storedBlocks(chain)];
    const tip = db.prepare<{ height: number | null }>(`SELECT max(height) AS height FROM ${tablesOf(chain.number).block}`);
    const done = (): number => (progress.get(idToBytes(chain.id))?.height ?? -1) + 1;
    return {
      done,
      total: (): number => (tip.get()?.height ?? -1) + 1,
      step: (): void => store.write(() => run(writer.write(run(blocksFrom(done()))))),
    };
  });
  const told = (): Progress => ({
    done: builders.reduce((sum, { done }) => sum + done(), 0),
    total: builders.reduce((sum, { total }) => sum + total(), 0),
  });

  /** An old chain may have learnt of more outputs older than its blocks since this was left. */
  const beginAgain = (): void => {
    if (chains.every(({ completeFrom }) => completeFrom === 0)) return;
    store.write(() => {
      for (const { name } of tables) db.exec(`DELETE FROM rebuilt.${name}`);
    });
  };

  /** What other chains took, and no block here tells of, the old index alone knows. */
  const takeOver = (): void => {
    const all = db.prepare<{ id: Uint8Array; destination: Uint8Array; taken_time: number }>(
      'SELECT id, destination, taken_time FROM main.moved WHERE source = ? AND taken_by IS NULL AND taken_time IS NOT NULL',
    );
    for (const chain of chains) {
      const gone = all.all(idToBytes(chain.id)).map(({ id, destination, taken_time }) => ({
        id: toHex(id) as Id,
        destination: toHex(destination) as Id,
        time: taken_time,
      }));
      store.write(() => run(exportSteps(chain, 'sqlite', 'rebuilt.').take(gone)));
    }
  };

  return {
    build: function* () {
      beginAgain();
      for (const { done, total, step } of builders)
        while (done() < total()) {
          step();
          yield told();
        }
      takeOver();
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
          db.exec(`DELETE FROM main.${name}`);
          db.exec(`INSERT INTO main.${name}(${columns}) SELECT ${columns} FROM rebuilt.${name}`);
        }
      }),
    close: () => db.exec('DETACH DATABASE rebuilt'),
  };
}

/** A file of an earlier program's tables cannot be continued. */
function prepareFile(open: OpenDatabase, path: string, tables: ReturnType<typeof indexTableNames>): void {
  const db = open(path, { readonly: false });
  try {
    const version = db.prepare<{ user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0;
    if (version !== 0 && version !== newestVersion)
      throw new IndexError(`${path} was made by another version of this program: remove it`, {
        code: 'INDEX_NEWER_SCHEMA',
        part: 'rebuilt index',
        stored: version,
        known: newestVersion,
      });
    db.exec('PRAGMA journal_mode = WAL');
    db.exec(`PRAGMA user_version = ${newestVersion}`);
    for (const { name, table } of tables) for (const statement of createTable('sqlite', name, table)) db.exec(statement);
  } finally {
    db.close();
  }
}
