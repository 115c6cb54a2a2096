import type { NetworkDescription } from '../../api/rest/served-network.ts';
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import type { FollowStatus } from '../../chain/follow/status.ts';
import { IndexError } from '../../ledger/index/fault.ts';
import { hasTable, type Sql, type WritableSql } from '../../ledger/index/sql.ts';

/**
 * Stores the network description in an index in PostgreSQL, and `random` as the key of page tokens if there is none: written by `serac index`,
 * read by `serac api`, which writes nothing.
 */
export async function writeNetworkDescription(sql: WritableSql, description: NetworkDescription, random: Uint8Array): Promise<void> {
  await sql.write(async (tx) => {
    await tx.all(createTable, []);
    await createPageSecret(tx, random);
    await put(tx, 'about', JSON.stringify(description));
  });
}

/** Returns undefined if the database has no index yet. */
export async function readNetworkDescription(sql: Sql): Promise<NetworkDescription | undefined> {
  if (!(await hasTable(sql, 'about'))) return undefined;
  const text = await get(sql, 'about');
  return text === undefined ? undefined : (JSON.parse(text) as NetworkDescription);
}

/** The indexer's state when it last wrote it; `at` in Unix seconds. `behindSeconds` is missing where an earlier version writes the index. */
export type IndexStatus = { readonly at: number } & Pick<FollowStatus, 'state'> & Partial<Pick<FollowStatus, 'behindSeconds'>>;

export async function writeStatus(
  sql: WritableSql,
  { state, behindSeconds }: Pick<FollowStatus, 'state' | 'behindSeconds'>,
  at: number,
): Promise<void> {
  await sql.write((tx) => put(tx, 'status', JSON.stringify({ state, at, behindSeconds } satisfies IndexStatus)));
}

export async function readStatus(sql: Sql): Promise<IndexStatus | undefined> {
  const text = await get(sql, 'status');
  return text === undefined ? undefined : (JSON.parse(text) as IndexStatus);
}

/** Stores the key that page tokens are sealed with, unless there is one: `serac api` reads it, so that all servers accept each other's tokens. */
async function createPageSecret(sql: Sql, random: Uint8Array): Promise<void> {
  await sql.all('INSERT INTO about VALUES (?, ?) ON CONFLICT (name) DO NOTHING', ['page secret', toHex(random)]);
}

/** Rejects if `serac index` has not stored one yet. */
export async function readPageSecret(sql: Sql): Promise<Uint8Array> {
  const text = await get(sql, 'page secret');
  if (text === undefined) throw new IndexError('the database has no page secret yet', { code: 'INDEX_NOT_MADE', part: 'page secret' });
  return fromHex(text);
}

const createTable = 'CREATE TABLE IF NOT EXISTS about(name TEXT PRIMARY KEY, value TEXT NOT NULL)';

async function put(sql: Sql, name: string, value: string): Promise<void> {
  await sql.all('INSERT INTO about VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value', [name, value]);
}

async function get(sql: Sql, name: string): Promise<string | undefined> {
  const [row] = await sql.all<{ value: string }>('SELECT value FROM about WHERE name = ?', [name]);
  return row?.value;
}
