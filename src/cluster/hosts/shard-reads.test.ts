import { expect, test } from 'bun:test';
import { shardCount, shardOf } from '../../ledger/index/distribution.ts';
import { arrayText } from '../../ledger/index/key-array.ts';
import type { SqlQuery } from '../../ledger/index/sql.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { PostgresError, timeoutError } from '../postgres/postgres-fault.ts';
import { createShardReads } from './shard-reads.ts';

/** A cluster of two workers without PostgreSQL: which server is sent which statement, and what happens when one fails. */

const workers = ['a:1', 'b:2'] as const;
type Name = 'coordinator' | 'c:3' | (typeof workers)[number];

const keysOn = (name: Name): number[] => Array.from({ length: 100 }, (_, i) => i).filter((seq) => workers[shardOf(seq) % 2] === name);
const keyOn = (name: Name): number => keysOn(name)[0] as number;
const query = (...seqs: readonly number[]): SqlQuery => ({
  text: 'SELECT id FROM c1_tx WHERE seq = ANY(CAST(? AS bigint[]))',
  values: [arrayText(seqs)],
});
const last = { text: 'SELECT 1 AS state', values: [] };
/** A query of a table of which the coordinator has a copy. */
const blocks = { text: 'SELECT id FROM c1_block WHERE height = ?', values: [3] };

const down = (reason: string) => new PostgresError('x', { code: 'DATABASE_DOWN', reason });
const refused = (reason: string) => new PostgresError('x', { code: 'DATABASE_REFUSED', reason });

