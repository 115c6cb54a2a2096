import type { Id } from '../../base/bytes/id.ts';
import { explorerTablesOf } from '../../ledger/index/explorer-tables.ts';
import { indexCountersText, toIndexCounters } from '../../ledger/index/migrate.ts';
import type { Sql, SqlQuery } from '../../ledger/index/sql.ts';
import { createBlockReads } from '../../ledger/index-read/read-blocks.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import type { IndexState } from './index-version.ts';

/** A chain in the index; `number` is its number in the names of tables. */
export type IndexedChain = { readonly number: number; readonly id: Id };

/** The query of the state of the index on a host. */
export type VersionQuery = SqlQuery & {
  readonly stateOf: (rows: readonly unknown[]) => IndexState;
  /** Runs the query. */
  readonly read: (sql: Pick<Sql, 'all'>) => Promise<IndexState>;
};

/**
 * Reads the last block of every chain, and the counters of the indexer. It is one statement, because it is run after the statements of every
 * answer that is not cached.
 */
export function createVersionQuery(chains: readonly IndexedChain[]): VersionQuery {
  const tipReads = chains.map(({ number, id }) => createBlockReads({ ...tablesOf(number), ...explorerTablesOf(number) }, id).tip);
  const tipTexts = tipReads.map(
    ({ query }, i) => ` UNION ALL SELECT '${tipName(i)}', t.height, t.id, t.time, t.last_tx FROM (${query.text}) t`,
  );
  const text = `SELECT c.name, c.value, NULL AS id, NULL AS time, NULL AS last_tx FROM (${indexCountersText}) c${tipTexts.join('')}`;
  const values = tipReads.flatMap(({ query }) => query.values);
  const stateOf = (found: readonly unknown[]): IndexState => {
    const rows = found as readonly VersionRow[];
    const { revision, writer, server } = toIndexCounters(rows);
    const tips = tipReads.map(({ resultOf }, i) =>
      resultOf(rows.flatMap(({ name, value, ...tip }) => (name === tipName(i) ? [{ ...tip, height: value }] : []))),
    );
    return {
      version: { tip: tips.map(({ id }) => id).join(' '), past: `${revision}` },
      position: { heights: tips.map(({ height }) => height), revision },
      tips,
      writer,
      server,
    };
  };
  return { text, values, stateOf, read: async (sql) => stateOf(await sql.all<unknown>(text, values)) };
}

/** The name of the row of the last block of a chain, beside the names of `meta`. */
const tipName = (place: number): string => `tip ${place}`;

/** A counter, or the last block of a chain, whose height is the value. */
type VersionRow = {
  readonly name: string;
  readonly value: number;
  readonly id: Uint8Array | null;
  readonly time: number | null;
  readonly last_tx: number | null;
};
