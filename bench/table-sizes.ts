import type { Sql } from '../src/ledger/index/sql.ts';

/** What a table takes in PostgreSQL; a table in partitions is one. */
export type TableSize = { readonly table: string; readonly rows: number; readonly bytes: number; readonly indexBytes: number };

/** Sizes of all tables of the search path, largest first. Rows are counted one by one: an estimate may be from before the load. */
export async function readTableSizes(sql: Sql): Promise<TableSize[]> {
  const found = await sql.all<{ table: string; bytes: number; index_bytes: number }>(
    `SELECT coalesce(p.relname, c.relname)::text AS table, sum(pg_table_size(c.oid))::bigint AS bytes, sum(pg_indexes_size(c.oid))::bigint AS index_bytes
     FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace GROUP BY 1`,
    [],
  );
  const sizes: TableSize[] = [];
  for (const { table, bytes, index_bytes: indexBytes } of found) {
    const [count] = await sql.all<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`, []);
    sizes.push({ table, rows: count?.rows ?? 0, bytes, indexBytes });
  }
  return sizes.sort((a, b) => b.bytes + b.indexBytes - a.bytes - a.indexBytes);
}

/** A Markdown table: rows and bytes per transaction, of tables that take at least half a byte of each. */
export function formatTableSizes(sizes: readonly TableSize[], txs: number): string {
  const line = (table: string, rows: number, bytes: number, indexBytes: number) =>
    `| ${table} | ${(rows / txs).toFixed(2)} | ${Math.round(bytes / txs)} | ${Math.round(indexBytes / txs)} | ${Math.round((bytes + indexBytes) / txs)} |`;
  const sum = (of: (size: TableSize) => number) => sizes.reduce((total, size) => total + of(size), 0);
  return [
    '| table | rows per transaction | bytes | bytes of indexes | together |',
    '|---|---|---|---|---|',
    ...sizes
      .filter(({ bytes, indexBytes }) => (bytes + indexBytes) / txs >= 0.5)
      .map(({ table, rows, bytes, indexBytes }) => line(`\`${table}\``, rows, bytes, indexBytes)),
    line(
      'all',
      sum(({ rows }) => rows),
      sum(({ bytes }) => bytes),
      sum(({ indexBytes }) => indexBytes),
    ),
  ].join('\n');
}