function openCluster() {
  const sent: { server: Name; text: string }[] = [];
  const opened: Name[] = [];
  const closed: Name[] = [];
  const lines: string[] = [];
  const failures = new Map<Name, (text: string) => unknown>();
  /** What new connections and reads of a server wait for. */
  const delays = new Map<Name, Promise<void>>();
  const retries: (() => void)[] = [];
  let cancelled = 0;
  let placements = 1;
  let second: Name = 'b:2';
  let isSwapped = false;
  /** PostgreSQL's snapshot on the coordinator; null on a replica. */
  let snapshot: string | null = 's1';
  const rowOf = (name: string, shard: number, isDivided: boolean, at: string) => {
    const [host, port] = at.split(':');
    return { name, shard: `${name}_${shard}`, is_divided: isDivided, host, port: Number(port), schema: 's', placements: `${placements}` };
  };
  const mapRows = () => [
    rowOf('c1_block', 9, false, 'coordinator:0'),
    ...Array.from({ length: shardCount }, (_, i) => rowOf('c1_tx', i, true, (i % 2 === 0) === isSwapped ? second : 'a:1')),
  ];
  const run = (server: Name, { text, values: [keys] }: SqlQuery): unknown[] => {
    sent.push({ server, text });
    const failure = failures.get(server)?.(text);
    if (failure !== undefined) throw failure;
    if (text.includes('is_divided')) return mapRows();
    if (text.startsWith('SELECT CASE')) return [{ snapshot }];
    const [, state] = /(\d+) AS state/.exec(text) ?? [];
    return [state === undefined ? { server, keys } : { server, state, placements: `${placements}`, snapshot }];
  };
  const open = (server: Name) => ({
    all: async <Row>(text: string) => {
      await delays.get(server);
      return run(server, { text, values: [] }) as Row[];
    },
    groupThen: async (queries: readonly SqlQuery[], end: SqlQuery) => {
      await delays.get(server);
      return { results: await Promise.allSettled(queries.map(async (query) => run(server, query))), last: run(server, end) };
    },
    close: async () => void closed.push(server),
  });
  const coordinator = open('coordinator');
  const reads = createShardReads({
    coordinator: () => coordinator,
    openWorker: ({ name }) => {
      opened.push(name as Name);
      return open(name as Name) as Partial<Postgres> as Postgres;
    },
    timers: {
      after: (_, retry) => {
        retries.push(retry);
        return () => void cancelled++;
      },
    },
    log: Object.assign((line: string) => void lines.push(line), { isShown: () => true }),
  });
  return {
    reads,
    opened,
    closed,
    lines,
    failures,
    delays,
    retries,
    cancelled: () => cancelled,
    /** Moves all shards to the other worker. */
    move: () => {
      placements++;
      isSwapped = !isSwapped;
      snapshot = `moved ${placements}`;
    },
    replaceSecond: () => {
      placements++;
      second = 'c:3';
      snapshot = `replaced ${placements}`;
    },
    setSnapshot: (to: string | null) => {
      snapshot = to;
    },
    /** The servers that gave the rows of a query, in turn. */
    read: async (asked: SqlQuery): Promise<unknown> => {
      sent.length = 0;
      const [result] = (await reads.groupThen([asked], last)).results;
      return result?.status === 'fulfilled' ? result.value.map((row) => (row as { server: Name }).server) : result?.reason;
    },
    /** The same without the coordinator; undefined if it is needed. */
    readUnchecked: async (...asked: SqlQuery[]): Promise<unknown> => {
      sent.length = 0;
      const results = await reads.groupOnWorkers(asked);
      return results?.flatMap((result) =>
        result.status === 'fulfilled' ? result.value.map((row) => (row as { server: Name }).server) : 'failed',
      );
    },
    sent: () => sent.map(({ server }) => server),
    /** What the coordinator was asked for, in turn. */
    asked: () =>
      sent.flatMap(({ server, text }) =>
        server !== 'coordinator' ? [] : text.startsWith('SELECT CASE') ? 'snapshot' : text.includes('AS placements') ? 'state' : text,
      ),
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

async function openKnown() {
  const cluster = openCluster();
  expect(await cluster.read(query(keyOn('a:1')))).toEqual(['coordinator']);
  await cluster.settle();
  expect(await cluster.read(query(keyOn('a:1')))).toEqual(['a:1']);
  expect(cluster.opened).toEqual(['a:1', 'b:2']);
  return cluster;
}

test('a worker that does not answer is left to the coordinator until it does; the others are still read', async () => {
  for (const failure of [timeoutError(2000, 'a', true), down('08006'), down('57P01')]) {
    const cluster = await openKnown();
    cluster.failures.set('a:1', () => failure);
    expect(await cluster.read(query(keyOn('a:1')))).toEqual(['coordinator']);
    expect(cluster.closed).toEqual(['a:1']);
    for (let i = 0; i < 3; i++) {
      expect(await cluster.read(query(keyOn('a:1')))).toEqual(['coordinator']);
      expect(cluster.sent()).not.toContain('a:1');
      expect(await cluster.read(query(keyOn('b:2')))).toEqual(['b:2']);
      cluster.retries.shift()?.();
      expect(await cluster.read(query(keyOn('b:2')))).toEqual(['b:2']);
      await cluster.settle();
    }
    expect(cluster.lines).toHaveLength(2);
    cluster.failures.clear();
    cluster.retries.shift()?.();
    await cluster.read(query(keyOn('a:1')));
    await cluster.settle();
    expect(await cluster.read(query(keyOn('a:1')))).toEqual(['a:1']);
    expect(cluster.opened.filter((name) => name === 'b:2')).toHaveLength(1);
    await cluster.reads.close();
    expect(cluster.closed.slice(-2).toSorted()).toEqual([...workers]);
  }
});

test('a worker that is lost while another is looked for is looked for again', async () => {
  const cluster = await openKnown();
  const { failures, delays, retries } = cluster;
  failures.set('b:2', () => down('08006'));
  await cluster.read(query(keyOn('b:2')));
  failures.delete('b:2');
  const connected = Promise.withResolvers<void>();
  delays.set('b:2', connected.promise);
  retries.pop()?.();
  expect(await cluster.read(query(keyOn('a:1')))).toEqual(['a:1']);
  failures.set('a:1', () => down('08006'));
  expect(await cluster.read(query(keyOn('a:1')))).toEqual(['coordinator']);
  failures.delete('a:1');
  connected.resolve();
  await cluster.settle();
  expect(await cluster.read(query(keyOn('b:2')))).toEqual(['b:2']);
  retries.pop()?.();
  await cluster.read(last);
  await cluster.settle();
  expect(await cluster.read(query(keyOn('a:1')))).toEqual(['a:1']);
});

test('a statement that is slow or has wrong values fails, and the workers are still read', async () => {
  for (const failure of [down('57014'), timeoutError(2000, 'a', false), refused('22003')]) {
    const cluster = await openKnown();
    cluster.failures.set('a:1', () => failure);
    expect(await cluster.read(query(keyOn('a:1')))).toBe(failure);
    cluster.failures.clear();
    expect(await cluster.read(query(keyOn('a:1')))).toEqual(['a:1']);
    expect(cluster.closed).toEqual([]);
  }
});

test('after a move the shards are found at once, on the connections that are open', async () => {
  const cluster = await openKnown();
  cluster.move();
  expect(await cluster.read(query(keyOn('a:1')))).toEqual(['coordinator']);
  await cluster.read(query(keyOn('a:1')));
  await cluster.settle();
  expect(await cluster.read(query(keyOn('a:1')))).toEqual(['b:2']);
  expect([cluster.opened, cluster.closed, cluster.retries]).toEqual([[...workers], [], []]);
});

test('a shard that is not there or not allowed is left to the coordinator, and looked for later', async () => {
  for (const reason of ['42P01', '42501']) {
    const cluster = await openKnown();
    cluster.failures.set('a:1', (text) => (text.includes('LIMIT 0') ? undefined : refused(reason)));
    for (let i = 0; i < 3; i++) expect(await cluster.read(query(keyOn('a:1')))).toEqual(['coordinator']);
    expect([cluster.closed, cluster.retries.length]).toEqual([[], 1]);
    cluster.failures.clear();
    cluster.retries.shift()?.();
    await cluster.read(query(keyOn('a:1')));
    await cluster.settle();
    expect(await cluster.read(query(keyOn('a:1')))).toEqual(['a:1']);
  }
});

test('the coordinator is asked for the state again only when its snapshot has changed', async () => {
  const cluster = await openKnown();
  const onA = query(keyOn('a:1'));
  const read = async () => {
    expect(await cluster.read(onA)).toEqual(['a:1']);
    return cluster.asked();
  };
  expect(await read()).toEqual(['snapshot']);
  cluster.setSnapshot('s2');
  expect(await read()).toEqual(['snapshot', 'state']);
  expect(await read()).toEqual(['snapshot']);
  // On a replica the same text may stand for another state.
  cluster.setSnapshot(null);
  expect(await read()).toEqual(['snapshot', 'state']);
  expect(await read()).toEqual(['state']);
});

test('what the coordinator answers is of the server whose state is read', async () => {
  const cluster = await openKnown();
  const local = { text: 'SELECT value FROM meta', values: [] };
  expect(await cluster.read(local)).toEqual(['coordinator']);
  expect(cluster.asked()).toEqual([local.text, 'snapshot']);
  cluster.setSnapshot('another server');
  await cluster.read(local);
  expect(cluster.asked()).toEqual([local.text, 'snapshot', local.text, 'state']);
});

test('each query gets the rows of its own keys, whichever servers have them', async () => {
  const { reads } = await openKnown();
  const [a, another, third] = keysOn('a:1') as [number, number, number];
  const b = keyOn('b:2');
  const queries = [query(b), blocks, query(a, b), query(another), query(third), { ...blocks, values: [4] }];
  const { results } = await reads.groupThen(queries, last);
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason))).toEqual([
    [{ server: 'b:2', keys: `{${b}}` }],
    [{ server: 'coordinator', keys: 3 }],
    [
      { server: 'a:1', keys: `{${a}}` },
      { server: 'b:2', keys: `{${b}}` },
    ],
    [{ server: 'a:1', keys: `{${another}}` }],
    [{ server: 'a:1', keys: `{${third}}` }],
    [{ server: 'coordinator', keys: 4 }],
  ]);
});

