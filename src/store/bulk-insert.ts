import type { Database, SqlValue } from './database.ts';

/** Rows that go in with one statement: more gained nothing when measured. */
const rowsAtOnce = 16;

/**
 * Inserts rows given one after the other in a flat list. A statement's fixed cost is a good part of a small row's,
 * so most of them go in sixteen at a time.
 */
export function bulkInsert(db: Database, insertInto: string, columns: number): (values: readonly SqlValue[]) => void {
  const row = `(${Array(columns).fill('?').join(',')})`;
  const one = db.prepare(`${insertInto} VALUES ${row}`);
  const many = db.prepare(`${insertInto} VALUES ${Array(rowsAtOnce).fill(row).join(',')}`);
  const width = columns * rowsAtOnce;
  return (values) => {
    let at = 0;
    for (; at + width <= values.length; at += width) many.run(...values.slice(at, at + width));
    for (; at < values.length; at += columns) one.run(...values.slice(at, at + columns));
  };
}
