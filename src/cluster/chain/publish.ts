import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { storedProgressTable } from '../../ledger/index/distribution.ts';
import { runOnPostgres } from '../../ledger/index/query-runner.ts';
import type { WritableSql } from '../../ledger/index/sql.ts';
import type { Queries, Query } from '../../ledger/store/queries.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';

/*
 * How a transaction of the indexer becomes visible to readers.
 *
 * In PostgreSQL a commit shows all of it at once. Citus prepares a transaction on all servers, commits it on the coordinator, and then on one worker after
 * the other: readers may see a part of it for a moment; if a worker dies in between, until the prepared transaction is recovered. The indexer itself would
 * read old rows then, and write wrong sums. So on Citus a commit has two steps: the transaction, which writes the height to `stored_progress`; and, as soon as
 * no worker has a prepared transaction, one that copies the height to `progress`, by which all reads are pinned, and tells the readers.
 */

/** What a transaction returns. `news`: the statements that tell readers of it. */
export type Written<T> = { readonly result: T; readonly news: readonly Query[] };

export type WriteAndTell = <T>(queries: () => Queries<Written<T>>) => Promise<T>;

/** Runs queries in one transaction of PostgreSQL, the news included. */
export const createPlainWrites =
  (sql: WritableSql): WriteAndTell =>
  async <T>(queries: () => Queries<Written<T>>) =>
    sql.write((tx) =>
      runOnPostgres(
        tx,
        (function* (): Queries<T> {
          const { result, news } = yield* queries();
          if (news.length > 0) yield news;
          return result;
        })(),
      ),
    );

/** Runs queries in one transaction of Citus, and the news when all servers have committed it. */
export function createCitusWrites(sql: WritableSql, chainID: Id): { readonly write: WriteAndTell; readonly publish: typeof publish } {
  const chain = idToBytes(chainID);
  const copyProgress: Query = {
    text: `INSERT INTO progress SELECT * FROM ${storedProgressTable('citus')} WHERE chain = ? ON CONFLICT (chain) DO UPDATE
      SET height = excluded.height, complete_from = excluded.complete_from, open_buckets = excluded.open_buckets`,
    values: [chain],
  };
  /** Makes visible what is stored: also that of an indexer that ended between the two steps. */
  async function publish(news: readonly Query[]): Promise<void> {
    await waitForCommits(sql);
    await sql.write((tx) =>
      runOnPostgres(
        tx,
        (function* (): Queries<void> {
          yield [copyProgress, ...news];
        })(),
      ),
    );
  }
  return {
    publish,
    write: async (queries) => {
      const { result, news } = await sql.write((tx) => runOnPostgres(tx, queries()));
      await publish(news);
      return result;
    },
  };
}

/**
 * Citus notes each transaction that it prepares on a worker, and commits it there later. This finishes those that were not, and deletes the notes of all that
 * are; notes of a worker that does not answer stay. It uses the connections that the session has: `run_command_on_workers`, which opens others, took a
 * quarter of PostgreSQL's CPU for loading.
 */
const finishCommits = 'SELECT recover_prepared_transactions()';

const unfinishedWorkers = `SELECT DISTINCT n.nodename || ':' || n.nodeport AS name FROM pg_dist_transaction JOIN pg_dist_node n USING (groupid)
  WHERE n.noderole = 'primary'`;

/** Attempts, and the seconds between two: long enough for a worker that restarts. */
const attempts = { count: 240, seconds: 0.25 } as const;

/** Waits until no worker has a prepared transaction: commits or rolls back those that a dead worker or coordinator has left. */
async function waitForCommits(sql: WritableSql): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await sql.all(finishCommits, []);
    const unfinished = await sql.all<{ name: string }>(unfinishedWorkers, []);
    if (unfinished.length === 0) return;
    if (attempt === attempts.count)
      throw new PostgresError(`the Citus worker ${unfinished[0]?.name} does not answer, or has not committed the last blocks`, {
        code: 'DATABASE_DOWN',
        reason: 'prepared transactions',
      });
    await sql.all(`SELECT pg_sleep(${attempts.seconds})`, []);
  }
}
