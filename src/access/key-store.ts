import type { SqlValue, WritableSql } from '../index/sql.ts';
import { after, type Eventual } from './eventual.ts';
import type { ApiKey } from './keys.ts';

/** Where keys are kept, for all processes that use the same database. */
export type KeyStore = {
  readonly add: (key: ApiKey) => Eventual<void>;
  /** Oldest first, revoked ones too. */
  readonly list: () => Eventual<ApiKey[]>;
  /** From now on it is not valid. A key stays revoked since the first time. */
  readonly revoke: (id: string, at: number) => Eventual<void>;
  readonly find: (hash: string) => Eventual<ApiKey | undefined>;
};

/** The same table and texts in SQLite and PostgreSQL. Every write is one statement. */
export const keyStoreOn = (sql: WritableSql): Eventual<KeyStore> => after(createTable(sql), () => storeOn(sql));

function storeOn(sql: WritableSql): KeyStore {
  const write = (text: string, values: readonly SqlValue[]): Eventual<void> =>
    after(
      sql.write((tx) => tx.all(text, values)),
      () => undefined,
    );
  return {
    add: (key) => write(`INSERT INTO api_key(${columns}) VALUES (${columns.replace(/\w+/g, '?')})`, valuesOf(key)),
    list: () => after(sql.all<Row>(`SELECT ${columns} FROM api_key ORDER BY created, id`, []), (rows) => rows.map(keyOf)),
    revoke: (id, at) => write('UPDATE api_key SET revoked = ? WHERE id = ? AND revoked IS NULL', [at, id]),
    find: (hash) =>
      after(sql.all<Row>(`SELECT ${columns} FROM api_key WHERE hash = ?`, [hash]), ([row]) => (row === undefined ? row : keyOf(row))),
  };
}

const columns = 'id, hash, prefix, name, plan, created, expires, routes, revoked';

const table = `CREATE TABLE IF NOT EXISTS api_key(
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

/** Any number that other locks of ours do not use. */
const tableLock = 0x6b657973;

/**
 * PostgreSQL's IF NOT EXISTS fails when two make the same table at once, so one waits for the other; and a reader that may not make tables
 * must not try if there is one.
 */
function createTable(sql: WritableSql): Eventual<void> {
  if (sql.dialect === 'sqlite')
    return after(
      sql.write((tx) => tx.all(table, [])),
      () => undefined,
    );
  return after(sql.all<{ name: string | null }>(`SELECT CAST(to_regclass('api_key') AS TEXT) AS name`, []), ([known]) => {
    if (known?.name != null) return;
    return sql.write(async (tx) => {
      await tx.all(`SELECT pg_advisory_xact_lock(${tableLock})`, []);
      await tx.all(table, []);
    });
  });
}

type Row = {
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

const keyOf = ({ expires, routes, revoked, ...row }: Row): ApiKey => ({
  ...row,
  expires: expires ?? undefined,
  routes: routes === '' ? [] : routes.split(','),
  revoked: revoked ?? undefined,
});
