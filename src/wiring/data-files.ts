import { progressSince } from '../cli/progress.ts';
import { type ChainEnds, chainEndsIn, checkEnds, readEnds } from '../state/chain-ends.ts';
import { StoreError } from '../store/fault.ts';
import { hasSums, maxListed, type PageSums, type PagesRead, pageSums } from '../store/page-sums.ts';
import { openStore, type Store, type StoreOptions } from '../store/store.ts';
import type { Env } from './env.ts';

/** The files of a data directory that hold its chains. */
export const dataFilesIn = (dataDir: string) => ({
  folder: `${dataDir}/db`,
  database: `${dataDir}/db/serac.sqlite`,
  lock: `${dataDir}/db/lock.sqlite`,
  /** See state/chain-ends.ts. */
  ends: `${dataDir}/db/chain-ends`,
});

export type DataFiles = ReturnType<typeof dataFilesIn>;

export type OpenedFiles = { readonly store: Store; readonly ends: ChainEnds; readonly close: () => void };

/**
 * Opens the database of a data directory for writing, once its files have been checked. The caller holds the lock. `onDamage` is given the
 * pages that differ from their checksums; without it they are refused.
 */
export function openDataFiles(
  files: DataFiles,
  env: Env,
  options: Omit<StoreOptions, 'path' | 'sums'>,
  onDamage: (pages: readonly number[]) => void = (pages) => refusePages(files.database, pages),
): OpenedFiles {
  const { database } = files;
  checkPresence(files, env);
  const sums = pageSums(env.openFile, database);
  const open = () => openStore(env.openDatabase, { ...options, path: database, sums });
  if (hasSums(env.openFile, database)) {
    const pages = finish(sums.verify({ maxBlocks: maxBlocksAtStart, random: randomBelow(env) }), env);
    if (pages.length > 0) onDamage(pages);
  } else {
    // Creates the database if there is none. The first page is written before there is a log, so the checksums are taken from the file.
    open().close();
    finish(sums.rebuild(), env);
  }
  const store = open();
  const file = env.openFile(files.ends, 'write');
  const ends = chainEndsIn(file);
  const close = (): void => {
    store.close();
    ends.close();
  };
  try {
    checkEnds(store, readEnds(file), files.ends);
  } catch (error) {
    close();
    throw error;
  }
  return { store, ends, close };
}

/** The numbers of pages that differ from their checksums, with a progress bar; none if there are no checksums yet. */
export const verifyPages = (sums: PageSums, env: Env): readonly number[] => finish(sums.verify(), env);

export function rebuildSums(files: DataFiles, env: Env): void {
  finish(pageSums(env.openFile, files.database).rebuild(), env);
}

/** A database that is gone or empty although blocks had been accepted must not be begun anew. */
export function checkPresence({ database, ends }: DataFiles, env: Env): void {
  const file = env.openFile(ends, 'read');
  if (file === undefined) return;
  const hasBlocks = readEnds(file).size > 0;
  file.close();
  const stored = hasBlocks ? env.openFile(database, 'read') : undefined;
  const size = stored?.size();
  stored?.close();
  if (hasBlocks && !size)
    throw new StoreError(
      `the database ${database} is ${size === undefined ? 'missing' : 'empty'}, but blocks had been accepted: restore the data directory from a backup, or delete its folder db to start from genesis`,
      { code: 'STORE_DAMAGED' },
    );
}

function refusePages(database: string, pages: readonly number[]): never {
  throw new StoreError(`${pagesText(database, pages)}; run serac check to find out what is damaged`, { code: 'STORE_DAMAGED' });
}

/** Refuses a directory that has no database, and creates nothing there. */
export function requireDatabase(dataDir: string, env: Env): DataFiles {
  const files = dataFilesIn(dataDir);
  checkPresence(files, env);
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
export function pagesText(database: string, pages: readonly number[]): string {
  const count = pages.length >= maxListed ? `${maxListed} or more pages` : pages.length === 1 ? '1 page' : `${pages.length} pages`;
  const shown = pages.slice(0, 5).join(', ') + (pages.length > 5 ? ', …' : '');
  return `${count} of ${database} ${pages.length === 1 ? 'differs from its checksum' : 'differ from their checksums'} (${shown}): the file is damaged, or another program has changed it`;
}

/**
 * Blocks of 4 MiB that a start compares at most, a quarter of a second if the operating system has them in memory. A start must not take
 * longer the larger the chain is; `serac check` compares all.
 */
const maxBlocksAtStart = 64;

const randomBelow =
  ({ random }: Pick<Env, 'random'>) =>
  (below: number): number =>
    Buffer.from(random(6)).readUIntBE(0, 6) % below;

/** Milliseconds after which a progress bar is worth its line. */
const showAfter = 1000;

/** Runs work to its end and shows how far it is if that takes a while. */
function finish<T>(work: Generator<PagesRead, T>, env: Env): T {
  const progress = progressSince(env.clock.monotonic, 'pages');
  const began = env.clock.monotonic();
  for (;;) {
    const step = work.next();
    if (step.done === true) {
      env.showProgress(undefined);
      return step.value;
    }
    if (env.clock.monotonic() - began > showAfter) env.showProgress(progress(step.value));
  }
}
