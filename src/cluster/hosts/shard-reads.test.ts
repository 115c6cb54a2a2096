import { expect, test } from 'bun:test';
import { shardCount, shardOf } from '../../ledger/index/distribution.ts';
import { arrayText } from '../../ledger/index/key-array.ts';
import type { SqlQuery } from '../../ledger/index/sql.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { PostgresError, timeoutError } from '../postgres/postgres-fault.ts';
import { createShardReads } from './shard-reads.ts';

/** A cluster of two workers without PostgreSQL: which server is sent which statement, and what happens when one fails. */

const workers = ['a:1', 'b:2'] as const;
type Name = 'coordinator' | (typeof workers)[number];

const keyOn = (name: Name): number => Array.from({ length: 100 }, (_, i) => i).find((seq) => workers[shardOf(seq) % 2] === name) as number;
const query = (...seqs: readonly number[]): SqlQuery => ({
  text: 'SELECT id FROM c1_tx WHERE seq = ANY(CAST(? AS bigint[]))',
  values: [arrayText(seqs)],
});
const last = { text: 'SELECT 1 AS state', values: [] };

const down = (reason: string) => new PostgresError('x', { code: 'DATABASE_DOWN', reason });
const refused = (reason: string) => new PostgresError('x', { code: 'DATABASE_REFUSED', reason });

function openCluster() {
  const sent: { server: Name; text: string }[] = [];
  const opened: Name[] = [];
  const closed: Name[] = [];
  const lines: string[] = [];
  const failures = new Map<Name, (text: string) => unknown>();
  /** What new connections of a server wait for. */
  const delays = new Map<Name, Promise<void>>();
  const retries: (() => void)[] = [];
  let placements = 1;
  /** PostgreSQL's snapshot on the coordinator; null on a replica. */
  let snapshot: string | null = 's1';
  const workerAt = (shard: number): string[] => (workers[(shard + (placements === 1 ? 0 : 1)) % 2] as string).split(':');
  const mapRows = () =>
    Array.from({ length: shardCount }, (_, i) => {
      const [host, port] = workerAt(i);
      return { name: 'c1_tx', shard: `c1_tx_${i}`, is_divided: true, host, port: Number(port), schema: 's', placements: `${placements}` };
    });
  const run = (server: Name, text: string): unknown[] => {
    sent.push({ server, text });
    const failure = failures.get(server)?.(text);
    if (failure !== undefined) throw failure;
    if (text.includes('is_divided')) return mapRows();
    if (text.startsWith('SELECT CASE')) return [{ snapshot }];
    return [text.includes('AS placements') ? { server, placements: `${placements}`, snapshot } : { server }];
  };
  const open = (server: Name) => ({
    all: async <Row>(text: string) => {
      await delays.get(server);
      return run(server, text) as Row[];
    },
    groupThen: async (queries: readonly SqlQuery[], end: SqlQuery) => ({
      results: await Promise.allSettled(queries.map(async ({ text }) => run(server, text))),
      last: run(server, end.text),
    }),
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
        return () => {};
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
    move: () => {
      placements++;
      snapshot = `moved ${placements}`;
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
