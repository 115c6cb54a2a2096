import { compare } from '../../base/bytes/octets.ts';
import { type BatchedStatement, type BatchSizes, batchedStatement, valueTuples } from './batched-statement.ts';
import { encodeCopyRows } from './copy-rows.ts';
import type { Dialect } from './ddl.ts';
import type { SqlValue } from './sql.ts';
import type { Query } from './steps.ts';
import type { Column, Table } from './tables.ts';

/** Batch sizes of statements that insert or look up rows. */
export const rowSizes: { readonly [D in Dialect]: BatchSizes } = {
  sqlite: [64, 16, 8, 4, 3, 2, 1],
  postgres: [512, 128, 32, 8, 1],
};

/** Fewer rows than this come as an INSERT; more rows than the other are divided, so that a busy server finishes each COPY within the timeout. */
const copyLimits = { min: 32, max: 1024 } as const;

/**
 * A statement that inserts rows in the order of the table's key: neighbours are on the same pages, so large batches change each page once.
 * PostgreSQL gets many rows as a COPY. `onConflict`: what follows the values if rows may be stored already; COPY cannot do that.
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
  const sort = createKeySort(columns, table.key);
  const canCopy = dialect === 'postgres' && onConflict === '';
  return (values) => {
    const sorted = sort(values);
    return canCopy && sorted.length >= copyLimits.min * columns.length
      ? copyQueries(`COPY ${into} FROM STDIN (FORMAT binary)`, types, sorted)
      : insert(sorted);
  };
}

function copyQueries(text: string, types: readonly Column['type'][], values: readonly SqlValue[]): Query[] {
  const step = copyLimits.max * types.length;
  const queries: Query[] = [];
  for (let at = 0; at < values.length; at += step) {
    const rows = values.slice(at, at + step);
    queries.push({ text, values: [], copy: () => encodeCopyRows(types, rows) });
  }
  return queries;
}

/** Creates a function that sorts rows, in one flat list, by the key of their table. */
function createKeySort(columns: readonly string[], key: readonly string[]) {
  const width = columns.length;
  const keyColumns = key.map((name) => columns.indexOf(name));
  return (values: readonly SqlValue[]): readonly SqlValue[] => {
    const compareRows = (a: number, b: number): number => {
      for (const at of keyColumns) {
        const order = compareValues(values[a + at], values[b + at]);
        if (order !== 0) return order;
      }
      return 0;
    };
    const rows: number[] = [];
    let isSorted = true;
    for (let row = 0; row < values.length; row += width) {
      if (isSorted && row > 0 && compareRows(row - width, row) > 0) isSorted = false;
      rows.push(row);
    }
    if (isSorted) return values;
    const sorted: SqlValue[] = [];
    for (const row of rows.sort(compareRows)) for (let at = row; at < row + width; at++) sorted.push(values[at] as SqlValue);
    return sorted;
  };
}

/** Keys are integers and blobs, which both databases order by their bytes. */
const compareValues = (a: SqlValue | undefined, b: SqlValue | undefined): number =>
  typeof a === 'number' ? a - (b as number) : compare(a as Uint8Array, b as Uint8Array);
