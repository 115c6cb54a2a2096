import { expect, test } from 'bun:test';
import { fromHex } from '../../base/bytes/hex.ts';
import { dividedTables, placementOf, shardCount, shardOf } from './distribution.ts';
import { hashBigint, hashBytes } from './hash-bytes.ts';
import { migrations } from './migrations.ts';

test('hashes are those of PostgreSQL', () => {
  // worker_hash(bytea) of Citus on PostgreSQL 15.
  const known: readonly (readonly [string, number])[] = [
    ['', -1_477_818_771],
    ['00', -1_062_527_899],
    ['0102030405', 578_350_048],
    ['000102030405060708090a0b', 1_048_759_404],
    ['eba1f334a256956607f92f84f1d29a6633e6dd34097a31b4920f9e7aafe68c88', -300_092_036],
    ['044cdf1ba255fb78e6419f146c22265f07e4466d', 474_228_710],
    ['ffffffffffffffffffffffffffffffffffffffff', 1_590_291_164],
  ];
  for (const [hex, hash] of known) {
    expect([hex, hashBytes(fromHex(hex))]).toEqual([hex, hash]);
    expect(shardOf(fromHex(hex))).toBe(Math.floor((hash + 2 ** 31) / (2 ** 32 / shardCount)));
  }
});

test('hashes of numbers are those of PostgreSQL', () => {
  // worker_hash(bigint) of Citus on PostgreSQL 15.
  const known: readonly (readonly [number, number])[] = [
    [0, -272_711_505],
    [1, -1_905_060_026],
    [-1, 385_747_274],
    [2 ** 32, -1_905_060_026],
    [1_234_567_890_123, 952_082_253],
    [-1_234_567_890_123, -1_005_977_386],
    [Number.MAX_SAFE_INTEGER, 2_016_522_077],
  ];
  for (const [key, hash] of known) expect([key, hashBigint(key)]).toEqual([key, hash]);
});

test('every table has a place, and a divided table is divided by a column of its key', () => {
  const statements = migrations.flatMap(({ shared, chain }) => [...shared('citus'), ...chain('citus', 7)]);
  const created = statements.flatMap((text) => [...text.matchAll(/^CREATE TABLE IF NOT EXISTS (\w+)\(.*PRIMARY KEY \(([^)]*)\)/g)]);
  expect(created.length).toBeGreaterThan(20);
  for (const [, name = '', key = ''] of created) {
    const placement = placementOf(name);
    expect([name, placement]).toEqual([name, expect.anything()]);
    if (typeof placement !== 'string') expect(key.split(', ')).toContain(placement.by);
  }
  const placed = statements.filter((text) => text.startsWith('SELECT create_distributed_table'));
  expect(placed).toHaveLength(dividedTables.length);
  expect(statements.join()).not.toContain('PARTITION BY');
});
