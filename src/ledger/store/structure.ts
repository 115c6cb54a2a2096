import type { Database } from './database.ts';

/** The largest number of problems that is listed. */
const maxProblems = 100;

/**
 * Reads every table and index of a database and returns what is wrong with their structure. `integrity_check` also compares each index with its table;
 * `quick_check` leaves that out. Yields after each table.
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
    problems.push(...rows.filter((row) => row[pragma] !== 'ok').map((row) => `table ${name}: ${row[pragma]}`));
  }
  return problems.slice(0, maxProblems);
}
