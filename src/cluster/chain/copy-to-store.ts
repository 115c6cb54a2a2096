import { idFromBytes } from '../../base/bytes/id.ts';
import { chainTables } from '../../ledger/index/chain-tables.ts';
import { insertRows } from '../../ledger/index/insert-rows.ts';
import { migrateStore } from '../../ledger/index/migrate.ts';
import type { Sql, SqlValue, WritableSql } from '../../ledger/index/sql.ts';
import { signerKeySchema, signerKeyTable, type Table } from '../../ledger/index/tables.ts';
import { indexTablesOfChains } from '../../ledger/index-sqlite/compare-indexes.ts';
import { createSharedTables, registerChain } from '../../ledger/state/chain-number.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { sqliteRunner } from '../../ledger/store/sqlite-runner.ts';
import type { Store } from '../../ledger/store/store.ts';
import { verifyPartitions } from './partitions.ts';

/** Rows that one statement reads: few enough to be read within its timeout. */
const rowsPerRead = 2048;

/**
 * Copies the chains of a PostgreSQL database and their index to an empty store, as of one moment: blocks may be written meanwhile. Both have the
 * same tables. `onRows` is called with the number of rows that were copied so far, and PostgreSQL's estimate of all.
 */
export async function copyToStore(
  sql: WritableSql,
  store: Store,
  onRows: (rows: { readonly done: number; readonly total: number }) => void,
): Promise<void> {
  createSharedTables(store);
  await sql.write(async (tx) => {
    await tx.all('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY', []);
    const chains = await tx.all<{ number: number; id: Uint8Array; genesis: Uint8Array }>(
      'SELECT number, id, genesis FROM chain WHERE genesis IS NOT NULL ORDER BY number',
      [],
    );
    const [estimate] = await tx.all<{ rows: number | null }>(estimatedRows, []);
    let done = 0;
    const onCopied = (rows: number): void => {
      done += rows;
      onRows({ done, total: Math.max(done, estimate?.rows ?? 0) });
    };
    const numbers: number[] = [];
    for (const { number, id, genesis } of chains) {
      // The tables of a chain are named by its number, which is the same in both.
      store.write(() => store.db.prepare('INSERT INTO chain VALUES (?, ?, ?)').run(number, id, genesis));
      numbers.push(registerChain(store, idFromBytes(id), idFromBytes(genesis)));
      migrateStore(store, number);
      await verifyPartitions(tx, number);
      for (const key of Object.keys(chainTables) as (keyof typeof chainTables)[])
        if (key !== 'balance') await copyTable(tx, store, tablesOf(number)[key], chainTables[key], onCopied);
    }
    for (const { name, table } of indexTablesOfChains(numbers)) await copyTable(tx, store, name, table, onCopied);
    await copyTable(tx, store, signerKeyTable, signerKeySchema, onCopied);
  });
}

/** What VACUUM or ANALYZE has counted in the tables of this schema; 0 if they have not been run. */
const estimatedRows = `SELECT CAST(sum(greatest(reltuples, 0)) AS bigint) AS rows FROM pg_class
  WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)`;

/** Copies a table in the order of its key, one range of rows after the other. */
async function copyTable(sql: Sql, store: Store, name: string, table: Table, onCopied: (rows: number) => void): Promise<void> {
  const columns = Object.keys(table.columns);
  const key = table.key.join(', ');
  const select = `SELECT ${columns.join(', ')} FROM ${name}`;
  const after = `${select} WHERE (${key}) > (${table.key.map(() => '?').join(', ')}) ORDER BY ${key} LIMIT ${rowsPerRead}`;
  const insert = insertRows('sqlite', name, table);
  const run = sqliteRunner(store.db);
  let last: readonly SqlValue[] | undefined;
  for (;;) {
    const rows = await sql.all<{ [column: string]: SqlValue }>(
      last === undefined ? `${select} ORDER BY ${key} LIMIT ${rowsPerRead}` : after,
      last ?? [],
    );
    const end = rows[rows.length - 1];
    if (end === undefined) return;
    store.write(() =>
      run(
        (function* () {
          yield insert(rows.flatMap((row) => columns.map((column) => row[column] as SqlValue)));
        })(),
      ),
    );
    onCopied(rows.length);
    last = table.key.map((column) => end[column] as SqlValue);
  }
}
