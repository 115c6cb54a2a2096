import type { ChainVersion } from '../../api/rest/response-cache.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Dialect } from '../../ledger/index/ddl.ts';
import { explorerTablesOf } from '../../ledger/index/explorer-tables.ts';
import { indexCountersText, toIndexCounters } from '../../ledger/index/migrate.ts';
import type { Sql, SqlQuery } from '../../ledger/index/sql.ts';
import type { PinnedBlock } from '../../ledger/index-read/index-reads.ts';
import { createBlockReads } from '../../ledger/index-read/read-blocks.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import type { ReadPosition } from '../hosts/read-position.ts';

/** A chain in the index; `number` is its number in the names of tables. */
export type IndexedChain = { readonly number: number; readonly id: Id };

/** The state of the index on one host. */
export type IndexState = {
  readonly version: ChainVersion;
  readonly position: ReadPosition;
  /** The last block of every chain. */
  readonly tips: readonly PinnedBlock[];
  /** Changes when another indexer begins to write. */
  readonly writer: number;
  /** Changes when another server answers under the same name: after a restart, or a failover behind a pooler. */
  readonly server: number;
};

/** The query of the state of the index on a host. */
export type VersionQuery = SqlQuery & {
  readonly stateOf: (rows: readonly unknown[]) => IndexState;
  /** Runs the query. */
  readonly read: (sql: Pick<Sql, 'all'>) => Promise<IndexState>;
};

/**
 * Reads the last block of every chain, and the counters of the indexer. It is one statement with one text, because it is run after the statements of
 * every answer that is not cached: nearly always the text is the last one, which was read already.
 */
export function createVersionQuery(chains: readonly IndexedChain[], dialect: Dialect): VersionQuery {
  const tipReads = chains.map(({ number, id }) => createBlockReads(dialect, { ...tablesOf(number), ...explorerTablesOf(number) }, id).tip);
  const tipTexts = tipReads.map(
    ({ query }, i) =>
      ` UNION ALL SELECT concat_ws('\t', '${tipName(i)}', t.height, encode(t.id, 'hex'), t.time, t.last_tx) FROM (${query.text}) t`,
  );
  const lines = `SELECT concat_ws('\t', c.name, c.value) AS line FROM (${indexCountersText}) c${tipTexts.join('')}`;
  const text = `SELECT string_agg(l.line, '\n') AS lines FROM (${lines}) l`;
  const values = tipReads.flatMap(({ query }) => query.values);
  let last: { readonly text: string; readonly state: IndexState } | undefined;
  const parse = (stored: string): IndexState => {
    const rows = stored.split('\n').map(parseLine);
    const { revision, writer, server } = toIndexCounters(rows);
    const tips = tipReads.map(({ resultOf }, i) =>
      resultOf(rows.flatMap(({ name, value, tip }) => (name === tipName(i) ? [{ ...tip, height: value }] : []))),
    );
    return {
      version: { tip: tips.map(({ id }) => id).join(' '), past: `${revision}` },
      position: { heights: tips.map(({ height }) => height), revision },
      tips,
      writer,
      server,
    };
  };
  const stateOf = ([row]: readonly unknown[]): IndexState => {
    const { lines: stored } = row as { readonly lines: string };
    if (last?.text !== stored) last = { text: stored, state: parse(stored) };
    return last.state;
  };
  return { text, values, stateOf, read: async (sql) => stateOf(await sql.all<unknown>(text, values)) };
}

/** The name in the line of the last block of a chain, beside the names of `meta`. */
const tipName = (place: number): string => `tip${place}`;

/** A line is a counter, or the last block of a chain, whose height is the value. */
function parseLine(line: string) {
  const [name = '', value, id = '', time, lastTx] = line.split('\t');
  return { name, value: Number(value), tip: { id: fromHex(id), time: Number(time), last_tx: Number(lastTx) } };
}
