import { type Id, idToBytes } from '../bytes/id.ts';
import { progressSince } from '../cli/progress.ts';
import type { Config } from '../config.ts';
import { migrateStore } from '../index/migrate.ts';
import type { Difference } from '../index-sqlite/compare-indexes.ts';
import { openReindex, type Reindex } from '../index-sqlite/reindex.ts';
import { checkChain } from '../state/check.ts';
import { StoreError } from '../store/fault.ts';
import type { Store } from '../store/store.ts';
import type { AvmChainSpec } from '../wiring/avm-chain.ts';
import { type DataFiles, rebuildSums, requireDatabase } from '../wiring/data-files.ts';
import type { Env } from '../wiring/env.ts';
import { createNetworkContext } from '../wiring/network-context.ts';
import { indexSpecOf, openPlace } from '../wiring/node-store.ts';

/** What a command that looks for damage has to say. */
export type Findings = { readonly lines: readonly string[]; readonly damaged: boolean };

/**
 * `serac reindex`: builds the index of a data directory again from its blocks, in a file beside it, holds it against the old one and takes
 * it over if they differ. Left in the middle, it goes on there the next time.
 */
export function reindex(config: Config, env: Env): Findings {
  const files = requireDatabase(config.dataDir as string, env);
  const frame = createNetworkContext(config, env);
  let damagedPages: readonly number[] = [];
  let done = false;
  const { store, close } = openPlace(config, env, frame, 'write', (pages) => {
    damagedPages = pages;
  });
  try {
    const specs = frame.specs.filter((spec) => hasBlocks(store, spec));
    if (damagedPages.length > 0) for (const { id } of specs) requireSound(store, id);
    const found = withRebuiltIndex({ store, files, env, specs }, (work, blocks) => {
      const { lines, damaged } = judged(work, env);
      return { lines: [`${blocks} blocks indexed again`, ...lines], damaged };
    });
    done = true;
    return found;
  } finally {
    close();
    if (done && damagedPages.length > 0) rebuildSums(files, env);
  }
}

type Rebuilding = { readonly store: Store; readonly files: DataFiles; readonly env: Env; readonly specs: readonly AvmChainSpec[] };

/** Builds the index again, in a file beside the database that is removed when `use` is done. */
export function withRebuiltIndex<T>({ store, files, env, specs }: Rebuilding, use: (work: Reindex, blocks: number) => T): T {
  const chains = specs.map((spec) => indexSpecOf(store, spec, completeFrom(store, spec)));
  for (const { number } of chains) migrateStore(store, number);
  const path = `${files.folder}/reindex.sqlite`;
  const work = openReindex({ store, open: env.openDatabase, path, chains });
  try {
    const result = use(work, build(work, env));
    work.close();
    for (const end of ['', '-wal', '-shm']) env.removeFile(`${path}${end}`);
    return result;
  } catch (error) {
    work.close();
    throw error;
  }
}

/** Where the rebuilt index differs from the old one, in words. */
export const indexDifferences = (work: Reindex): string[] => finish(work.compare()).map(shown);

/** The index is built from blocks and outputs: it cannot be better than they are. */
function requireSound(store: Store, chainID: Id): void {
  const [problem] = checkChain(store, chainID).problems;
  if (problem !== undefined)
    throw new StoreError(
      `the chain itself is damaged (${problem}), and the index cannot be built from it: restore the data directory from a backup`,
      {
        code: 'STORE_DAMAGED',
      },
    );
}

function build(work: Reindex, env: Env): number {
  const progress = progressSince(env.clock.monotonic);
  let blocks = 0;
  for (const step of work.build()) {
    env.showProgress(progress(step));
    blocks = step.total;
  }
  env.showProgress(undefined);
  return blocks;
}

function judged(work: Reindex, env: Env): Findings {
  env.log('serac: comparing with the old index', 'info');
  const differences = indexDifferences(work);
  if (differences.length === 0) return { lines: ['the new index equals the old one'], damaged: false };
  work.replace();
  const replaced = `the new index differs from the old one in ${differences.length} tables, and has taken its place`;
  return { lines: [replaced, ...differences], damaged: true };
}

function finish<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const shown = ({ table, left, right }: Difference): string => `  ${table}: ${left ?? 'nothing'} was there, ${right ?? 'nothing'} should be`;

/** Whether the database keeps a chain. */
export const hasBlocks = (store: Store, { id }: AvmChainSpec): boolean =>
  store.db.prepare('SELECT 1 FROM chain WHERE id = ? AND genesis IS NOT NULL').get(idToBytes(id)) !== undefined;

/** As it was written: only who followed the network knows. */
const completeFrom = (store: Store, { id }: AvmChainSpec): number => {
  if (store.db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'progress'`).get() === undefined) return 0;
  const row = store.db.prepare<{ complete_from: number }>('SELECT complete_from FROM progress WHERE chain = ?').get(idToBytes(id));
  return row?.complete_from ?? 0;
};
