import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../../app/platform/bun/postgres.ts';
import type { Address } from '../../base/bytes/address.ts';
import { addressBlob } from '../../ledger/index/blob.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { createBackfilledAddresses, openBackfilledAddresses, openBackfilledAddressReads } from './backfilled-addresses.ts';

const server = process.env.SERAC_TEST_POSTGRES;
const address = (n: number) => n.toString(16).padStart(40, '0') as Address;
const many = Array.from({ length: 700 }, (_, i) => address(i));

describe.skipIf(server === undefined)(server === undefined ? 'records (skipped: SERAC_TEST_POSTGRES is not set)' : 'records', () => {
  const admin = server === undefined ? undefined : openPostgres({ url: server, max: 1, statementMilliseconds: 30_000 });
  const database = `serac_backfilled_${process.pid}`;
  let sql: Postgres;
  beforeAll(async () => {
    await admin?.all(`CREATE DATABASE ${database}`, []);
    const url = new URL(server as string);
    url.pathname = `/${database}`;
    sql = openPostgres({ url: url.href, statementMilliseconds: 30_000 });
    await sql.all('CREATE TABLE c1_owner(address bytea)', []);
    for (const one of [address(1), address(2)]) await sql.all('INSERT INTO c1_owner VALUES (?)', [addressBlob(one)]);
  });
  afterAll(async () => {
    await sql?.close();
    await admin?.all(`DROP DATABASE ${database} WITH (FORCE)`, []);
    await admin?.close();
  });

  test('are read by another process, of addresses that have appeared on the chain, for each chain', async () => {
    // A server that was started before the indexer of this version knows of no records.
    expect(await (await openBackfilledAddressReads(sql, sql, 1))([address(1)])).toEqual([address(1)]);
    await createBackfilledAddresses(sql);
    await createBackfilledAddresses(sql);
    const { has, add } = openBackfilledAddresses(sql, 1);
    expect(await has(address(1))).toBe(false);
    for (const one of [address(1), address(1), address(99)]) await add(one);
    expect([await has(address(1)), await has(address(2)), await has(address(99))]).toEqual([true, false, false]);
    expect(await (await openBackfilledAddressReads(sql, sql, 1))(many)).toEqual(many.filter((one) => one !== address(1)));
    expect(await (await openBackfilledAddressReads(sql, sql, 2))([address(1)])).toEqual([address(1)]);
  });
});