test('a query of several workers fails if it fails on one of them: the rows of the others are not all', async () => {
  const cluster = await openKnown();
  const failure = refused('22003');
  cluster.failures.set('b:2', () => failure);
  expect(await cluster.read(query(keyOn('a:1'), keyOn('b:2')))).toBe(failure);
});

test('after a worker was replaced its connections are closed, and the new one is read', async () => {
  const cluster = await openKnown();
  const onSecond = query(keyOn('b:2'));
  cluster.replaceSecond();
  expect(await cluster.read(onSecond)).toEqual(['coordinator']);
  await cluster.read(onSecond);
  await cluster.settle();
  expect(await cluster.read(onSecond)).toEqual(['c:3']);
  expect([cluster.opened, cluster.closed]).toEqual([['a:1', 'b:2', 'c:3'], ['b:2']]);
});

test('a read that fails on connections that are closed does not close those that have replaced them', async () => {
  const cluster = await openKnown();
  const { failures, delays, retries } = cluster;
  const onA = query(keyOn('a:1'));
  const slow = Promise.withResolvers<void>();
  delays.set('a:1', slow.promise);
  const first = cluster.reads.groupThen([onA], last);
  delays.delete('a:1');
  failures.set('a:1', () => down('08006'));
  expect(await cluster.read(onA)).toEqual(['coordinator']);
  failures.clear();
  retries.pop()?.();
  await cluster.read(onA);
  await cluster.settle();
  expect(await cluster.read(onA)).toEqual(['a:1']);
  failures.set('a:1', () => down('08006'));
  slow.resolve();
  expect((await first).results).toMatchObject([{ value: [{ server: 'coordinator' }] }]);
  failures.clear();
  expect(await cluster.read(onA)).toEqual(['a:1']);
  expect(cluster.closed).toEqual(['a:1']);
});

