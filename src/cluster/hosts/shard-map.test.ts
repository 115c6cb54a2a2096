import { expect, test } from 'bun:test';
import { shardCount } from '../../ledger/index/distribution.ts';
import { readShardMap } from './shard-map.ts';

/** What the coordinator tells of a table: a row for each of its shards, in the order of their hashes, by turns on two workers. */
const rowsOf = (name: string, isDivided: boolean, shards = isDivided ? shardCount : 1) =>
  Array.from({ length: shards }, (_, i) => ({
    name,
    shard: `${name}_${100 + i}`,
    is_divided: isDivided,
    host: isDivided ? `worker-${i % 2}` : 'coordinator',
    port: 5432,
    schema: 's',
    placements: '7 8',
  }));
const read = (...tables: ReturnType<typeof rowsOf>[]) => readShardMap({ all: async <Row>() => tables.flat() as Row[] });

test('a divided table has its shards in the order of their hashes and the column of its keys, a reference table one shard', async () => {
  const map = await read(rowsOf('c1_block', false), rowsOf('c1_owner', true), rowsOf('c1_tx', true));
  expect([map?.placements, map?.schema, [...(map?.tables.keys() ?? [])]]).toEqual(['7 8', 's', ['c1_block', 'c1_owner', 'c1_tx']]);
  expect([...(map?.tables.values() ?? [])].map(({ by }) => by)).toEqual([undefined, 'address', 'seq']);
  expect(map?.tables.get('c1_block')?.shards.map(({ name }) => name)).toEqual(['c1_block_100']);
  const shards = map?.tables.get('c1_owner')?.shards ?? [];
  expect(shards.map(({ name }) => name)).toEqual(Array.from({ length: shardCount }, (_, i) => `c1_owner_${100 + i}`));
  expect(shards[3]?.worker).toEqual({ name: 'worker-1:5432', host: 'worker-1', port: 5432 });
});

test("tables of others in the schema are left out, however they are divided, but a table of the index must be divided as this program's", async () => {
  const own = rowsOf('c1_tx', true);
  expect([...((await read(own, rowsOf('theirs', true, 7)))?.tables.keys() ?? [])]).toEqual(['c1_tx']);
  expect(await read()).toBeUndefined();
  for (const wrong of [
    rowsOf('c1_owner', true, shardCount + 1),
    rowsOf('c1_owner', false),
    rowsOf('c1_block', true),
    rowsOf('c1_block', false, 2),
  ])
    expect(await read(own, wrong)).toBeUndefined();
});
