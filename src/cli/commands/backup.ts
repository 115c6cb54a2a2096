import type { Config } from '../../app/config/config.ts';
import {
  dataFilesIn,
  findStructureDamage,
  makeDamagedPagesError,
  rebuildPageChecksums,
  requireDatabase,
  runWithProgress,
} from '../../app/node/data-files.ts';
import type { Env } from '../../app/platform/env.ts';
import { idText } from '../../base/bytes/id.ts';
import { listStoredChains } from '../../ledger/state/chain-number.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { copyDatabase } from '../../ledger/store/copy-database.ts';
import type { Database } from '../../ledger/store/database.ts';
import { StoreError } from '../../ledger/store/fault.ts';
import type { CommandResult } from './reindex.ts';

/**
 * `serac backup DIR`: copies the chains, API keys and webhooks of a data directory to a new one, on which a node can be started. The node may be running:
 * it is not asked and does not wait. The copy is complete when its database has its name.
 */
export function backUp(config: Config, target: string, env: Env): CommandResult {
  const from = requireDatabase(config.dataDir as string, env);
  const to = dataFilesIn(target);
  const copies = [to.database, ...beside.map((name) => to[name])];
  for (const path of copies) requireMissing(path, env);
  env.makeFolder(target);
  env.makeFolder(to.folder);
  try {
    for (const name of beside) if (exists(from[name], env)) copy(from[name], to[name], env);
    const chains = copy(from.database, to.database, env, listChains);
    rebuildPageChecksums(to, env);
    return { lines: [...chains, `copied to ${target}; serac --data-dir ${target} starts a node on it`], isDamaged: false };
  } catch (error) {
    // So that the command can be run again with the same directory.
    for (const path of copies) for (const end of ['', ...partialEnds]) env.removeFile(`${path}${end}`);
    throw error;
  }
}

/** Databases beside the chains'. They are copied first: a webhook whose position is older than the blocks delivers again what it sent, and skips nothing. */
const beside = ['keys', 'webhooks'] as const;

/** What the names of the files of an incomplete copy end with. */
const partialEnds = ['-partial', '-partial-wal', '-partial-shm'];

/**
 * Copies a database under another name first, so that a copy that was interrupted is not taken for a whole one. `read` is run on the copy. Throws if the
 * database is damaged: the copy would get checksums of wrong pages, and look sound.
 */
function copy(from: string, to: string, env: Env, read: (db: Database) => readonly string[] = () => []): readonly string[] {
  const partial = `${to}-partial`;
  for (const end of partialEnds) env.removeFile(`${to}${end}`);
  const damagedPages = runWithProgress(copyDatabase(env.openDatabase, env.openFile, from, partial), env, 'bytes');
  if (damagedPages !== undefined && damagedPages.length > 0) throw makeDamagedPagesError(from, damagedPages);
  const lines = readCopy(partial, env, (db) => {
    const damage = damagedPages === undefined ? findStructureDamage({ db }, from, env) : undefined;
    if (damage !== undefined) throw damage;
    return read(db);
  });
  env.renameFile(partial, to);
  return lines;
}

function readCopy(path: string, env: Env, read: (db: Database) => readonly string[]): readonly string[] {
  const db = env.openDatabase(path, { readonly: false });
  try {
    // Moves the copied log to the file; closing the database removes the log.
    db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    return read(db);
  } finally {
    db.close();
  }
}

/** The last block of each chain, as lines. */
const listChains = (db: Database): readonly string[] =>
  listStoredChains({ db }).map(({ number, id }) => {
    const last = db.prepare<{ height: number | null }>(`SELECT max(height) AS height FROM ${tablesOf(number).block}`).get();
    return `chain ${idText(id)}: blocks up to ${last?.height ?? 'none'}`;
  });

function requireMissing(path: string, env: Env): void {
  if (exists(path, env))
    throw new StoreError(`${path} exists already; give a new directory, so that no other backup is overwritten`, {
      code: 'STORE_EXISTS',
      path,
    });
}

function exists(path: string, env: Env): boolean {
  const file = env.openFile(path, 'read');
  file?.close();
  return file !== undefined;
}
