import { formatProgressLine, startProgress } from '../../base/log/progress.ts';
import { sleep } from '../../base/timing/sleep.ts';
import { runBackgroundMigrations } from '../../ledger/index/background-migration.ts';
import { indexedChains } from '../../ledger/index/migrate.ts';
import { migrations } from '../../ledger/index/migrations.ts';
import type { WritableSql } from '../../ledger/index/sql.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import type { ClusterEnv } from '../cluster-env.ts';

/** Milliseconds between two lines of progress, and before a failed conversion is tried again. */
const intervals = { progress: 10_000, retry: 5000 } as const;

/**
 * Converts the rows that migrations have left for later, between the commits of new blocks. Logs how far it is. A lost connection ends it: the
 * next one that writes continues.
 */
export function startBackgroundMigration(
  sql: WritableSql,
  env: ClusterEnv,
  logError: (error: unknown) => void,
  all = migrations,
): { readonly stop: () => void; readonly finished: Promise<void> } {
  let isStopped = false;

  const convertChain = async (chain: number): Promise<void> => {
    const progress = startProgress(env.clock.monotonic, 'transactions');
    const [row] = await sql.all<{ seq: number | null }>(`SELECT max(seq) AS seq FROM ${tablesOf(chain).tx}`, []);
    let logged = Number.NEGATIVE_INFINITY;
    const onProgress = (version: number, done: number | undefined): void => {
      const now = env.clock.monotonic();
      if (done === undefined) env.log(`migrated the rows of chain ${chain} to version ${version}`);
      else if (now - logged >= intervals.progress) {
        logged = now;
        env.log(
          `migrating the rows of chain ${chain} to version ${version}: ${formatProgressLine(progress({ done, total: row?.seq ?? done }))}`,
        );
      }
    };
    await runBackgroundMigrations(sql, chain, { onProgress, isStopped: () => isStopped }, all);
  };

  const run = async (): Promise<void> => {
    while (!isStopped)
      try {
        for (const { number } of await indexedChains(sql)) await convertChain(number);
        return;
      } catch (error) {
        if (isStopped) return;
        logError(error);
        await sleep(env.timers, intervals.retry);
      }
  };
  return {
    finished: run(),
    stop: () => {
      isStopped = true;
    },
  };
}
