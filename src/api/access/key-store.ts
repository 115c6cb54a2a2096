import { andThen, type MaybePromise } from '../../base/timing/promise.ts';
import type { Sql, SqlValue, WritableSql } from '../../ledger/index/sql.ts';
import type { ApiKey } from './keys.ts';

/** Storage of API keys, for all processes that use the same database. */
export type KeyStore = {
  readonly add: (key: ApiKey) => MaybePromise<void>;
  /** All keys, oldest first, including revoked ones. */
  readonly list: () => MaybePromise<ApiKey[]>;
  /** Revokes a key. If it is revoked already, the earlier time stays. `at`: Unix seconds. */
  readonly revoke: (id: string, at: number) => MaybePromise<void>;
  readonly find: (hash: string) => MaybePromise<ApiKey | undefined>;
};

/** Creates the table if it does not exist. SQLite and PostgreSQL have the same table and SQL. Every write is one statement. */
export const openKeyStore = (sql: WritableSql): MaybePromise<KeyStore> => andThen(createTable(sql), () => createStore(sql));

/** Finds keys where the table exists, for a server that writes nothing. */
export const createKeyReader = (sql: Sql): Pick<KeyStore, 'find'> => ({
  find: (hash) =>
    andThen(sql.all<ApiKeyRow>(`SELECT ${columns} FROM api_key WHERE hash = ?`, [hash]), ([row]) => (row === undefined ? row : keyOf(row))),
});

function createStore(sql: WritableSql): KeyStore {
  const write = (text: string, values: readonly SqlValue[]): MaybePromise<void> =>
    andThen(
      sql.write((tx) => tx.all(text, values)),
      () => undefined,
    );
  return {
    add: (key) => write(`INSERT INTO api_key(${columns}) VALUES (${columns.replace(/\w+/g, '?')})`, valuesOf(key)),
    list: () => andThen(sql.all<ApiKeyRow>(`SELECT ${columns} FROM api_key ORDER BY created, id`, []), (rows) => rows.map(keyOf)),
    revoke: (id, at) => write('UPDATE api_key SET revoked = ? WHERE id = ? AND revoked IS NULL', [at, id]),
    ...createKeyReader(sql),
  };
}

const columns = 'id, hash, prefix, name, plan, created, expires, routes, revoked';

const createTableSql = `CREATE TABLE IF NOT EXISTS api_key(
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  created BIGINT NOT NULL,
  expires BIGINT,
  routes TEXT NOT NULL,
  revoked BIGINT
)`;

/** Advisory lock that no other code of this project uses. */
const tableLock = 0x6b657973;

/**
 * In PostgreSQL a lock is needed, because IF NOT EXISTS fails if two processes create the same table at once. The table is looked up first,
 * so that a user without the right to create tables can open the store.
 */
function createTable(sql: WritableSql): MaybePromise<void> {
  if (sql.dialect === 'sqlite')
    return andThen(
      sql.write((tx) => tx.all(createTableSql, [])),
      () => undefined,
    );
  return andThen(sql.all<{ name: string | null }>(`SELECT CAST(to_regclass('api_key') AS TEXT) AS name`, []), ([existing]) => {
    if (existing?.name != null) return;
    return sql.write(async (tx) => {
      await tx.all(`SELECT pg_advisory_xact_lock(${tableLock})`, []);
      await tx.all(createTableSql, []);
    });
  });
}

type ApiKeyRow = {
  readonly id: string;
  readonly hash: string;
  readonly prefix: string;
  readonly name: string;
  readonly plan: string;
  readonly created: number;
  readonly expires: number | null;
  readonly routes: string;
  readonly revoked: number | null;
};

const valuesOf = ({ id, hash, prefix, name, plan, created, expires, routes, revoked }: ApiKey): SqlValue[] => [
  id,
  hash,
  prefix,
  name,
  plan,
  created,
  expires ?? null,
  routes.join(','),
  revoked ?? null,
];

const keyOf = ({ expires, routes, revoked, ...row }: ApiKeyRow): ApiKey => ({
  ...row,
  expires: expires ?? undefined,
  routes: routes === '' ? [] : routes.split(','),
  revoked: revoked ?? undefined,
});
