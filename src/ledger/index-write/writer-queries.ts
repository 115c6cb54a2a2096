import { type BatchedStatement, batchedStatement, placeholders } from '../index/batched-statement.ts';
import { chainTables } from '../index/chain-tables.ts';
import type { Dialect } from '../index/ddl.ts';
import { storedProgressTable } from '../index/distribution.ts';
import { insertRows, rowSizes } from '../index/insert-rows.ts';
import { addressStatement } from '../index/key-array.ts';
import { keyLookup } from '../index/key-lookup.ts';
import { createRowSort, inOrder } from '../index/row-order.ts';
import type { SqlValue } from '../index/sql.ts';
import {
  type Column,
  indexSchema,
  indexTablesOf,
  sharedIndexSchema,
  signerKeySchema,
  signerKeyTable,
  type Table,
} from '../index/tables.ts';
import { transferRunKind } from '../index/transfer-runs.ts';
import { tablesOf } from '../state/schema.ts';
import { selectBalances } from './balance-rows.ts';

/** All statements of the index writer for one chain. */
export type WriterQueries = ReturnType<typeof writerQueries>;

/** `schema` is a prefix of the written tables that ends with a dot, so that a new index can be built beside the current one. */
export function writerQueries(dialect: Dialect, chain: number, schema: '' | `${string}.` = '') {
  const rows = rowSizes[dialect];
  const tables = (number: number) => mapNames(indexTablesOf(number), (name) => schema + name);
  const t = tables(chain);
  const [moved, progress, balance] = [`${schema}moved`, `${schema}${storedProgressTable(dialect)}`, `${schema}${tablesOf(chain).balance}`];
  const insert = (name: string, table: Table, onConflict?: string) => insertRows(dialect, name, table, onConflict);
  const upsert = (name: string, table: Table, changing: readonly string[]): BatchedStatement =>
    insert(name, table, ` ON CONFLICT (${table.key.join(', ')}) DO UPDATE SET ${changing.map((c) => `${c} = excluded.${c}`).join(', ')}`);
  const lookup = (name: string, columns: string, key: string): BatchedStatement => {
    const text = (isKey: string): string => `SELECT ${columns} FROM ${name} WHERE ${key} ${isKey}`;
    return dialect === 'sqlite' ? batchedStatement(rows, 1, (n) => text(`IN (${placeholders(n)})`)) : keyLookup(dialect, text);
  };
  const addBalance = insert(balance, chainTables.balance);
  const upsertBalance = upsert(balance, chainTables.balance, ['amount', 'count', 'nfts']);
  // A node stores balances with its blocks, so an index that is added to its database finds them there.
  const hasOwnBalances = dialect !== 'sqlite' || schema !== '';
  const valueColumns = (table: Table) => Object.keys(table.columns).filter((column) => !table.key.includes(column));

  return {
    holders: lookup(t.holder, 'address, first, seen, sent', 'address'),
    assets: lookup(t.assetStat, Object.keys(indexSchema.assetStat.columns).join(', '), 'asset'),
    times: lookup(tablesOf(chain).block, 'height, time', 'height'),
    newestBalances: selectBalances(dialect, balance, 'newest'),
    allBalances: selectBalances(dialect, balance, 'all'),
    openBuckets: batchedStatement([1], 1, () => `SELECT open_buckets FROM ${progress} WHERE chain = ?`),
    setOpenBuckets: batchedStatement([1], 2, () => `UPDATE ${progress} SET open_buckets = ? WHERE chain = ?`),

    lastRunBoundary: batchedStatement(
      [1],
      1,
      () => `SELECT max(tx) AS boundary FROM ${t.history} WHERE subject = ? AND kind = ${transferRunKind}`,
    ),

    progress: batchedStatement([1], 1, () => `SELECT height FROM ${progress} WHERE chain = ?`),

    addOwner: insert(t.owner, indexSchema.owner),
    addHistory: insert(t.history, indexSchema.history),
    /** Adds the rows of blocks from a height on. */
    addBalance: (height: number, values: readonly SqlValue[]) => (hasOwnBalances && height > 0 ? addBalance : upsertBalance)(values),
    upsertBalance,
    clearGenesisBalances: { text: `DELETE FROM ${balance} WHERE height = 0`, values: [] },
    addMinter: insert(t.minter, indexSchema.minter),
    addHolder: insert(t.holder, indexSchema.holder),
    /** Changes rows that exist. */
    updateHolder: dialect === 'sqlite' ? upsert(t.holder, indexSchema.holder, ['seen', 'sent']) : updateHolders(dialect, t.holder),
    addActive: insert(
      `${t.active} AS a`,
      indexSchema.active,
      ' ON CONFLICT (length, start) DO UPDATE SET seen = a.seen + excluded.seen, sent = a.sent + excluded.sent',
    ),
    upsertHolderFirst: upsert(t.holder, indexSchema.holder, ['first']),
    upsertAsset: upsert(t.assetStat, indexSchema.assetStat, valueColumns(indexSchema.assetStat)),
    addBucket: insert(t.span, indexSchema.span),
    subtractNewAddresses: batchedStatement([1], 3, () => `UPDATE ${t.span} SET addresses = addresses - ? WHERE unit = ? AND start = ?`),
    addMinute: insert(t.minute, indexSchema.minute),
    storedKeys: lookup(signerKeyTable, 'address', 'address'),
    addSignerKeys: insert(signerKeyTable, signerKeySchema, ' ON CONFLICT DO NOTHING'),
    upsertProgress: upsert(progress, sharedIndexSchema.progress, ['height', 'open_buckets']),

    moved: lookup(moved, 'seq, id, source, destination, bytes, seen, put_height, taken_time', 'id'),
    lastMoved: { text: `SELECT max(seq) AS seq FROM ${moved}`, values: [] },
    chainNumber: batchedStatement([1], 1, () => 'SELECT number FROM chain WHERE id = ?'),
    addMoved: insert(moved, sharedIndexSchema.moved),
    setMovedExport: batchedStatement([1], 3, () => `UPDATE ${moved} SET put_height = ?, seen = ? WHERE seq = ?`),
    setMovedImport: batchedStatement([1], 4, () => `UPDATE ${moved} SET taken_by = ?, taken_height = ?, taken_time = ? WHERE seq = ?`),
    /** The importing transaction is unknown. */
    setMovedSpentTime: batchedStatement([1], 2, () => `UPDATE ${moved} SET taken_time = ? WHERE seq = ?`),
    /** Statements for the outputs of any chain, by its number, that moved between chains. */
    movedOwnerQueries: (number: number) => {
      const other = tables(number);
      return {
        add: insert(other.movedOwner, indexSchema.movedOwner),
        remove: deleteRows(dialect, other.movedOwner, indexSchema.movedOwner),
      };
    },
  };
}

