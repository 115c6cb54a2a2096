import { toHex } from '../../base/bytes/hex.ts';
import { explorerSchema, explorerTablesOf } from '../index/explorer-tables.ts';
import type { SqlValue } from '../index/sql.ts';
import { indexSchema, indexTablesOf, sharedIndexSchema, type Table } from '../index/tables.ts';
import { isMovedOutput } from '../state/output-number.ts';
import type { Database } from '../store/database.ts';

/** The first difference of two indexes in a table: the row of each as text; undefined if it has no more rows. */
export type IndexDifference = { readonly table: string; readonly left: string | undefined; readonly right: string | undefined };

/** Number of rows of a table compared so far. */
export type CompareProgress = { readonly table: string; readonly rows: number };

type Schema = `${string}.`;

/** All index tables of some chains, and the tables they share. */
export const indexTablesOfChains = (numbers: readonly number[]): { readonly name: string; readonly table: Table }[] => [
  ...numbers.flatMap((number) => {
    const names: { readonly [key: string]: string } = { ...indexTablesOf(number), ...explorerTablesOf(number) };
    return Object.entries({ ...indexSchema, ...explorerSchema }).map(([key, table]) => ({ name: names[key] as string, table }));
  }),
  ...Object.entries(sharedIndexSchema).map(([name, table]) => ({ name, table })),
];

/**
 * Compares two indexes of one connection row by row, in the order of their keys. The numbers of cross-chain outputs depend on which chain
 * was indexed first, so those outputs are compared by their ids instead.
 */
export function* compareIndexes(
  db: Database,
  left: Schema,
  right: Schema,
  numbers: readonly number[],
): Generator<CompareProgress, IndexDifference[]> {
  const differences: IndexDifference[] = [];
  for (const { name, table } of indexTablesOfChains(numbers)) {
    const [leftRows, rightRows] = [serializedRows(db, left, name, table), serializedRows(db, right, name, table)];
    for (let rows = 1; ; rows++) {
      const [leftRow, rightRow] = [leftRows.next().value ?? undefined, rightRows.next().value ?? undefined];
      if (leftRow !== rightRow) differences.push({ table: name, left: leftRow, right: rightRow });
      if (leftRow !== rightRow || leftRow === undefined) break;
      if (rows % rowsAtOnce === 0) yield { table: name, rows };
    }
  }
  return differences;
}

const rowsAtOnce = 1024;

function* serializedRows(
  db: Database,
  schema: Schema,
  name: string,
  { columns, key, unique, indexRows = 'TRUE' }: Table,
): Generator<string> {
  const isMovedTable = name === 'moved';
  const order = isMovedTable ? (unique?.[0] as readonly string[]) : key;
  const compared = Object.keys(columns).filter((column) => !isMovedTable || column !== 'seq');
  const select = `SELECT ${compared.join(', ')} FROM ${schema}${name}`;
  const end = `ORDER BY ${order.join(', ')} LIMIT ${rowsAtOnce}`;
  const first = db.prepare<Row>(`${select} WHERE ${indexRows} ${end}`);
  const next = db.prepare<Row>(`${select} WHERE ${indexRows} AND (${order.join(', ')}) > (${order.map(() => '?').join(', ')}) ${end}`);
  const movedById = db.prepare<Row>(`SELECT id, source, destination FROM ${schema}moved WHERE seq = ?`);
  const text = (value: SqlValue | undefined, column: string): string => {
    if (value instanceof Uint8Array) return toHex(value);
    if (column !== 'seq' || !isMovedOutput(Number(value))) return `${value}`;
    return Object.values(movedById.get(-Number(value)) ?? {})
      .map((part) => text(part, ''))
      .join('+');
  };
  let rows = first.all();
  while (rows.length > 0) {
    for (const row of rows) yield compared.map((column) => text(row[column], column)).join(' ');
    const last = rows[rows.length - 1] as Row;
    rows = rows.length < rowsAtOnce ? [] : next.all(...order.map((column) => last[column] as SqlValue));
  }
}

type Row = { readonly [column: string]: SqlValue };
