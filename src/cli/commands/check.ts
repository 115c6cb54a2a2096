import type { Config, NetworkConfig } from '../../app/config/config.ts';
import {
  type DataFiles,
  describeDamagedPages,
  readRecordedEnds,
  rebuildPageChecksums,
  requireDatabase,
  runWithProgress,
  verifyPages,
  withChainEnds,
} from '../../app/node/data-files.ts';
import { createNetworkContext, type NetworkContext } from '../../app/node/network-context.ts';
import type { Env } from '../../app/platform/env.ts';
import { type Id, idOf, idText } from '../../base/bytes/id.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import { startProgress } from '../../base/log/progress.ts';
import { checkChainEnds } from '../../ledger/state/chain-ends.ts';
import { getChainNumber, listStoredChains } from '../../ledger/state/chain-number.ts';
import { openState } from '../../ledger/state/chain-state.ts';
import { checkChain, estimateRowsToRead } from '../../ledger/state/check.ts';
import { countForkedAddresses } from '../../ledger/state/forked-addresses.ts';
import { readImpersonatedTxs } from '../../ledger/state/impersonated-txs.ts';
import { openSharedMemory } from '../../ledger/state/shared-memory.ts';
import { StoreError, storeErrorFromDriver } from '../../ledger/store/fault.ts';
import { acquireLock } from '../../ledger/store/lock.ts';
import { hasPageChecksums, openPageChecksums } from '../../ledger/store/page-checksums.ts';
import { openStore, type Store, type StoreOptions } from '../../ledger/store/store.ts';
import { checkStructure } from '../../ledger/store/structure.ts';
import { type CommandResult, hasBlocks, listIndexDifferences, withRebuiltIndex } from './reindex.ts';

/**
 * `serac check`: verifies a data directory that no node is using, without changing the rows of the database. It checks the pages against their
 * checksums, the structure of every table, blocks and transactions against their IDs and each other, outputs and balances against the
 * transactions, the index against the blocks, and the last block of each chain against the file that records it. Signatures are not verified
 * again, because the IDs cover them.
 */
export function check(config: Config, env: Env): CommandResult {
  try {
    return checkFiles(config, env);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new StoreError(
      `the check could not be finished: the disk of ${config.dataDir} is full; free some space and run it again. No damage was found so far`,
      { code: 'STORE_FULL' },
    );
  }
}

/** Whether a database or a file could not be written because the disk is full, which is no damage. */
const isDiskFull = (error: unknown): boolean =>
  error instanceof StoreError
    ? error.fault.code === 'STORE_FULL'
    : (error as { readonly code?: unknown }).code === 'ENOSPC' || storeErrorFromDriver(error)?.fault.code === 'STORE_FULL';

/** Whether the tables are of another version of this program, which is no damage. */
const isOtherVersion = (error: unknown): error is AnyFault =>
  error instanceof Fault && ['STORE_OTHER_SCHEMA', 'INDEX_NEWER_SCHEMA'].includes(error.fault.code);

/** The error of a check that cannot read the tables says what was found so far. Other errors are returned as they are. */
const describeUnfinished = (error: unknown, damagedPages = 'No damage was found so far'): unknown =>
  isOtherVersion(error) ? new Fault(`the check could not be finished: ${error.message}. ${damagedPages}`, error.fault) : error;

function checkFiles(config: Config, env: Env): CommandResult {
  const files = requireDatabase(config.dataDir as string, env);
  const context = createNetworkContext(config, env);
  const lock = acquireLock(env.openDatabase, files.lock);
  try {
    const hasChecksums = hasPageChecksums(env.openFile, files.database);
    const pages = hasChecksums ? verifyPages(openPageChecksums(env.openFile, files.database), env) : [];
    const damagedPages = pages.length > 0 ? describeDamagedPages(files.database, pages) : undefined;
    const { lines, problems } = checkRows(files, config, env, context, damagedPages);
    if (problems.length > 0)
      return { lines: [...(damagedPages === undefined ? [] : [damagedPages]), ...problems, ...lines, 'damage found'], isDamaged: true };
    if (hasChecksums && damagedPages === undefined) return { lines: [...lines, 'no damage found'], isDamaged: false };
    rebuildPageChecksums(files, env);
    const reason = damagedPages === undefined ? 'the pages had no checksums' : `${damagedPages}; every row is valid`;
    return { lines: [...lines, `${reason}: new checksums were recorded`, 'no damage found'], isDamaged: false };
  } finally {
    lock.release();
  }
}

type CheckResult = { readonly lines: readonly string[]; readonly problems: readonly string[] };

