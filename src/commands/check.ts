import { type Id, idFromBytes, idOf, idText } from '../bytes/id.ts';
import { progressSince } from '../cli/progress.ts';
import type { Config } from '../config.ts';
import { Fault } from '../fault.ts';
import { type ChainEnd, checkEnds, readEnds } from '../state/chain-ends.ts';
import { claimedNumber } from '../state/chain-number.ts';
import { openState } from '../state/chain-state.ts';
import { checkChain, rowsToRead } from '../state/check.ts';
import { openSharedMemory } from '../state/shared-memory.ts';
import { storeFaultOf } from '../store/fault.ts';
import { acquireLock } from '../store/lock.ts';
import { hasSums, pageSums } from '../store/page-sums.ts';
import { openStore, type Store, type StoreOptions } from '../store/store.ts';
import { type DataFiles, pagesText, rebuildSums, requireDatabase, verifyPages } from '../wiring/data-files.ts';
import type { Env } from '../wiring/env.ts';
import { createNetworkContext, type NetworkContext } from '../wiring/network-context.ts';
import { type Findings, hasBlocks, indexDifferences, withRebuiltIndex } from './reindex.ts';

/**
 * `serac check`: verifies everything in a data directory that no node uses, without changing what the database holds. Pages against their checksums,
 * the structure of every table, blocks and transactions against their ids and each other, outputs and balances against transactions, the
 * index against the chain, the end of each chain against the file that names it. Signatures are not verified again: ids cover them.
 */
export function check(config: Config, env: Env): Findings {
  const files = requireDatabase(config.dataDir as string, env);
  const frame = createNetworkContext(config, env);
  const lock = acquireLock(env.openDatabase, files.lock);
  try {
    const areRecorded = hasSums(env.openFile, files.database);
    const pages = areRecorded ? verifyPages(pageSums(env.openFile, files.database), env) : [];
    const { lines, problems } = checkRows(files, config, env, frame);
    if (problems.length > 0)
      return {
        lines: [...(pages.length > 0 ? [pagesText(files.database, pages)] : []), ...problems, ...lines, 'damage found'],
        damaged: true,
      };
    if (areRecorded && pages.length === 0) return { lines: [...lines, 'no damage found'], damaged: false };
    rebuildSums(files, env);
    const why = areRecorded ? `${pagesText(files.database, pages)}; every row is right` : 'the pages had no checksums';
    return { lines: [...lines, `${why}: their checksums were recorded again`, 'no damage found'], damaged: false };
  } finally {
    lock.release();
  }
}

type Found = { readonly lines: readonly string[]; readonly problems: readonly string[] };

function checkRows(files: DataFiles, config: Config, env: Env, frame: NetworkContext): Found {
  const lines: string[] = [];
  const problems: string[] = [];
  /** What cannot even be read is a problem like any other. */
  const attempt = (what: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      const fault = error instanceof Fault ? error : storeFaultOf(error);
      if (fault === undefined) throw error;
      problems.push(`${what}: ${fault.message}`);
    }
  };
  const options = { path: files.database, networkID: config.network.id, genesis: frame.specs[0].id, readonly: true };
  const store = openStore(env.openDatabase, options);
  try {
    attempt('structure', () => problems.push(...checkStructure(store, env)));
    attempt('chains', () => {
      for (const chainID of storedChains(store)) attempt(`chain ${idText(chainID)}`, () => lines.push(checkOne(chainID)));
    });
    attempt('end of the chain', () => checkEnds(store, noted(files, env), files.ends));
  } finally {
    store.close();
  }
  if (problems.length > 0) return { lines: [...lines, 'the index was not compared'], problems };
  attempt('index', () => problems.push(...checkIndexes(files, env, frame, options)));
  return { lines, problems };

  function checkOne(chainID: Id): string {
    const progress = progressSince(env.clock.monotonic, 'rows');
    const total = rowsToRead(store, claimedNumber(store, chainID));
    let done = 0;
    const report = checkChain(store, chainID, (rows) => {
      done = Math.min(done + rows, total);
      env.showProgress(progress({ done, total }));
    });
    env.showProgress(undefined);
    problems.push(...report.problems);
    const state = openState(store, openSharedMemory(store), { id: chainID, genesis: genesisOf(store, chainID) });
    const spec = frame.specs.find(({ id }) => id === chainID);
    const first = state.blockAt(0n);
    if (spec !== undefined && first !== undefined && idOf(first) !== spec.first.id) problems.push('block 0 is not the one of the genesis');
    return `chain ${idText(chainID)}: ${report.blocks} blocks, ${report.txs} transactions, ${report.unspent} unspent outputs`;
  }
}

/** SQLite's own check of every table and its indexes. */
function checkStructure({ db }: Store, env: Env): string[] {
  const tables = db.prepare<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all();
  const progress = progressSince(env.clock.monotonic, 'tables');
  const problems: string[] = [];
  for (const [done, { name }] of tables.entries()) {
    env.showProgress(progress({ done, total: tables.length }));
    const rows = db.prepare<{ integrity_check: string }>(`PRAGMA integrity_check('${name.replaceAll("'", "''")}')`).all();
    problems.push(...rows.filter((row) => row.integrity_check !== 'ok').map((row) => `table ${name}: ${row.integrity_check}`));
  }
  env.showProgress(undefined);
  return problems.slice(0, maxTold);
}

const maxTold = 100;

/** Every chain that has blocks here, whether the flags name it or not. */
const storedChains = ({ db }: Store): Id[] =>
  db
    .prepare<{ id: Uint8Array }>('SELECT id FROM chain WHERE genesis IS NOT NULL ORDER BY number')
    .all()
    .map(({ id }) => idFromBytes(id));

const genesisOf = ({ db }: Store, chainID: Id): Id =>
  idFromBytes(
    (
      db.prepare<{ genesis: Uint8Array }>('SELECT genesis FROM chain WHERE id = ?').get(Buffer.from(chainID, 'hex')) as {
        genesis: Uint8Array;
      }
    ).genesis,
  );

function noted({ ends }: DataFiles, env: Env): ReadonlyMap<Id, ChainEnd> {
  const file = env.openFile(ends, 'read');
  try {
    return file === undefined ? new Map() : readEnds(file);
  } finally {
    file?.close();
  }
}

/**
 * Builds the index again from blocks that were found right, and compares it with the one that is there. A directory that was only used
 * without the Data and Metrics interfaces has none.
 */
function checkIndexes(files: DataFiles, env: Env, frame: NetworkContext, options: StoreOptions): string[] {
  const store = openStore(env.openDatabase, { ...options, readonly: false, sums: pageSums(env.openFile, files.database) });
  try {
    if (store.db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'progress'`).get() === undefined) return [];
    const specs = frame.specs.filter((spec) => hasBlocks(store, spec));
    const differences = withRebuiltIndex({ store, files, env, specs }, indexDifferences);
    if (differences.length === 0) return [];
    return ['the history index differs from the blocks; serac reindex builds it again', ...differences];
  } finally {
    store.close();
  }
}
