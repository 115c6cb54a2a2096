import { type Bulk, bulk, marks, type Sizes, tuples } from '../index/bulk.ts';
import type { Dialect } from '../index/ddl.ts';
import { indexSchema, indexTablesOf, sharedIndexSchema, type Table } from '../index/tables.ts';
import { tablesOf } from '../state/schema.ts';

/** Everything the writer says to the database about one chain. */
export type WriterQueries = ReturnType<typeof writerQueries>;

/** SQLite has no way to be asked for the newest rows of many keys, or to change many keys, that were quicker than one by one. */
const sizes: { readonly [D in Dialect]: { readonly rows: Sizes; readonly keys: Sizes } } = {
  sqlite: { rows: [64, 16, 4, 1], keys: [1] },
  postgres: { rows: [512, 128, 32, 8, 1], keys: [512, 128, 32, 8, 1] },
};

/** `schema` stands before the names of what is written, and ends with a dot: an index can be made beside the one there is. */
export function writerQueries(dialect: Dialect, chain: number, schema: '' | `${string}.` = '') {
  const { rows, keys } = sizes[dialect];
  const tables = (number: number) => mapped(indexTablesOf(number), (name) => schema + name);
  const t = tables(chain);
  const [moved, progress] = [`${schema}moved`, `${schema}progress`];
  const insert = (name: string, table: Table, onConflict = ''): Bulk => {
    const columns = Object.keys(table.columns);
    return bulk(rows, columns.length, (n) => `INSERT INTO ${name}(${columns.join(', ')}) VALUES ${tuples(n, columns.length)}${onConflict}`);
  };
  const upsert = (name: string, table: Table, changing: readonly string[]): Bulk =>
    insert(name, table, ` ON CONFLICT (${table.key.join(', ')}) DO UPDATE SET ${changing.map((c) => `${c} = excluded.${c}`).join(', ')}`);
  const lookup = (name: string, columns: string, key: string): Bulk =>
    bulk(rows, 1, (n) => `SELECT ${columns} FROM ${name} WHERE ${key} IN (${marks(n)})`);
  const all = (table: Table) => Object.keys(table.columns).filter((column) => !table.key.includes(column));

  return {
    holders: lookup(t.holder, 'address, first, seen, sent', 'address'),
    assets: lookup(t.assetStat, 'asset, first, last, txs, supply, nfts', 'asset'),
    times: lookup(tablesOf(chain).block, 'height, time', 'height'),
    newestBalances: keyedBalances(t.balance, 'newest', keys),
    allBalances: keyedBalances(t.balance, 'all', keys),
    spans: bulk([1], 2, () => `SELECT * FROM ${t.span} WHERE unit = ? AND start = ?`),
    lastSeconds: { text: `SELECT * FROM ${t.second} ORDER BY time DESC LIMIT 2`, values: [] },

    progress: bulk([1], 1, () => `SELECT height FROM ${progress} WHERE chain = ?`),

    addHolding: insert(t.holding, indexSchema.holding),
    addAmount: insert(t.amount, indexSchema.amount),
    removeHolding: removal(t.holding, indexSchema.holding, keys),
    removeAmount: removal(t.amount, indexSchema.amount, keys),
    addHistory: insert(t.history, indexSchema.history),
    addBalance: insert(t.balance, indexSchema.balance),
    putBalance: upsert(t.balance, indexSchema.balance, ['amount', 'count', 'nfts']),
    addMinter: insert(t.minter, indexSchema.minter),
    // The hours have indexes, which an update rewrites even if it changes nothing.
    putHolder: upsert(t.holder, indexSchema.holder, ['seen', 'sent']),
    putHolderHours: upsert(t.holder, indexSchema.holder, ['seen', 'seen_hour', 'sent', 'sent_hour']),
    putHolderFirst: upsert(t.holder, indexSchema.holder, ['first']),
    putAsset: upsert(t.assetStat, indexSchema.assetStat, all(indexSchema.assetStat)),
    putSpan: upsert(t.span, indexSchema.span, all(indexSchema.span)),
    fewerAddresses: bulk([1], 3, () => `UPDATE ${t.span} SET addresses = addresses - ? WHERE unit = ? AND start = ?`),
    putSecond: upsert(t.second, indexSchema.second, all(indexSchema.second)),
    putProgress: upsert(progress, sharedIndexSchema.progress, ['height']),

    moved: lookup(moved, 'seq, id, source, destination, bytes, seen, put_height, taken_time', 'id'),
    lastMoved: { text: `SELECT max(seq) AS seq FROM ${moved}`, values: [] },
    numberOf: bulk([1], 1, () => 'SELECT number FROM chain WHERE id = ?'),
    addMoved: insert(moved, sharedIndexSchema.moved),
    putMoved: bulk([1], 3, () => `UPDATE ${moved} SET put_height = ?, seen = ? WHERE seq = ?`),
    takeMoved: bulk([1], 4, () => `UPDATE ${moved} SET taken_by = ?, taken_height = ?, taken_time = ? WHERE seq = ?`),
    /** By nobody knows which transaction. */
    markTaken: bulk([1], 2, () => `UPDATE ${moved} SET taken_time = ? WHERE seq = ?`),
    /** The same for the shelves of another chain. */
    shelvesOf: (number: number) => {
      const other = tables(number);
      return {
        removeHolding: removal(other.holding, indexSchema.holding, keys),
        removeAmount: removal(other.amount, indexSchema.amount, keys),
        addHolding: insert(other.holding, indexSchema.holding),
        addAmount: insert(other.amount, indexSchema.amount),
      };
    },
  };
}

/** Values: any number to know the answer by, address, asset, lock time. */
function keyedBalances(balance: string, which: 'newest' | 'all', sizes: Sizes): Bulk {
  const end = which === 'newest' ? ' ORDER BY height DESC LIMIT 1' : '';
  const rows = (n: string, address: string, asset: string, locktime: string) =>
    `SELECT ${n} AS n, height, amount, count, nfts FROM ${balance}
     WHERE address = ${address} AND asset = ${asset} AND locktime = ${locktime}${end}`;
  return bulk(sizes, 4, (count) =>
    count === 1
      ? rows('? + 0', '?', '?', '?')
      : `WITH k(n, address, asset, locktime) AS (VALUES ${tuples(count, 4, ['bigint', 'bytea', 'bytea', 'bytea'].map(cast))})
         SELECT b.* FROM k CROSS JOIN LATERAL (${rows('k.n', 'k.address', 'k.asset', 'k.locktime')}) b`,
  );
}

/** Rows by all of their columns. Removing one and adding it on another shelf costs SQLite less than changing a key. */
function removal(name: string, { columns }: Table, sizes: Sizes): Bulk {
  const names = Object.keys(columns);
  const types = Object.values(columns).map(({ type }) => (type === 'blob' ? 'bytea' : 'bigint'));
  return bulk(sizes, names.length, (n) =>
    n === 1
      ? `DELETE FROM ${name} WHERE ${names.map((column) => `${column} = ?`).join(' AND ')}`
      : `WITH k(${names.join(', ')}) AS (VALUES ${tuples(n, names.length, types.map(cast))})
         DELETE FROM ${name} h USING k WHERE ${names.map((column) => `h.${column} = k.${column}`).join(' AND ')}`,
  );
}

const cast = (type: string): string => `CAST(? AS ${type})`;

const mapped = <K extends string>(names: { readonly [N in K]: string }, change: (name: string) => string): { readonly [N in K]: string } =>
  Object.fromEntries(Object.entries<string>(names).map(([key, name]) => [key, change(name)])) as { [N in K]: string };
