import { compare } from '../../base/bytes/octets.ts';
import { type BatchedStatement, type BatchSizes, batchedStatement, valueTuples } from './batched-statement.ts';
import { copyOfRows, encodeRows, type RowOrder } from './copy-rows.ts';
import type { Dialect } from './ddl.ts';
import { arrayStatement } from './key-array.ts';
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
 * PostgreSQL gets many rows as a COPY, or as arrays with `onConflict`: what follows the values if rows may be stored already; COPY cannot do that.
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
  if (dialect === 'sqlite') return (values) => insert(inOrder(values, sort(values), columns.length));
  const insertArrays = arrayStatement(types, (rows) => `INSERT INTO ${into} SELECT * FROM ${rows}${onConflict}`);
  return (values) => {
    const order = sort(values);
    if (onConflict === '' && values.length >= copyLimits.min * columns.length)
      return copyQueries(`COPY ${into} FROM STDIN (FORMAT binary)`, types, values, order);
    const sorted = inOrder(values, order, columns.length);
    return sorted.length < copyLimits.min * columns.length ? insert(sorted) : insertArrays(sorted);
  };
}

function copyQueries(text: string, types: readonly Column['type'][], values: readonly SqlValue[], order: RowOrder | undefined): Query[] {
  const queries: Query[] = [];
  const rows = encodeRows(types, values);
  const count = rows.ends.length;
  for (let from = 0; from < count; from += copyLimits.max) {
    const to = Math.min(count, from + copyLimits.max);
    queries.push({ text, values: [], copy: () => copyOfRows(rows, order, from, to) });
  }
  return queries;
}

/** Creates a function that returns the order of rows, in one flat list, by the key of their table; undefined if they are in that order. */
function createKeySort(columns: readonly string[], key: readonly string[]) {
  const width = columns.length;
  const keyColumns = key.map((name) => columns.indexOf(name));
  const firstColumn = keyColumns[0] as number;
  return (values: readonly SqlValue[]): RowOrder | undefined => {
    const count = values.length / width;
    if (count < 2) return undefined;
    const prefixes = new Float64Array(count);
    for (let row = 0; row < count; row++) prefixes[row] = prefixOf(values[row * width + firstColumn] as SqlValue);
    const compareRows = (a: number, b: number): number => {
      const difference = (prefixes[a] as number) - (prefixes[b] as number);
      if (difference !== 0) return difference;
      for (const column of keyColumns) {
        const order = compareValues(values[a * width + column], values[b * width + column]);
        if (order !== 0) return order;
      }
      return 0;
    };
    let isSorted = true;
    for (let row = 1; isSorted && row < count; row++) isSorted = compareRows(row - 1, row) <= 0;
    return isSorted ? undefined : Uint32Array.from({ length: count }, (_, row) => row).sort(compareRows);
  };
}

function inOrder(values: readonly SqlValue[], order: RowOrder | undefined, width: number): readonly SqlValue[] {
  if (order === undefined) return values;
  const sorted: SqlValue[] = [];
  for (const row of order) for (let at = row * width; at < (row + 1) * width; at++) sorted.push(values[at] as SqlValue);
  return sorted;
}

/** The beginning of a key as a number in the same order: comparing numbers takes a tenth of the time of comparing bytes. */
function prefixOf(value: SqlValue): number {
  if (typeof value === 'number') return value;
  const bytes = value as Uint8Array;
  let prefix = 0;
  for (let i = 0; i < prefixLength; i++) prefix = prefix * 256 + (bytes[i] ?? 0);
  return prefix;
}

/** As many bytes as a number holds exactly. */
const prefixLength = 6;

/** Keys are integers and blobs, which both databases order by their bytes. */
const compareValues = (a: SqlValue | undefined, b: SqlValue | undefined): number =>
  typeof a === 'number' ? a - (b as number) : compare(a as Uint8Array, b as Uint8Array);
