import type { Query } from '../store/queries.ts';
import { type BatchedStatement, type BatchSizes, batchedStatement, valueTuples } from './batched-statement.ts';
import { encodeCopyRows } from './copy-rows.ts';
import type { Dialect } from './ddl.ts';
import { arrayStatement } from './key-array.ts';
import { createRowSort, inOrder, type RowOrder } from './row-order.ts';
import type { SqlValue } from './sql.ts';
import type { Column, Table } from './tables.ts';

/** Batch sizes of statements that insert or look up rows. */
export const rowSizes: { readonly [D in Dialect]: BatchSizes } = {
  sqlite: [64, 16, 8, 4, 3, 2, 1],
  postgres: [512, 128, 32, 8, 1],
  citus: [512, 128, 32, 8, 1],
};

/** Fewer rows are inserted by INSERT. */
const minCopied = 32;

/**
 * More rows are divided into several COPYs, so that a busy server finishes each within the timeout. For the first 1,000 rows of each, PostgreSQL 15 adds a slot
 * to a list that it searches from the start: with 1,024 rows a COPY that was an eighth of its time. Citus makes a COPY for each of its 32 shards of every one.
 */
const maxCopied = 4096;

/**
 * A statement that inserts rows in the order of the table's key: neighbours are on the same pages, so large batches change each page once.
 * `onConflict`: the clause after the values, such as ` ON CONFLICT DO NOTHING`, if some of the rows may be stored already. PostgreSQL gets many rows as a
 * COPY; with `onConflict`, which COPY does not have, as an INSERT of arrays.
 */
export function insertRows(dialect: Dialect, name: string, table: Table, onConflict = ''): BatchedStatement {
  const columns = Object.keys(table.columns);
  const into = `${name}(${columns.join(', ')})`;
  const insert = batchedStatement(
    rowSizes[dialect],
    columns.length,
    (n) => `INSERT INTO ${into} VALUES ${valueTuples(n, columns.length)}${onConflict}`,
  );
  const types = Object.values(table.columns).map(({ type }) => type);
  const sort = createRowSort(columns, table.key);
  if (dialect === 'sqlite') return (values) => insert(inOrder(values, sort(values), columns.length));
  const insertArrays = arrayStatement(types, (rows) => `INSERT INTO ${into} SELECT * FROM ${rows}${onConflict}`);
  return (values) => {
    const order = sort(values);
    if (onConflict === '' && values.length >= minCopied * columns.length)
      return copyQueries(`COPY ${into} FROM STDIN (FORMAT binary)`, types, values, { order, max: maxCopied });
    const sorted = inOrder(values, order, columns.length);
    // Citus would copy the rows of a SELECT to its workers, over connections of their own, before it inserts them.
    const isSmall = sorted.length < minCopied * columns.length || dialect === 'citus';
    return isSmall ? insert(sorted) : insertArrays(sorted);
  };
}

function copyQueries(
  text: string,
  types: readonly Column['type'][],
  values: readonly SqlValue[],
  { order, max }: { readonly order: RowOrder | undefined; readonly max: number },
): Query[] {
  const queries: Query[] = [];
  const count = values.length / types.length;
  for (let from = 0; from < count; from += max) {
    const to = Math.min(count, from + max);
    queries.push({ text, values: [], copy: () => encodeCopyRows(types, values, { order, from, to }) });
  }
  return queries;
}
