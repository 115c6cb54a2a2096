import { PostgresError } from '../../../cluster/postgres/postgres-fault.ts';
import type { GroupResult } from '../../../ledger/index/sql.ts';

/** A row as the driver returns it. */
type DriverRow = { [column: string]: unknown };

/** Converts int8 values, which the driver returns as bigint, to numbers as SQLite returns them. All of ours are counts, heights and times. */
export function convertBigints<Row>(rows: DriverRow[]): Row[] {
  const [first] = rows;
  // The columns are those of the first row; where that is NULL, another row may have a number.
  for (const column in first) {
    const sample = first[column];
    if (typeof sample === 'bigint' || sample === null) convertColumn(rows, column);
  }
  return rows as Row[];
}

function convertColumn(rows: readonly DriverRow[], column: string): void {
  for (const row of rows) {
    const value = row[column];
    if (typeof value === 'bigint') row[column] = toSafeNumber(value);
  }
}

/** The result of a statement of a group: a number that is too large fails it, not the group. */
export function toResult(rows: DriverRow[]): GroupResult {
  try {
    return { status: 'fulfilled', value: convertBigints(rows) };
  } catch (reason) {
    return { status: 'rejected', reason };
  }
}

function toSafeNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new PostgresError(`database: ${value} is not a safe integer`, { code: 'DATABASE_REFUSED', reason: 'unsafe integer' });
}
