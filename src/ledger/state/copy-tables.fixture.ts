import type { Store } from '../store/store.ts';

let copies = 0;

/** Copies every table except the event log, which a revert does not undo; returns a function that restores the rows. */
export function copyTables({ db }: Pick<Store, 'db'>): () => void {
  const prefix = `copy ${++copies}`;
  const names = db.prepare<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'event_log%'`).all();
  for (const { name } of names) db.exec(`CREATE TEMP TABLE "${prefix} ${name}" AS SELECT * FROM main."${name}"`);
  return () => {
    for (const { name } of names) db.exec(`DELETE FROM main."${name}"; INSERT INTO main."${name}" SELECT * FROM temp."${prefix} ${name}"`);
  };
}
