import type { Database } from './database.ts';
import { isIoErrorCode, StoreError } from './fault.ts';

/** The largest number of problems that is listed. */
const maxProblems = 100;

/**
 * Reads every table and index of a database and returns what is wrong with their structure. `integrity_check` also compares each index with its table;
 * `quick_check` leaves that out. Yields after each table. Throws if the disk fails to read a page, which is no damage of the structure.
 */
export function* checkStructure(
  db: Database,
  pragma: 'integrity_check' | 'quick_check',
): Generator<{ readonly done: number; readonly total: number }, readonly string[]> {
  const tables = db.prepare<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all();
  const problems: string[] = [];
  for (const [done, { name }] of tables.entries()) {
    yield { done, total: tables.length };
    const rows = db.prepare<{ [column: string]: string }>(`PRAGMA ${pragma}('${name.replaceAll("'", "''")}')`).all();
    const found = rows.flatMap((row) => (row[pragma] === 'ok' ? [] : `table ${name}: ${row[pragma]}`));
    const unread = found.find((text) => isIoErrorCode(Number(/error code=(\d+)/.exec(text)?.[1])));
    if (unread !== undefined) throw new StoreError(`the disk fails to read the database (${unread})`, { code: 'STORE_FAILED' });
    problems.push(...found);
  }
  return problems.slice(0, maxProblems);
}
