import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { addressBlob } from '../../ledger/index/blob.ts';
import { arrayLookup } from '../../ledger/index/key-lookup.ts';
import { runOnPostgres } from '../../ledger/index/query-runner.ts';
import { hasTable, type Sql, type WritableSql } from '../../ledger/index/sql.ts';
import { tablesOf } from '../../ledger/state/schema.ts';
import { fetchRows } from '../../ledger/store/queries.ts';

/*
 * The addresses whose outputs from before linearization are all stored. No block contains these outputs: the followed node lists them when an address
 * is first requested. What is stored stays complete, because blocks show every later change.
 */

export async function createBackfilledAddresses(sql: WritableSql): Promise<void> {
  await sql.write((tx) =>
    tx.all('CREATE TABLE IF NOT EXISTS backfilled_address(chain integer, address bytea, PRIMARY KEY (chain, address))', []),
  );
}

/**
 * Returns a function that returns the addresses that are not recorded. An index of an earlier version has no records. `schema` reads whether there are
 * any: an index without blocks has a schema, and `sql` may refuse to read it.
 */
export async function openBackfilledAddressReads(
  schema: Sql,
  sql: Sql,
  chain: number,
): Promise<(addresses: readonly Address[]) => Promise<Address[]>> {
  if (!(await hasTable(schema, 'backfilled_address'))) return async (addresses) => [...addresses];
  return (addresses) => listUnrecorded(sql, chain, addresses);
}

/** The records of the process that writes the index. */
export const openBackfilledAddresses = (sql: WritableSql, chain: number) => ({
  has: async (address: Address): Promise<boolean> => (await listUnrecorded(sql, chain, [address])).length === 0,
  /** Records an address that has appeared on the chain. Others are not recorded: callers can make up as many as they like. */
  add: async (address: Address): Promise<void> => {
    await sql.write((tx) =>
      tx.all(
        `INSERT INTO backfilled_address SELECT ${chain}, CAST(? AS bytea)
         WHERE EXISTS (SELECT 1 FROM ${tablesOf(chain).owner} WHERE address = ?) ON CONFLICT DO NOTHING`,
        [addressBlob(address), addressBlob(address)],
      ),
    );
  },
});

async function listUnrecorded(sql: Sql, chain: number, addresses: readonly Address[]): Promise<Address[]> {
  const lookup = arrayLookup((isKey) => `SELECT address FROM backfilled_address WHERE chain = ${chain} AND address ${isKey}`);
  const rows = await runOnPostgres(sql, fetchRows<{ address: Uint8Array }>(lookup(addresses.map(addressBlob))));
  const recorded = new Set(rows.map(({ address }) => toHex(address)));
  return addresses.filter((address) => !recorded.has(address));
}
