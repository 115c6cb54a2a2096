import { fromHex } from '../../base/bytes/hex.ts';
import { memoize } from '../../base/cache/memoize.ts';
import { shardCount, shardOf } from '../../ledger/index/distribution.ts';
import type { SqlQuery, SqlValue } from '../../ledger/index/sql.ts';
import type { ShardedTable, ShardMap, Worker } from './shard-map.ts';

/** A query, or the part of it for the keys of one worker, with the names of the shards in place of those of the tables. */
export type ShardQuery = SqlQuery & { readonly worker: Worker };

export type ShardRouting = {
  /** What workers answer: together all rows of the query. Undefined if only the coordinator can. */
  readonly toShards: (query: SqlQuery) => readonly ShardQuery[] | undefined;
  /**
   * A text that reads only tables which the coordinator has, with the names that they have there: so Citus need not plan it, and PostgreSQL keeps its
   * plan. Others are unchanged.
   */
  readonly toLocal: (text: string) => string;
};

/** A value of a text that names the shard: a key, or a list of them. */
type Key = { readonly position: number; readonly isList: boolean };

type Plan = {
  readonly keys: readonly Key[];
  readonly workerOf: (shard: number) => Worker;
  readonly textOf: (shard: number) => string;
  /** Whether a list of keys can be read in parts by several workers: the rows of all parts together are the rows of the list. */
  readonly isDivisible: boolean;
  /** One text for all shards of a worker, with a list of keys for each: with 50 keys it takes 0.6 of the time of one text for each shard. */
  readonly unionOf: (worker: string) => { readonly text: string; readonly shards: readonly number[] };
};

/**
 * Finds the shards of queries. The rule is the one by which Citus sends a query as it is to a worker: each divided table in it has a condition on the
 * column by which it is divided, and all keys are of one shard. A plain look-up of a list of keys becomes one query for each worker. It reads our own
 * statements, which name each table after FROM or JOIN and have one condition for each; a text in which these are not equally many is left to the
 * coordinator.
 */
export function createShardRouting({ tables }: Pick<ShardMap, 'tables'>): ShardRouting {
  const names = [...tables.keys()].join('|');
  const readTable = new RegExp(`\\b(FROM|JOIN) (${names})\\b`, 'g');
  const anyTable = new RegExp(`\\b(?:${names})\\b`);
  const tableOf = (name: string): ShardedTable => tables.get(name) as ShardedTable;
  const toShard = (text: string, shard: number): string =>
    text.replace(readTable, (_, word: string, name: string) => `${word} ${(tableOf(name).shards[shard] ?? tableOf(name).shards[0])?.name}`);

  const planOf = memoize((text: string): Plan | 'coordinator' => {
    const divided = [...text.matchAll(readTable)].map(([, , name = '']) => tableOf(name)).filter(({ by }) => by !== undefined);
    const keys = divided.length === 0 ? [] : findKeys(text, new Set(divided.map(({ by }) => by as string)));
    if (keys.length !== divided.length || divided.length === 0) return 'coordinator';
    const [first] = divided as [ShardedTable];
    const workerOf = (shard: number): Worker => first.shards[shard]?.worker as Worker;
    // Tables that are divided by values of another type may have shards of the same number on another worker.
    const together = Array.from({ length: shardCount }, (_, i) =>
      divided.every(({ shards }) => shards[i]?.worker.name === workerOf(i).name),
    );
    // A table that is named elsewhere (`INSERT INTO`) would keep its name, which no worker knows.
    if (!together.every(Boolean) || anyTable.test(text.replace(readTable, ''))) return 'coordinator';
    const textOf = memoize((shard: number) => toShard(text, shard));
    return {
      keys,
      workerOf,
      textOf,
      unionOf: memoize((worker: string) => {
        const shards = Array.from({ length: shardCount }, (_, i) => i).filter((shard) => workerOf(shard).name === worker);
        return { text: shards.map((shard) => `(${textOf(shard)})`).join(' UNION ALL '), shards };
      }),
      isDivisible: keys.length === 1 && keys[0]?.isList === true && !combinesRows.test(text),
    };
  });

  return {
    toLocal: memoize((text: string) => {
      const isLocal = [...text.matchAll(readTable)].every(([, , name = '']) => tableOf(name).by === undefined);
      return isLocal ? toShard(text, 0) : text;
    }),
    toShards: ({ text, values }) => {
      const plan = planOf(text);
      if (plan === 'coordinator') return undefined;
      const elements = plan.keys.flatMap(({ position, isList }): readonly SqlValue[] =>
        isList ? elementsOf(values[position] as string) : [values[position] as SqlValue],
      );
      const byShard = Map.groupBy(elements, (element) => shardOf(typeof element === 'string' ? keyOf(element) : element));
      const [first] = byShard.keys();
      // An empty list of keys has no rows. But a text that counts rows then returns one, with 0, which a server must make.
      if (first === undefined) return plan.isDivisible ? [] : undefined;
      if (byShard.size === 1) return [{ text: plan.textOf(first), values, worker: plan.workerOf(first) }];
      if (!plan.isDivisible) return undefined;
      const { position } = plan.keys[0] as Key;
      const valuesOf = (shard: number): readonly SqlValue[] => values.with(position, `{${byShard.get(shard)?.join() ?? ''}}`);
      const byWorker = Map.groupBy(byShard.keys(), (shard) => plan.workerOf(shard).name);
      return [...byWorker].flatMap(([name, shards]): readonly ShardQuery[] => {
        const worker = plan.workerOf(shards[0] as number);
        if (shards.length <= fewShards) return shards.map((shard) => ({ text: plan.textOf(shard), values: valuesOf(shard), worker }));
        const union = plan.unionOf(name);
        return [{ text: union.text, values: union.shards.flatMap(valuesOf), worker }];
      });
    },
  };
}

/** The conditions on these columns: `address = ?`, `x.seq = ANY(CAST(? AS bigint[]))`. */
function findKeys(text: string, columns: ReadonlySet<string>): readonly Key[] {
  const condition = new RegExp(`\\b(?:${[...columns].join('|')}) = (\\?|ANY\\(CAST\\(\\? AS (?:bytea|bigint)\\[\\]\\)\\))`, 'g');
  return [...text.matchAll(condition)].map(({ 1: value, index }) => ({
    position: text.slice(0, index).split('?').length - 1,
    isList: value !== '?',
  }));
}

/** Up to so many shards of a worker are asked one by one; one text for all its shards takes as long as four texts for one. */
const fewShards = 4;

/** What makes one row of several, or leaves rows out. */
const combinesRows = /\b(?:LIMIT|ORDER BY|GROUP BY|DISTINCT|EXISTS|WITH|(?:count|sum|max|min|string_agg)\()/i;

/** The elements of PostgreSQL's text of an array, as they are written there: numbers, or bytes as `"\\x0102"`. */
const elementsOf = (list: string): readonly string[] => (list === '{}' ? [] : list.slice(1, -1).split(','));

/** The value of an element; keys that are no part of a list are never strings. */
const keyOf = (element: string): SqlValue => (element.startsWith('"') ? fromHex(element.slice(4, -1)) : Number(element));
