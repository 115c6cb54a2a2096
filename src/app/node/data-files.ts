import type { Id } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { startProgress } from '../../base/log/progress.ts';
import {
  type ChainEnd,
  type ChainEnds,
  checkChainEnds,
  deferChainEnds,
  openChainEnds,
  readChainEnds,
} from '../../ledger/state/chain-ends.ts';
import { makeStoreError, StoreError } from '../../ledger/store/fault.ts';
import {
  hasPageChecksums,
  maxListedPages,
  openPageChecksums,
  type PageChecksums,
  type PageProgress,
} from '../../ledger/store/page-checksums.ts';
import { openStore, type Store, type StoreOptions } from '../../ledger/store/store.ts';
import { checkStructure } from '../../ledger/store/structure.ts';
import { truncateWal } from '../../ledger/store/wal-end.ts';
import type { Env, FileEnv, ProcessEnv, TimeEnv } from '../platform/env.ts';

/** The files of a data directory that hold its chains. */
export const dataFilesIn = (dataDir: string) => ({
  folder: `${dataDir}/db`,
  database: `${dataDir}/db/serac.sqlite`,
  lock: `${dataDir}/db/lock.sqlite`,
  /** See state/chain-ends.ts. */
  ends: `${dataDir}/db/chain-ends`,
  /** API keys, in a database of their own. */
  keys: `${dataDir}/db/keys.sqlite`,
  /** Webhooks, in a database of their own: a revert of the chain does not change them. */
  webhooks: `${dataDir}/db/webhooks.sqlite`,
});

export type DataFiles = ReturnType<typeof dataFilesIn>;

type OpenedDataFiles = { readonly store: Store; readonly ends: ChainEnds; readonly close: () => void };

/**
 * Checks the files of a data directory and opens its database for writing. The caller holds the lock. `onDamage` is called if pages differ from their
 * checksums, or if the structure of a file without checksums is damaged; without it, both are errors.
 */
export function openDataFiles(
  files: DataFiles,
  env: Env,
  options: Omit<StoreOptions, 'path' | 'pageChecksums' | 'process' | 'onCheckpoint'>,
  onDamage?: () => void,
): OpenedDataFiles {
  const { database } = files;
  requireDatabaseIfBlocks(files, env);
  // On other nodes a damaged log is not changed before `withChainEnds` has reported the blocks that it lost, so that it can be examined.
  if (options.durability === 'checkpoint') truncateWal(env.openFile, database);
  const checksums = openPageChecksums(env.openFile, database);
  const open = (onCheckpoint?: () => void) =>
    openStore(env.openDatabase, { ...options, path: database, pageChecksums: checksums, process: env, onCheckpoint });
  const reportDamage = (damage: StoreError): void => {
    if (onDamage === undefined) throw damage;
    onDamage();
  };
  if (hasPageChecksums(env.openFile, database)) {
    const pages = runWithProgress(checksums.verify({ maxBlocks: maxBlocksAtStart, random: createRandomBelow(env) }), env);
    if (pages.length > 0) reportDamage(makeDamagedPagesError(database, pages));
  } else {
    // Creates the database if it does not exist. Its first page is not written through the WAL, so the checksums are computed from the file.
    const unverified = withChainEnds(files, env, open);
    const damage = findStructureDamage(unverified, database, env);
    if (!unverified.close())
      throw new StoreError(`cannot close the database ${database}: the disk is full or fails; nothing was changed`, {
        code: 'STORE_FAILED',
      });
    // The checksums of a damaged file would make it look sound to the next start.
    if (damage === undefined) runWithProgress(checksums.rebuild(), env);
    else reportDamage(damage);
  }
  const file = env.openFile(files.ends, 'write');
  const written = openChainEnds(file);
  const deferred = options.durability === 'checkpoint' ? deferChainEnds(written) : undefined;
  const store = openOrClose(() => withChainEnds(files, env, () => open(deferred?.flush)), file);
  const ends = deferred ?? written;
  const close = (): void => {
    // Closing has synced the log or the database.
    if (store.close()) deferred?.flush();
    ends.close();
  };
  try {
    if (deferred === undefined) {
      truncateWal(env.openFile, database);
      // A killed process may have left a commit that is complete and not synced, and SQLite takes it for committed.
      checksums.syncLog();
    }
  } catch (error) {
    close();
    throw error;
  }
  return { store, ends, close };
}

/**
 * Returns a function that says if the file of this name, open now, was deleted or replaced since. Reads and writes go on in the open file then,
 * and everything is lost when this process ends.
 */
export function watchRemoval(path: string, { identifyFile }: Pick<FileEnv, 'identifyFile'>): () => 'deleted' | 'replaced' | undefined {
  const opened = identifyFile(path);
  return () => {
    const found = identifyFile(path);
    return found === undefined ? 'deleted' : found === opened ? undefined : 'replaced';
  };
}

/** Returns a function that throws if the database was deleted or replaced since. */
export function requireUnremoved(database: string, env: Pick<FileEnv, 'identifyFile'>): () => void {
  const readRemoval = watchRemoval(database, env);
  return () => {
    const removal = readRemoval();
    if (removal === undefined) return;
    throw new StoreError(
      `the database ${database} was ${removal} while the node runs: everything is lost when it stops; save its state to another place first (serac state save FILE)`,
      { code: 'STORE_REMOVED', path: database },
    );
  };
}