test('a table that is no longer under its local name on the coordinator is read by its own', async () => {
  for (const end of [last, { text: 'SELECT 1 AS state FROM c1_block WHERE height > ?', values: [0] }]) {
    const cluster = await openKnown();
    await cluster.read(blocks);
    expect(cluster.asked()[0]).toBe('SELECT id FROM c1_block_9 WHERE height = ?');
    cluster.failures.set('coordinator', (text) => (text.includes('c1_block_9') ? refused('42P01') : undefined));
    const { results } = await cluster.reads.groupThen([blocks], end);
    expect(results).toMatchObject([{ value: [{ server: 'coordinator', keys: 3 }] }]);
    expect(cluster.asked()).toContain(blocks.text);
    expect(cluster.retries).toHaveLength(1);
  }
});

test('an error of the coordinator is for the caller, who is not kept waiting for a second one', async () => {
  const cluster = await openKnown();
  const failure = down('08006');
  cluster.failures.set('coordinator', () => failure);
  await expect(cluster.read(query(keyOn('a:1')))).rejects.toBe(failure);
  expect(cluster.sent()).toEqual(['a:1', 'coordinator']);
});

test('the state that is read is the one that is asked for', async () => {
  const { reads } = await openKnown();
  const stateOf = async (text: string) => (await reads.groupThen([], { text, values: last.values })).last;
  for (const state of ['1', '2', '1']) expect(await stateOf(`SELECT ${state} AS state`)).toMatchObject([{ state }]);
});

test('closing ends the pause after a failure, and closes connections that are being opened', async () => {
  const failed = await openKnown();
  failed.failures.set('a:1', () => down('08006'));
  await failed.read(query(keyOn('a:1')));
  await failed.reads.close();
  expect(failed.cancelled()).toBe(1);
  const cluster = openCluster();
  const connected = Promise.withResolvers<void>();
  cluster.delays.set('a:1', connected.promise);
  await cluster.read(last);
  await cluster.settle();
  await cluster.reads.close();
  connected.resolve();
  await cluster.settle();
  expect(cluster.closed.toSorted()).toEqual([...workers]);
});

test('what workers alone answer is read without the coordinator, and a move is counted when it is asked', async () => {
  const cluster = openCluster();
  expect(await cluster.readUnchecked(query(keyOn('a:1')))).toBeUndefined();
  await cluster.settle();
  const before = cluster.reads.changes();
  expect(await cluster.readUnchecked(query(keyOn('a:1')), query(keyOn('b:2')))).toEqual(['a:1', 'b:2']);
  expect(cluster.sent()).not.toContain('coordinator');
  expect(await cluster.readUnchecked(query(keyOn('a:1')), { text: 'SELECT value FROM meta', values: [] })).toBeUndefined();
  expect(cluster.sent()).toEqual([]);
  await cluster.reads.groupThen([], last);
  expect(cluster.reads.changes()).toBe(before);
  const onA = query(keyOn('a:1'));
  cluster.move();
  // Where the shard was before: nobody knows yet.
  expect(await cluster.readUnchecked(onA)).toEqual(['a:1']);
  await cluster.reads.groupThen([], last);
  expect(cluster.reads.changes()).toBe(before + 1);
  expect(await cluster.readUnchecked(onA)).toBeUndefined();
  await cluster.settle();
  expect(await cluster.readUnchecked(onA)).toEqual(['b:2']);
  expect(cluster.reads.changes()).toBe(before + 1);
});

test('a move is counted too if the shards are found anew before the coordinator is asked', async () => {
  const cluster = await openKnown();
  const onA = query(keyOn('a:1'));
  cluster.failures.set('b:2', () => down('08006'));
  await cluster.read(query(keyOn('b:2')));
  cluster.failures.clear();
  const before = cluster.reads.changes();
  cluster.move();
  cluster.retries.shift()?.();
  expect(await cluster.readUnchecked(onA)).toEqual(['a:1']);
  await cluster.settle();
  expect(cluster.reads.changes()).toBe(before + 1);
});

test('a worker that is lost or has no such shard leaves all to the coordinator', async () => {
  for (const failure of [down('08006'), refused('42P01')]) {
    const cluster = await openKnown();
    cluster.failures.set('a:1', () => failure);
    expect(await cluster.readUnchecked(query(keyOn('a:1')), query(keyOn('b:2')))).toBeUndefined();
    expect(await cluster.readUnchecked(query(keyOn('a:1')))).toBeUndefined();
  }
});
