import type { Config } from '../../app/config/config.ts';
import { type DataFiles, findStructureDamage, rebuildPageChecksums, requireDatabase } from '../../app/node/data-files.ts';
import { migrateIndex } from '../../app/node/index-migration.ts';
import { createNetworkContext } from '../../app/node/network-context.ts';
import { openNodeDatabase, registerIndexSpec, soloStore } from '../../app/node/node-store.ts';
import type { AvmChainSpec } from '../../app/node/running-chain.ts';
import type { Env, ProcessEnv, TimeEnv } from '../../app/platform/env.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { createSignerCache } from '../../base/crypto/recover.ts';
import { startProgress } from '../../base/log/progress.ts';
import { isMigrationDue } from '../../ledger/index/migrate.ts';
import type { IndexDifference } from '../../ledger/index-sqlite/compare-indexes.ts';
import { openReindex, type Reindex } from '../../ledger/index-sqlite/reindex.ts';
import { countSnapshots, deleteAllSnapshots } from '../../ledger/snapshot/snapshots.ts';
import { getChainNumber, listStoredChains } from '../../ledger/state/chain-number.ts';
import { checkChain } from '../../ledger/state/check.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { StoreError } from '../../ledger/store/fault.ts';
import type { Store } from '../../ledger/store/store.ts';

/** The result of `serac check` or `serac reindex`: the lines to print, and whether damage was found. */
export type CommandResult = { readonly lines: readonly string[]; readonly isDamaged: boolean };

/**
 * `serac reindex`: rebuilds the index of a data directory from its blocks in a file beside the database, compares it with the old index, and
 * replaces the old one if they differ. If it is interrupted, the next run continues where it stopped.
 */
export function reindex(config: Config, env: Env): CommandResult {
  const files = requireDatabase(config.dataDir as string, env);
  const context = createNetworkContext(config, env);
  let isDamaged = false;
  let isDone = false;
  const { store, close } = openNodeDatabase(config, env, context, soloStore, 'write', () => {
    isDamaged = true;
  });
  try {
    const specs = context.specs.filter((spec) => hasBlocks(store, spec));
    if (specs.length === 0)
      return {
        lines: [isDamaged ? 'no block was found in the damaged database' : 'there are no blocks yet, and nothing to index'],
        isDamaged,
      };
    if (isDamaged) for (const { id } of specs) requireUndamagedChain(store, id);
    const outdated = deleteOutdatedSnapshots(store, specs);
    const found = withRebuiltIndex({ store, files, env, specs }, (work, blocks) => {
      const { lines, isDamaged } = compareAndReplace(work, store, env);
      return { lines: [`${blocks} blocks indexed again`, ...outdated, ...lines], isDamaged };
    });
    const remaining = isDamaged ? findStructureDamage(store, files.database, env) : undefined;
    if (remaining !== undefined) throw remaining;
    isDone = true;
    return found;
  } finally {
    close();
    if (isDone && isDamaged) rebuildPageChecksums(files, env);
  }
}

type RebuildTarget = { readonly store: Store; readonly files: DataFiles; readonly env: Env; readonly specs: readonly AvmChainSpec[] };

/** Rebuilds the index in a file beside the database, passes it to `use`, and removes the file afterwards. */
export function withRebuiltIndex<T>({ store, files, env, specs }: RebuildTarget, use: (work: Reindex, blocks: number) => T): T {
  const chains = specs.map((spec) => registerIndexSpec(store, spec, readCompleteFrom(store, spec)));
  for (const { number } of chains) migrateIndex(store, number, env);
  const path = `${files.folder}/reindex.sqlite`;
  const work = openReindex({ store, open: env.openDatabase, path, chains, recover: createSignerCache(env.recoverKey).recover });
  try {
    const result = use(work, buildWithProgress(work, env));
    work.close();
    for (const end of ['', '-wal', '-shm']) env.removeFile(`${path}${end}`);
    return result;
  } catch (error) {
    work.close();
    throw error;
  }
}

/** Describes the differences between the old index and the rebuilt one, one line per table. */
export const listIndexDifferences = (work: Reindex): string[] => runToEnd(work.compare()).map(formatDifference);

/** Throws if the stored blocks or outputs are damaged: the index is built from them. */
function requireUndamagedChain(store: Store, chainID: Id): void {
  const [problem] = checkChain(store, chainID).problems;
  if (problem !== undefined)
    throw new StoreError(
      `the chain itself is damaged (${problem}), and the index cannot be built from it: restore the data directory from a backup`,
      {
        code: 'STORE_DAMAGED',
      },
    );
}

function buildWithProgress(work: Reindex, env: ProcessEnv & TimeEnv): number {
  const progress = startProgress(env.clock.monotonic);
  let blocks = 0;
  for (const step of work.build()) {
    env.showProgress(progress(step));
    blocks = step.total;
  }
  env.showProgress(undefined);
  return blocks;
}

/** Deletes the snapshots if the index must be migrated, which they would prevent. Returns the lines that say so. */
function deleteOutdatedSnapshots(store: Store, specs: readonly AvmChainSpec[]): string[] {
  if (!specs.some(({ id }) => isMigrationDue(store, getChainNumber(store, id)))) return [];
  const snapshots = countSnapshots(store);
  deleteAllSnapshots(store);
  return describeDeleted(snapshots);
}

const describeDeleted = (snapshots: number): string[] =>
  snapshots === 0 ? [] : [`snapshots deleted, because they hold rows of the old index: ${snapshots}`];

/** Compares the rebuilt index with the old one, and replaces the old one, and deletes the snapshots, if they differ. */
function compareAndReplace(work: Reindex, store: Store, env: ProcessEnv): CommandResult {
  env.log('comparing with the old index', 'info');
  const differences = listIndexDifferences(work);
  if (differences.length === 0) return { lines: ['the new index equals the old one'], isDamaged: false };
  const snapshots = countSnapshots(store);
  // The snapshots hold rows of the old index.
  store.write(() => {
    deleteAllSnapshots(store);
    work.replace();
  });
  const replaced = `the new index differs from the old one in ${differences.length} tables, and has replaced it`;
  return { lines: [replaced, ...describeDeleted(snapshots), ...differences], isDamaged: true };
}

function runToEnd<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const formatDifference = ({ table, left, right }: IndexDifference): string =>
  `  ${table}: found ${left ?? 'nothing'}, expected ${right ?? 'nothing'}`;

/** Whether the database has blocks of a chain. */
export function hasBlocks(store: Store, { id }: AvmChainSpec): boolean {
  const stored = listStoredChains(store).find((chain) => chain.id === id);
  return stored !== undefined && store.db.prepare(`SELECT 1 FROM ${tablesOf(stored.number).block} LIMIT 1`).get() !== undefined;
}

/** The height from which the index is complete, as the node that wrote it stored it; 0 if there is no index. */
const readCompleteFrom = (store: Store, { id }: AvmChainSpec): number => {
  if (store.db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'progress'`).get() === undefined) return 0;
  const row = store.db.prepare<{ complete_from: number }>('SELECT complete_from FROM progress WHERE chain = ?').get(idToBytes(id));
  return row?.complete_from ?? 0;
};
