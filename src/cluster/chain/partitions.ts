import { chainTables } from '../../ledger/index/chain-tables.ts';
import { explorerSchema, explorerTablesOf } from '../../ledger/index/explorer-tables.ts';
import { IndexError } from '../../ledger/index/fault.ts';
import type { Sql, WritableSql } from '../../ledger/index/sql.ts';
import type { PartitionKey, Table } from '../../ledger/index/tables.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { defaultPartitionSize } from '../hosts/database-config.ts';

/*
 * Partitions of a chain's tables in PostgreSQL: ranges of transactions or blocks, so that old ranges can be moved to other storage and are
 * vacuumed apart (docs/understand/decisions/partitions.md). The name of a partition has the number of its first transaction or block: c1_tx_16777216.
 */

/** The last numbers that are stored, or are about to be. */
type LastNumbers = { readonly [C in PartitionKey['counts']]: number };

type PartitionedTable = { readonly name: string; readonly key: PartitionKey };

/** The tables of a chain that have partitions. */
export function partitionedTables(chain: number): readonly PartitionedTable[] {
  const schema: { readonly [key: string]: Table } = { ...chainTables, ...explorerSchema };
  const names: { readonly [key: string]: string } = { ...tablesOf(chain), ...explorerTablesOf(chain) };
  return Object.entries(schema).flatMap(([key, { partitions }]) =>
    partitions === undefined ? [] : [{ name: names[key] as string, key: partitions }],
  );
}

/**
 * Opens the partitions of a chain's tables. `size`: transactions or blocks of a new range; existing ranges keep theirs. Only one process may
 * create partitions at a time.
 */
export function openPartitions(sql: WritableSql, chain: number, size = defaultPartitionSize) {
  const tables = partitionedTables(chain);
  /** For each table the number at which its last range ends, in transactions or blocks; undefined until they are read. */
  let ends: Map<string, number> | undefined;

  const readEnds = async (): Promise<Map<string, number>> => {
    const ranges = await readRanges(sql, tables);
    return new Map(tables.map(({ name, key }) => [name, (ranges.get(name)?.at(-1)?.to ?? 0) / key.step]));
  };

  /** One transaction for each range: its locks are held for a moment. A reader waits for none of them. */
  const addRange = async ({ name, key }: PartitionedTable, from: number): Promise<void> => {
    await sql.write(async (tx) => {
      await tx.all(`SET LOCAL lock_timeout = ${lockTimeout}`, []);
      const partition = `${name}_${from}`;
      await tx.all(`CREATE TABLE ${partition} (LIKE ${name} INCLUDING ALL)`, []);
      const bounds = `FROM (${from === 0 ? 'MINVALUE' : from * key.step}) TO (${(from + size) * key.step})`;
      await tx.all(`ALTER TABLE ${name} ATTACH PARTITION ${partition} FOR VALUES ${bounds}`, []);
    });
  };

  const extend = async (table: PartitionedTable, known: Map<string, number>, last: number): Promise<void> => {
    for (let end = known.get(table.name) ?? 0; end <= last + size / 4; end += size)
      try {
        await addRange(table, end);
        known.set(table.name, end + size);
      } catch (error) {
        // It may have been created although the answer was lost.
        ends = undefined;
        // Maintenance of an operator may hold a lock. As long as the rows have a range, it is tried again with the next blocks.
        if (end <= last) throw error;
        return;
      }
  };

  return {
    /** Creates the partitions that rows up to these numbers need, and the next one when three quarters of the last one are used. */
    createAhead: async (last: LastNumbers): Promise<void> => {
      const known = ends ?? (await readEnds());
      ends = known;
      for (const table of tables) await extend(table, known, last[table.key.counts]);
    },
  };
}

/** Milliseconds that the creation of a partition waits for a lock. */
const lockTimeout = 500;

/** A range of keys of a table; `from` is undefined in the first one, which has all lower keys. */
type Range = { readonly from: number | undefined; readonly to: number };

/** Throws INDEX_DETACHED_RANGE if a range of a chain's tables is missing between others. */
export async function verifyPartitions(sql: Sql, chain: number): Promise<void> {
  await readRanges(sql, partitionedTables(chain));
}

async function readRanges(sql: Sql, tables: readonly PartitionedTable[]): Promise<ReadonlyMap<string, readonly Range[]>> {
  const rows = await sql.all<{ name: string; bounds: string }>(
    `SELECT CAST(p.relname AS text) AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds FROM pg_inherits i
     JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
     WHERE i.inhparent IN (${tables.map(() => 'to_regclass(?)').join(', ')}) AND NOT i.inhdetachpending`,
    tables.map(({ name }) => name),
  );
  const ranges = new Map<string, Range[]>();
  for (const { name, bounds } of rows) ranges.set(name, [...(ranges.get(name) ?? []), parseBounds(bounds)]);
  for (const { name, key } of tables)
    verifyRanges(
      name,
      key,
      (ranges.get(name) ?? []).sort((a, b) => a.to - b.to),
    );
  return ranges;
}

/** `FOR VALUES FROM (MINVALUE) TO ('64')`. Other forms cannot be attached beside these ranges. */
function parseBounds(bounds: string): Range {
  const [, from = '', to = ''] = bounds.match(/FROM \('?(MINVALUE|-?\d+)'?\) TO \('?(-?\d+)'?\)/) ?? [];
  return { from: from === 'MINVALUE' ? undefined : Number(from), to: Number(to) };
}

function verifyRanges(table: string, { step }: PartitionKey, sorted: readonly Range[]): void {
  let end: number | undefined;
  for (const { from, to } of sorted) {
    if (from !== end) throw detachedRange(table, (end ?? 0) / step, (from ?? 0) / step);
    end = to;
  }
}

const detachedRange = (table: string, from: number, to: number) =>
  new IndexError(
    `table ${table} has no partition for the numbers ${from} to ${to - 1}; attach ${table}_${from} again, or restore it from a backup (docs/guides/cluster.md)`,
    { code: 'INDEX_DETACHED_RANGE', table, from, to },
  );