/** In PostgreSQL an INSERT that becomes an UPDATE takes twice as long as an UPDATE. */
const updateHolders = (dialect: Dialect, name: string): BatchedStatement =>
  addressStatement(
    dialect,
    Object.values(indexSchema.holder.columns).map(({ type }) => type),
    0,
    (rows, isInShard) =>
      `UPDATE ${name} h SET seen = k.seen, sent = k.sent FROM ${rows} AS k(address, first, seen, sent) WHERE h.address = k.address${isInShard('h.address')}`,
  );

/** Deletes rows of a table that has an address in its key. Moving an output to another set by DELETE and INSERT costs SQLite less than updating a key column. */
export function deleteRows(dialect: Dialect, name: string, { columns, key: names }: Table): BatchedStatement {
  if (dialect === 'sqlite')
    return batchedStatement([1], names.length, () => `DELETE FROM ${name} WHERE ${names.map((column) => `${column} = ?`).join(' AND ')}`);
  const remove = addressStatement(
    dialect,
    names.map((column) => (columns[column] as Column).type),
    names.indexOf('address'),
    (rows, isInShard) =>
      `DELETE FROM ${name} h USING ${rows} AS k(${names.join(', ')}) WHERE ${names.map((column) => `h.${column} = k.${column}`).join(' AND ')}${isInShard('h.address')}`,
  );
  const sort = createRowSort(names, names);
  return (values) => remove(inOrder(values, sort(values), names.length));
}

const mapNames = <K extends string>(
  names: { readonly [N in K]: string },
  change: (name: string) => string,
): { readonly [N in K]: string } =>
  Object.fromEntries(Object.entries<string>(names).map(([key, name]) => [key, change(name)])) as { [N in K]: string };
