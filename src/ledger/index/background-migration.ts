import { runOnPostgres } from '../index/query-runner.ts';
import { type Migration, migrations } from './migrations.ts';
import type { Sql, WritableSql } from './sql.ts';

/*
 * Conversion of the rows of large tables in PostgreSQL, while blocks are indexed and served. How far it is, is stored in `meta`, in the
 * transaction of the converted rows: after a kill it continues there.
 */

/** The row of `meta` with the number of the last converted row. */
const rowName = (version: number, chain: number): string => `background ${version} of chain ${chain}`;

/**
 * Queues what migrations convert in the background. Conversions of earlier migrations that are not finished run first, to the end: the new
 * migrations rely on them.
 */
export async function queueBackground(tx: Sql, chain: number, due: readonly Migration[], all: readonly Migration[]): Promise<void> {
  for (;;) if ((await convertNext(tx, chain, all)) === undefined) break;
  for (const { version, background } of due)
    if (background !== undefined) await tx.all('INSERT INTO meta VALUES (?, 0)', [rowName(version, chain)]);
}

type BackgroundWatch = {
  /** Called after every transaction. `done`: number of the last converted row; undefined: there are no more. */
  readonly onProgress: (version: number, done: number | undefined) => void;
  readonly isStopped: () => boolean;
};

/** Converts what is queued for a chain, one transaction after the other. Resolves when there is no more, or it is stopped. */
export async function runBackgroundMigrations(
  sql: WritableSql,
  chain: number,
  { onProgress, isStopped }: BackgroundWatch,
  all = migrations,
): Promise<void> {
  while (!isStopped()) {
    const step = await sql.write((tx) => convertNext(tx, chain, all));
    if (step === undefined) return;
    onProgress(step.version, step.done);
  }
}

/** Converts the next rows of the oldest migration in the queue; undefined if the queue is empty. */
async function convertNext(
  tx: Sql,
  chain: number,
  all: readonly Migration[],
): Promise<{ readonly version: number; readonly done: number | undefined } | undefined> {
  for (const { version, background } of all) {
    if (background === undefined) continue;
    const name = rowName(version, chain);
    const [row] = await tx.all<{ value: number }>('SELECT value FROM meta WHERE name = ?', [name]);
    if (row === undefined) continue;
    const done = await runOnPostgres(tx, background(chain, row.value));
    if (done === undefined) await tx.all('DELETE FROM meta WHERE name = ?', [name]);
    else await tx.all('UPDATE meta SET value = ? WHERE name = ?', [done, name]);
    return { version, done };
  }
  return undefined;
}
