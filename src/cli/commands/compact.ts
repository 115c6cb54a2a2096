import type { Config } from '../../app/config/config.ts';
import {
  type DataFiles,
  makeDamagedPagesError,
  rebuildPageChecksums,
  requireDatabase,
  verifyPages,
  withChainEnds,
} from '../../app/node/data-files.ts';
import type { Env } from '../../app/platform/env.ts';
import type { Database } from '../../ledger/store/database.ts';
import { StoreError } from '../../ledger/store/fault.ts';
import { acquireLock } from '../../ledger/store/lock.ts';
import { hasPageChecksums, openPageChecksums, recordOrDiscard } from '../../ledger/store/page-checksums.ts';
import type { CommandResult } from './reindex.ts';

/**
 * `serac compact`: writes the database of a stopped node again without the space of deleted rows. The new file replaces the old one when it is
 * complete and on disk, so nothing is lost if this is interrupted. Needs as much room on the disk as the new file.
 */
export function compact(config: Config, env: Env): CommandResult {
  const files = requireDatabase(config.dataDir as string, env);
  const lock = acquireLock(env.openDatabase, files.lock);
  try {
    requireUndamagedPages(files, env);
    withChainEnds(files, env, () => recordLog(files, env));
    const before = sizeOf(files.database, env) ?? 0;
    env.log(`writing ${files.database} again (${formatMegabytes(before)})`, 'info');
    writeCompacted(files, env);
    requireNoLog(files, env);
    // Outdated checksums would be reported as damage; without any, a start computes them.
    openPageChecksums(env.openFile, files.database).discard();
    env.renameFile(compactedFile(files), files.database);
    rebuildPageChecksums(files, env);
    const after = sizeOf(files.database, env) ?? 0;
    return { lines: [`${formatMegabytes(before)} before, ${formatMegabytes(after)} now`], isDamaged: false };
  } finally {
    lock.release();
  }
}

/** Throws if a page differs from its checksum: the new file would get a checksum of the wrong page. */
function requireUndamagedPages({ database }: DataFiles, env: Env): void {
  if (!hasPageChecksums(env.openFile, database)) return;
  const pages = verifyPages(openPageChecksums(env.openFile, database), env);
  if (pages.length > 0) throw makeDamagedPagesError(database, pages);
}

/** Records the checksums of the pages in the log: closing the database moves them to the old file, which stays if this command does not come to its end. */
function recordLog({ database }: DataFiles, env: Env): void {
  if (!recordOrDiscard(openPageChecksums(env.openFile, database)))
    throw new StoreError(`the checksums of ${database} could not be written: the disk is full or fails; nothing was changed`, {
      code: 'STORE_FAILED',
    });
}

/** Writes the new file from the database and its log; closing the database moves the log to the old file and removes it. */
function writeCompacted(files: DataFiles, env: Env): void {
  const target = compactedFile(files);
  env.removeFile(target);
  withDatabase(files.database, env, (db) => db.exec(`VACUUM INTO ${db.fileToAttach(target)}`));
  // A node would change this in the first page, and not through the log, so that the page would differ from its checksum.
  withDatabase(target, env, (db) => void db.prepare('PRAGMA journal_mode = WAL').get());
  const written = env.openFile(target, 'write');
  written.sync();
  written.close();
}

function withDatabase(path: string, env: Env, work: (db: Database) => void): void {
  const db = env.openDatabase(path, { readonly: false });
  try {
    work(db);
  } finally {
    db.close();
  }
}

/** Throws if the log still exists, because another process has the database open or the disk fails: its pages would hide those of the new file. */
function requireNoLog(files: DataFiles, env: Env): void {
  const path = `${files.database}-wal`;
  if (sizeOf(path, env) === undefined) return;
  env.removeFile(compactedFile(files));
  throw new StoreError(
    `the log of ${files.database} could not be removed: another process, such as a backup, has it open, or the disk fails; run serac compact again when that has ended`,
    {
      code: 'STORE_IN_USE',
      path,
    },
  );
}

const compactedFile = ({ folder }: DataFiles): string => `${folder}/compacted.sqlite`;

function sizeOf(path: string, env: Env): number | undefined {
  const file = env.openFile(path, 'read');
  const size = file?.size();
  file?.close();
  return size;
}

const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
