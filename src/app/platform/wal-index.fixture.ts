import { openDatabase } from './bun/database.ts';

/** A process that writes the database of its first argument: each line of input is an SQL text, answered with a line. */
const db = openDatabase(process.argv[2] as string, { readonly: false });
for await (const sql of console) {
  if (sql === '') break;
  db.exec(sql);
  console.log('done');
}
