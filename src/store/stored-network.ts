import type { Database, OpenDatabase } from './database.ts';

/** The ID of the network a database file belongs to; undefined if there is no such file, or no node has written to it. */
export function storedNetwork(open: OpenDatabase, path: string): number | undefined {
  let db: Database | undefined;
  try {
    db = open(path, { readonly: true });
    db.exec('PRAGMA busy_timeout = 5000');
    return db.prepare<{ value: number }>(`SELECT value FROM meta WHERE name = 'network'`).get()?.value;
  } catch {
    // What is wrong with the file is told when it is opened to be used.
    return undefined;
  } finally {
    db?.close();
  }
}