function checkRows(
  files: DataFiles,
  config: NetworkConfig,
  env: Env,
  context: NetworkContext,
  damagedPages: string | undefined,
): CheckResult {
  const lines: string[] = [];
  const problems: string[] = [];
  /** The error of a check that could not be finished: the disk is full, or the tables are of another version. */
  let unfinished: unknown;
  /** Runs a check; an error while reading is recorded as a problem. */
  const collectProblem = (what: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (isDiskFull(error) || isOtherVersion(error)) {
        unfinished = error;
        return;
      }
      const fault = error instanceof Fault ? error : storeErrorFromDriver(error);
      if (fault === undefined) throw error;
      problems.push(`${what}: ${fault.message}`);
    }
  };
  const options = {
    path: files.database,
    networkID: config.network.id,
    genesis: context.specs[0].id,
    readonly: true,
  };
  const store = openUnlessEmpty(env, options, damagedPages);
  if (store === undefined) {
    if (damagedPages !== undefined) problems.push('the database has no tables');
    collectProblem('end of the chain', () => withChainEnds(files, env, () => lines.push('the database is empty')));
    return { lines, problems };
  }
  try {
    collectProblem('structure', () => problems.push(...runWithProgress(checkStructure(store.db, 'integrity_check'), env, 'tables')));
    collectProblem('chains', () => {
      // Also those that the flags do not name.
      for (const { id, genesis } of listStoredChains(store))
        collectProblem(`chain ${idText(id)}`, () => lines.push(checkStoredChain(store, id, genesis)));
    });
    collectProblem('end of the chain', () => checkChainEnds(store, readRecordedEnds(files, env), files.ends));
  } finally {
    store.close();
  }
  if (problems.length > 0) return { lines: [...lines, 'the index was not compared'], problems };
  collectProblem('index', () => problems.push(...checkIndex(files, env, context, options)));
  if (unfinished !== undefined && problems.length === 0) throw describeUnfinished(unfinished, damagedPages);
  return { lines, problems };

  function checkStoredChain(store: Store, chainID: Id, genesis: Id): string {
    const progress = startProgress(env.clock.monotonic, 'rows');
    const total = estimateRowsToRead(store, getChainNumber(store, chainID));
    let done = 0;
    const report = checkChain(store, chainID, (rows) => {
      done = Math.min(done + rows, total);
      env.showProgress(progress({ done, total }));
    });
    env.showProgress(undefined);
    problems.push(...report.problems);
    const state = openState(store, openSharedMemory(store), { id: chainID, genesis });
    const spec = context.specs.find(({ id }) => id === chainID);
    const first = state.blockAt(0n);
    if (spec !== undefined && first !== undefined && idOf(first) !== spec.genesisBlock.id)
      problems.push('block 0 is not the block 0 of the genesis');
    return `chain ${idText(chainID)}: ${report.blocks} blocks, ${report.txs} transactions, ${report.unspent} unspent outputs${describeForked(store, chainID)}${describeImpersonated(store, chainID)}`;
  }
}

/** Returns undefined if the database has no tables: a power cut took all that a new node had written. */
function openUnlessEmpty(env: Env, options: StoreOptions, damagedPages: string | undefined): Store | undefined {
  try {
    return openStore(env.openDatabase, options);
  } catch (error) {
    if (error instanceof StoreError && error.fault.code === 'STORE_EMPTY') return undefined;
    throw describeUnfinished(error, damagedPages);
  }
}

/** Tells how many addresses of a chain were copied from another node; empty if none was. */
function describeForked(store: Store, chainID: Id): string {
  const count = countForkedAddresses(store.db, getChainNumber(store, chainID));
  return count === 0 ? '' : `; ${count === 1 ? '1 address was' : `${count} addresses were`} copied from another node (--fork-url)`;
}

/** Tells how many transactions of a chain were accepted for impersonated addresses; empty if none was. */
function describeImpersonated(store: Store, chainID: Id): string {
  const { count, first } = readImpersonatedTxs(store.db, getChainNumber(store, chainID));
  if (first === undefined) return '';
  const subject = count === 1 ? '1 transaction was' : `${count} transactions were`;
  return `; ${subject} accepted without the signatures of impersonated addresses, the first in block ${first.height} (${idText(first.id)})`;
}

/**
 * Rebuilds the index from the blocks, which have been verified, and compares it with the stored one. Skipped if there is no index: the
 * directory was only used without the Data and Metrics APIs.
 */
function checkIndex(files: DataFiles, env: Env, context: NetworkContext, options: StoreOptions): string[] {
  const store = openStore(env.openDatabase, {
    ...options,
    readonly: false,
    pageChecksums: openPageChecksums(env.openFile, files.database),
    process: env,
  });
  try {
    if (store.db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'progress'`).get() === undefined) return [];
    const specs = context.specs.filter((spec) => hasBlocks(store, spec));
    if (specs.length === 0) return [];
    const differences = withRebuiltIndex({ store, files, env, specs }, listIndexDifferences);
    if (differences.length === 0) return [];
    return ['the history index does not match the blocks; serac reindex rebuilds it', ...differences];
  } finally {
    store.close();
  }
}
