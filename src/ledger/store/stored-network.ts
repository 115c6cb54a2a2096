import type { Database, OpenDatabase } from './database.ts';

/** Reads the network ID from a database file; returns undefined if the file is missing or unreadable, or no node has written to it. */
export function readStoredNetworkID(open: OpenDatabase, path: string): number | undefined {
  let db: Database | undefined;
  try {
    db = open(path, { readonly: true });
    db.exec('PRAGMA busy_timeout = 5000');
    return db.prepare<{ value: number }>(`SELECT value FROM meta WHERE name = 'network'`).get()?.value;
  } catch {
    // Opening the store later reports what is wrong with the file.
    return undefined;
  } finally {
    db?.close();
  }
}