/** Reads all tables of a file without checksums: the disk has failed before, or another program has made the file. Returns what is wrong. */
export function findStructureDamage({ db }: Pick<Store, 'db'>, database: string, env: Env): StoreError | undefined {
  try {
    const [damage] = runWithProgress(checkStructure(db, 'quick_check'), env, 'tables');
    if (damage === undefined) return undefined;
    return new StoreError(`the database ${database} is damaged (${damage}); run serac check to find out more`, { code: 'STORE_DAMAGED' });
  } catch (cause) {
    return cause instanceof StoreError ? cause : makeStoreError(`cannot check the database ${database}`, cause);
  }
}

/**
 * Runs `work`. Throws before if the database does not have the recorded last blocks. It is opened for reading only: closing it leaves a damaged log as it is,
 * from which the blocks may be recovered. It stays open during `work`: a connection that `work` opens then need not recover the log again.
 */
export function withChainEnds<T>(files: DataFiles, env: Env, work: () => T): T {
  const ends = readRecordedEnds(files, env);
  if (ends.size === 0) return work();
  try {
    const db = env.openDatabase(files.database, { readonly: true });
    try {
      db.exec('PRAGMA busy_timeout = 5000');
      checkChainEnds({ db }, ends, files.ends);
      return work();
    } finally {
      db.close();
    }
  } catch (cause) {
    throw cause instanceof Fault ? cause : makeStoreError(`cannot open the database ${files.database}`, cause);
  }
}

/** The last block of each chain as recorded beside the database (see ledger/state/chain-ends.ts). */
export function readRecordedEnds({ ends }: DataFiles, env: FileEnv): ReadonlyMap<Id, ChainEnd> {
  const file = env.openFile(ends, 'read');
  try {
    return file === undefined ? new Map() : readChainEnds(file);
  } finally {
    file?.close();
  }
}

function openOrClose<T>(open: () => T, file: { readonly close: () => void }): T {
  try {
    return open();
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Compares every page with its checksum, with a progress bar. Returns the numbers of the pages that differ. */
export const verifyPages = (checksums: PageChecksums, env: Env): readonly number[] => runWithProgress(checksums.verify(), env);

export function rebuildPageChecksums(files: DataFiles, env: Env): void {
  runWithProgress(openPageChecksums(env.openFile, files.database).rebuild(), env);
}

/** Throws if the database is missing or empty although blocks had been accepted: it must not start again from genesis without notice. */
function requireDatabaseIfBlocks(files: DataFiles, env: FileEnv): void {
  const { database } = files;
  const hasBlocks = readRecordedEnds(files, env).size > 0;
  const stored = hasBlocks ? env.openFile(database, 'read') : undefined;
  const size = stored?.size();
  stored?.close();
  if (hasBlocks && !size)
    throw new StoreError(
      `the database ${database} is ${size === undefined ? 'missing' : 'empty'}, but blocks had been accepted: restore the data directory from a backup, or delete its folder db to start from genesis`,
      { code: 'STORE_DAMAGED' },
    );
}

export const makeDamagedPagesError = (database: string, pages: readonly number[]): StoreError =>
  new StoreError(`${describeDamagedPages(database, pages)}; run serac check to find out what is damaged`, { code: 'STORE_DAMAGED' });

/** Returns the files of a data directory. Throws if it has no database, and creates nothing. */
export function requireDatabase(dataDir: string, env: Env): DataFiles {
  const files = dataFilesIn(dataDir);
  requireDatabaseIfBlocks(files, env);
  const file = env.openFile(files.database, 'read');
  file?.close();
  if (file === undefined)
    throw new StoreError(`there is no database in ${dataDir}: ${files.database} does not exist`, {
      code: 'STORE_MISSING',
      path: files.database,
    });
  return files;
}

/** `3 pages of FILE differ from their checksums (17, 18, 90)` */
export function describeDamagedPages(database: string, pages: readonly number[]): string {
  const count =
    pages.length >= maxListedPages ? `${maxListedPages} or more pages` : pages.length === 1 ? '1 page' : `${pages.length} pages`;
  const shown = pages.slice(0, 5).join(', ') + (pages.length > 5 ? ', …' : '');
  return `${count} of ${database} ${pages.length === 1 ? 'differs from its checksum' : 'differ from their checksums'} (${shown}): the file is damaged, or another program has changed it`;
}

/**
 * The maximum number of 4 MiB blocks of the file that are compared at start: about 0.1 s if the operating system has them cached. The limit
 * keeps the start time independent of the chain's size; `serac check` compares all blocks.
 */
const maxBlocksAtStart = 64;

const createRandomBelow =
  ({ random }: Pick<Env, 'random'>) =>
  (below: number): number =>
    Buffer.from(random(6)).readUIntBE(0, 6) % below;

/** Milliseconds before a progress bar is shown. */
const progressDelay = 1000;

/** Runs a generator to its end, and shows a progress bar if it takes longer than `progressDelay`. */
export function runWithProgress<T>(work: Generator<PageProgress, T>, env: ProcessEnv & TimeEnv, unit = 'pages'): T {
  const progress = startProgress(env.clock.monotonic, unit);
  const began = env.clock.monotonic();
  for (;;) {
    const step = work.next();
    if (step.done === true) {
      env.showProgress(undefined);
      return step.value;
    }
    if (env.clock.monotonic() - began > progressDelay) env.showProgress(progress(step.value));
  }
}
