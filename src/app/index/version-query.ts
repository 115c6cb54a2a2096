import type { Id } from '../../base/bytes/id.ts';
import { explorerTablesOf } from '../../ledger/index/explorer-tables.ts';
import { indexCountersText, toIndexCounters } from '../../ledger/index/migrate.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import { createBlockReads } from '../../ledger/index-read/read-blocks.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import type { IndexState } from './index-version.ts';

/** A chain in the index; `number` is its number in the names of tables. */
export type IndexedChain = { readonly number: number; readonly id: Id };

/**
 * Returns a function that reads the state of the index on a host: the last block of every chain, and the counters of the indexer. It is one
 * statement, because it is run for every answer that is not cached.
 */
export function createVersionQuery(chains: readonly IndexedChain[]): (sql: Sql) => Promise<IndexState> {
  const tipReads = chains.map(({ number, id }) => createBlockReads({ ...tablesOf(number), ...explorerTablesOf(number) }, id).tip);
  const tipTexts = tipReads.map(
    ({ query }, i) => ` UNION ALL SELECT '${tipName(i)}', t.height, t.id, t.time, t.last_tx FROM (${query.text}) t`,
  );
  const text = `SELECT c.name, c.value, NULL AS id, NULL AS time, NULL AS last_tx FROM (${indexCountersText}) c${tipTexts.join('')}`;
  const values = tipReads.flatMap(({ query }) => query.values);
  return async (sql) => {
    const rows = await sql.all<VersionRow>(text, values);
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
