import type { Sql, SqlValue, WritableSql } from '../../ledger/index/sql.ts';
import type { ApiKey } from './keys.ts';

/** Storage of API keys, for all processes that use the same database. */
export type KeyStore = Awaited<ReturnType<typeof openKeyStore>>;

/** Creates the table if it does not exist. SQLite and PostgreSQL have the same table and SQL. Every write is one statement. */
export async function openKeyStore(sql: WritableSql) {
  await createTable(sql);
  const write = async (text: string, values: readonly SqlValue[]): Promise<void> => {
    await sql.write((tx) => tx.all(text, values));
  };
  return {
    add: (key: ApiKey): Promise<void> => write(`INSERT INTO api_key(${columns}) VALUES (${columns.replace(/\w+/g, '?')})`, valuesOf(key)),
    /** All keys, oldest first, including revoked ones. */
    list: async (): Promise<ApiKey[]> => (await sql.all<ApiKeyRow>(`SELECT ${columns} FROM api_key ORDER BY created, id`, [])).map(keyOf),
    /** Revokes a key. If it is revoked already, the earlier time stays. `at`: Unix seconds. */
    revoke: (id: string, at: number): Promise<void> => write('UPDATE api_key SET revoked = ? WHERE id = ? AND revoked IS NULL', [at, id]),
    find: createKeyReader(sql).find,
  };
}

/** Finds keys where the table exists, for a server that writes nothing. */
export const createKeyReader = (sql: Sql) => ({
  find: async (hash: string): Promise<ApiKey | undefined> => {
    const [row] = await sql.all<ApiKeyRow>(`SELECT ${columns} FROM api_key WHERE hash = ?`, [hash]);
    return row === undefined ? undefined : keyOf(row);
  },
});

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
async function createTable(sql: WritableSql): Promise<void> {
  if (sql.dialect === 'sqlite') {
    await sql.write((tx) => tx.all(createTableSql, []));
    return;
  }
  const [existing] = await sql.all<{ name: string | null }>(`SELECT CAST(to_regclass('api_key') AS TEXT) AS name`, []);
  if (existing?.name != null) return;
  await sql.write(async (tx) => {
    await tx.all(`SELECT pg_advisory_xact_lock(${tableLock})`, []);
    await tx.all(createTableSql, []);
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
