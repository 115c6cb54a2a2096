import { expect, test } from 'bun:test';
import { toHex } from '../../base/bytes/hex.ts';
import { shardCount, shardOf } from '../../ledger/index/distribution.ts';
import { arrayText } from '../../ledger/index/key-array.ts';
import type { ShardedTable } from './shard-map.ts';
import { createShardRouting } from './shard-routing.ts';

/** Tables with two workers, that of a shard by its number; those divided by number are the other way round. */
const workers = ['a', 'b'].map((host) => ({ name: `${host}:1`, host, port: 1 }));
const divided = (name: string, by: string, first: number): [string, ShardedTable] => [
  name,
  {
    by,
    shards: Array.from({ length: shardCount }, (_, i) => ({
      name: `${name}_${100 + i}`,
      worker: workers[(i + first) % 2] as (typeof workers)[0],
    })),
  },
];
const routing = createShardRouting({
  tables: new Map([
    divided('c1_owner', 'address', 0),
    divided('moved_owner', 'address', 0),
    divided('c1_tx_id', 'id', 0),
    divided('c1_tx', 'seq', 1),
    ['c1_block', { by: undefined, shards: [{ name: 'c1_block_7', worker: workers[0] as (typeof workers)[0] }] }],
  ]),
});

const address = new Uint8Array(20).fill(7);
const shard = shardOf(address);

test('a query about one address is sent to the worker that has its shard, with the names of shards and of the copies of other tables', () => {
  const text =
    'SELECT h.seq FROM c1_owner h JOIN c1_block b ON b.height = h.height WHERE h.address = ? AND h.seq > ? ORDER BY h.seq LIMIT ? + 0';
  expect(routing.toShards({ text, values: [address, 3, 5] })).toEqual([
    {
      text: text.replace('c1_owner', `c1_owner_${100 + shard}`).replace('c1_block', 'c1_block_7'),
      values: [address, 3, 5],
      worker: workers[shard % 2] as never,
    },
  ]);
  const joined = `SELECT 1 FROM unnest(CAST(CAST(? AS text) AS bytea[])) AS joined(v0) CROSS JOIN LATERAL (SELECT seq FROM c1_owner WHERE address = joined.v0
    AND address = ANY(CAST(? AS bytea[])) LIMIT 1) found`;
  const list = arrayText([address]);
  expect(routing.toShards({ text: joined, values: [list, list] })).toMatchObject([{ values: [list, list], worker: workers[shard % 2] }]);
});

test('a look-up of a long list becomes one query for each worker, with a list for each of its shards', () => {
  const text = 'SELECT x.id FROM c1_tx x JOIN c1_block b ON b.height = x.height WHERE b.time > ? AND x.seq = ANY(CAST(? AS bigint[]))';
  const ofShard = (shard: number) => `(${text.replace('c1_tx', `c1_tx_${100 + shard}`).replace('c1_block', 'c1_block_7')})`;
  const numbers = Array.from({ length: 20 }, (_, i) => i * 1_000_003);
  const found = routing.toShards({ text, values: [5, arrayText(numbers)] }) ?? [];
  expect(found.map(({ worker }) => worker.name).toSorted()).toEqual(['a:1', 'b:1']);
  const keys = found.flatMap(({ text: union, values, worker }) => {
    const shards = Array.from({ length: shardCount / 2 }, (_, i) => 2 * i + (worker.name === 'a:1' ? 1 : 0));
    expect(union).toBe(shards.map(ofShard).join(' UNION ALL '));
    return shards.flatMap((one, i) => {
      expect(values[2 * i]).toBe(5);
      const list = ((values[2 * i + 1] as string).slice(1, -1).split(',') as string[]).filter((key) => key !== '').map(Number);
      for (const key of list) expect(shardOf(key)).toBe(one);
      return list;
    });
  });
  expect(keys.toSorted((a, b) => a - b)).toEqual(numbers);
});

test('a look-up of few keys becomes one query for each shard, one of no keys none', () => {
  const ids = Array.from({ length: 2 }, (_, i) => new Uint8Array(32).fill(i));
  expect(new Set(ids.map(shardOf)).size).toBe(2);
  const text = 'SELECT seq FROM c1_tx_id WHERE id = ANY(CAST(? AS bytea[]))';
  const found = routing.toShards({ text, values: [arrayText(ids)] }) ?? [];
  expect(found.map((query) => [query.text, query.values]).toSorted()).toEqual(
    ids.map((id) => [text.replace('c1_tx_id', `c1_tx_id_${100 + shardOf(id)}`), [`{"\\\\x${toHex(id)}"}`]]).toSorted() as never,
  );
  expect(routing.toShards({ text, values: ['{}'] })).toEqual([]);
});

test('the coordinator answers what is not in one shard: other conditions, keys of several shards in one row, tables that are apart', () => {
  const others = Array.from({ length: 40 }, (_, i) => new Uint8Array(20).fill(i));
  for (const [text, ...values] of [
    ['SELECT id FROM c1_tx WHERE seq >= ? AND seq < ?', 1, 2],
    ['SELECT max(seq) FROM c1_tx WHERE seq = ANY(CAST(? AS bigint[]))', arrayText([1, 2, 3, 4, 5])],
    ['SELECT count(*) FROM c1_tx WHERE seq = ANY(CAST(? AS bigint[]))', arrayText([])],
    ['SELECT seq FROM c1_owner WHERE address = ANY(CAST(? AS bytea[])) LIMIT 5', arrayText(others)],
    ['SELECT seq FROM c1_owner WHERE address = ? AND seq > (SELECT max(seq) FROM c1_tx)', address],
    ['SELECT seq FROM c1_owner WHERE address = ? AND seq IN (SELECT seq FROM c1_tx WHERE seq = ?)', address, 1],
    ['SELECT height FROM c1_block', 0],
    // A worker does not know `c1_block` by this name, which stands after neither FROM nor JOIN.
    ['SELECT h.seq FROM c1_owner h, c1_block b WHERE h.address = ? AND b.height = h.height', address],
  ] as const)
    expect([text, routing.toShards({ text, values })]).toEqual([text, undefined]);
});

test('texts of tables that the coordinator has are local, others unchanged', () => {
  expect(routing.toLocal('SELECT 1 FROM c1_block b, progress WHERE b.height = ?')).toBe(
    'SELECT 1 FROM c1_block_7 b, progress WHERE b.height = ?',
  );
  for (const text of ['SELECT height FROM progress', 'SELECT 1 FROM c1_block b JOIN c1_tx x ON true'])
    expect(routing.toLocal(text)).toBe(text);
});
