import { fromHex, toHex } from '../../base/bytes/hex.ts';
import type { FollowStatus } from '../../chain/follow/status.ts';
import type { Sql, WritableSql } from '../../ledger/index/sql.ts';
import type { NetworkDescription } from '../setup/served-network.ts';

/** Stores the network description in an index in PostgreSQL: written by `serac index`, read by `serac api`. */
export async function writeNetworkDescription(sql: WritableSql, description: NetworkDescription): Promise<void> {
  await sql.write(async (tx) => {
    await tx.all(createTable, []);
    await put(tx, 'about', JSON.stringify(description));
  });
}

/** Returns undefined if the database has no index yet. */
export async function readNetworkDescription(sql: Sql): Promise<NetworkDescription | undefined> {
  const [made] = await sql.all<{ there: number }>(`SELECT count(*) AS there FROM information_schema.tables WHERE table_name = 'about'`, []);
  if (!made?.there) return undefined;
  const text = await get(sql, 'about');
  return text === undefined ? undefined : (JSON.parse(text) as NetworkDescription);
}

/** The indexer's state when it last wrote it; `at` in Unix seconds. */
export type IndexStatus = { readonly state: FollowStatus['state']; readonly at: number };

export async function writeStatus(sql: WritableSql, { state }: Pick<FollowStatus, 'state'>, at: number): Promise<void> {
  await sql.write((tx) => put(tx, 'status', JSON.stringify({ state, at } satisfies IndexStatus)));
}

export async function readStatus(sql: Sql): Promise<IndexStatus | undefined> {
  const text = await get(sql, 'status');
  return text === undefined ? undefined : (JSON.parse(text) as IndexStatus);
}

/** Returns the key that page tokens are sealed with. The first caller's random bytes are stored, so that all processes accept each other's tokens. */
export async function getOrCreatePageSecret(sql: Sql, random: Uint8Array): Promise<Uint8Array> {
  await sql.all('INSERT INTO about VALUES (?, ?) ON CONFLICT (name) DO NOTHING', ['page secret', toHex(random)]);
  return fromHex((await get(sql, 'page secret')) ?? toHex(random));
}

const createTable = 'CREATE TABLE IF NOT EXISTS about(name TEXT PRIMARY KEY, value TEXT NOT NULL)';

async function put(sql: Sql, name: string, value: string): Promise<void> {
  await sql.all('INSERT INTO about VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value', [name, value]);
}

async function get(sql: Sql, name: string): Promise<string | undefined> {
  const [row] = await sql.all<{ value: string }>('SELECT value FROM about WHERE name = ?', [name]);
  return row?.value;
}
