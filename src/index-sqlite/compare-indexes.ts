import { toHex } from '../bytes/hex.ts';
import type { SqlValue } from '../index/sql.ts';
import { indexSchema, indexTablesOf, sharedIndexSchema, type Table } from '../index/tables.ts';
import type { Database } from '../store/database.ts';

/** The first place where two indexes differ in a table: what each has there. */
export type Difference = { readonly table: string; readonly left: string | undefined; readonly right: string | undefined };

/** Rows compared so far; the whole is not known beforehand. */
export type Compared = { readonly table: string; readonly rows: number };

type Schema = `${string}.`;

/** Every table of some chains' indexes. */
export const indexTableNames = (numbers: readonly number[]): { readonly name: string; readonly table: Table }[] => [
  ...numbers.flatMap((number) => {
    const names = indexTablesOf(number);
    return (Object.keys(indexSchema) as (keyof typeof indexSchema)[]).map((key) => ({ name: names[key], table: indexSchema[key] }));
  }),
  ...Object.entries(sharedIndexSchema).map(([name, table]) => ({ name, table })),
];

/**
 * Holds two indexes of one connection against each other, row by row in the order of their keys. How outputs between chains are numbered
 * depends on which chain was indexed first, so for each of those its name stands, not its number.
 */
export function* compareIndexes(db: Database, left: Schema, right: Schema, numbers: readonly number[]): Generator<Compared, Difference[]> {
  const differences: Difference[] = [];
  for (const { name, table } of indexTableNames(numbers)) {
    const [ours, theirs] = [rowTexts(db, left, name, table), rowTexts(db, right, name, table)];
    for (let rows = 1; ; rows++) {
      const [one, other] = [ours.next().value ?? undefined, theirs.next().value ?? undefined];
      if (one !== other) differences.push({ table: name, left: one, right: other });
      if (one !== other || one === undefined) break;
      if (rows % rowsAtOnce === 0) yield { table: name, rows };
    }
  }
  return differences;
}

const rowsAtOnce = 1024;

function* rowTexts(db: Database, schema: Schema, name: string, { columns, key, unique }: Table): Generator<string> {
  const isMoves = name === 'moved';
  const order = isMoves ? (unique?.[0] as readonly string[]) : key;
  const shown = Object.keys(columns).filter((column) => !isMoves || column !== 'seq');
  const select = `SELECT ${shown.join(', ')} FROM ${schema}${name}`;
  const end = `ORDER BY ${order.join(', ')} LIMIT ${rowsAtOnce}`;
  const first = db.prepare<Row>(`${select} ${end}`);
  const next = db.prepare<Row>(`${select} WHERE (${order.join(', ')}) > (${order.map(() => '?').join(', ')}) ${end}`);
  const moveOf = db.prepare<Row>(`SELECT id, source, destination FROM ${schema}moved WHERE seq = ?`);
  const text = (value: SqlValue | undefined, column: string): string => {
    if (value instanceof Uint8Array) return toHex(value);
    if (column !== 'seq' || Number(value) >= 0) return `${value}`;
    return Object.values(moveOf.get(-Number(value)) ?? {})
      .map((part) => text(part, ''))
      .join('+');
  };
  let rows = first.all();
  while (rows.length > 0) {
    for (const row of rows) yield shown.map((column) => text(row[column], column)).join(' ');
    const last = rows[rows.length - 1] as Row;
    rows = rows.length < rowsAtOnce ? [] : next.all(...order.map((column) => last[column] as SqlValue));
  }
}

type Row = { readonly [column: string]: SqlValue };
