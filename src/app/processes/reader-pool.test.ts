import { expect, test } from 'bun:test';
import type { MetricFamily } from '../../base/metrics/family.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import type { Env } from '../platform/env.ts';
import type { ProcessActivity } from '../platform/node-processes.ts';
import type { MessageFromReader, MessageToReader } from './messages.ts';
import { demandPerSecond } from './read-demand.ts';
import { createReaderPool } from './reader-pool.ts';

/** Starts fake readers that only exchange messages, in virtual time. */
function startFakes(count: number, waitsForReads = false) {
  const { timing, until, pass } = createVirtualTiming();
  const spawned: FakeChild[] = [];
  const fake = {
    spawnFails: false,
    answersPing: (_index: number): boolean => true,
    activity: (): ProcessActivity | undefined => undefined,
  };
  const spawnReader: Env['spawnReader'] = () => {
    if (fake.spawnFails) throw new Error('no more processes');
    const child = fakeChild((message) => message.reader === 'ping' && fake.answersPing(spawned.indexOf(child)));
    spawned.push(child);
    return { ...child, activity: () => fake.activity() };
  };
  const log: string[] = [];
  const env = {
    spawnReader,
    timers: timing,
    clock: { monotonic: timing.now },
    random: () => new Uint8Array(4),
    log: (line: string) => void log.push(line),
  } as unknown as Env;
  let changes = 0;
  const readers = createReaderPool(count, env, { shutdownTimeout: 10_000, waitsForReads });
  readers.start({
    handler: async () => ({ status: 200, headers: {}, body: '' }),
    logError: () => expect.unreachable(),
    start: { nodeID: '', port: 1, relayedPaths: [], index: { version: '', network: '', entries: [] } },
    onChange: () => void changes++,
  });
  const error = () => (readers.check() as { error?: string }).error;
  return { readers, spawned, fake, until, pass, now: timing.now, error, log, changes: () => changes };
}

type FakeChild = ReturnType<typeof fakeChild>;

function fakeChild(answersTo: (message: MessageToReader) => boolean) {
  const listeners: ((message: unknown) => void)[] = [];
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>();
  const killed: string[] = [];
  const sent: MessageToReader[] = [];
  return {
    sent,
    exited,
    exit,
    killed,
    kill: (signal: string) => {
      killed.push(signal);
      exit(137);
    },
    onMessage: (listener: (message: unknown) => void) => void listeners.push(listener),
    receive: (message: MessageFromReader) => {
      for (const listener of listeners) listener(message);
    },
    send: (message: unknown) => {
      sent.push(message as MessageToReader);
      if (answersTo(message as MessageToReader)) for (const listener of listeners) listener({ reader: 'pong', isServing: true });
    },
  };
}

test('a reader that keeps exiting is always replaced, after at most 30 s', async () => {
  const { spawned, pass, until, now, error } = startFakes(1);
  for (let i = 0; i < 40; i++) {
    const began = now();
    spawned.at(-1)?.exit(1);
    await until(() => spawned.length === i + 2, 30_000);
    expect(now() - began).toBeLessThanOrEqual(30_000);
    expect(error()).toBe('a reader process exited with code 1');
  }
  await pass(1000);
  expect(error()).toBeUndefined();
});

test('after a minute of service the backoff starts over', async () => {
  const { spawned, pass, until, now } = startFakes(1);
  for (let i = 0; i < 12; i++) {
    spawned.at(-1)?.exit(1);
    await until(() => spawned.length === i + 2, 30_000);
  }
  await pass(62_000);
  const began = now();
  spawned.at(-1)?.exit(1);
  await until(() => spawned.length === 14);
  expect(now() - began).toBeLessThanOrEqual(100);
});

test('a start that fails is retried', async () => {
  const { fake, spawned, pass, until, error } = startFakes(1);
  fake.spawnFails = true;
  spawned[0]?.exit(1);
  await pass(5000);
  expect([spawned.length, error()]).toEqual([1, 'cannot start a reader process: Error: no more processes']);
  fake.spawnFails = false;
  await until(() => spawned.length === 2, 30_000);
  await pass(1000);
  expect(error()).toBeUndefined();
});

test('a hung reader is noticed within 5 s, reported, killed and replaced; the other one keeps running', async () => {
  const { readers, fake, spawned, pass, until, now, error, changes } = startFakes(2);
  await pass(20_000);
  expect([error(), changes()]).toEqual([undefined, 2]);
  fake.answersPing = (index) => index !== 0;
  const began = now();
  await until(() => error() !== undefined);
  expect(now() - began).toBeLessThanOrEqual(5000);
  expect(now() - began).toBeGreaterThan(3000);
  expect(error()).toBe('a reader process has not answered for 4.5 s and was killed');
  await until(() => spawned.length === 3);
  await pass(1000);
  expect([spawned[0]?.killed, spawned[1]?.killed, error(), changes()]).toEqual([['SIGKILL'], [], undefined, 4]);
  expect(readers.check()).toMatchObject({ details: { wanted: 2, serving: 2, replaced: 1 } });
});

test('a problem that a reader reports is shown by the check while the reader has it', async () => {
  const { spawned, pass, error, changes } = startFakes(1);
  await pass(1000);
  const before = changes();
  spawned[0]?.receive({ reader: 'pong', isServing: true, problem: 'all 39 connections are in use' });
  expect([error(), changes()]).toEqual(['a reader process: all 39 connections are in use', before + 1]);
  await pass(1000);
  expect([error(), changes()]).toEqual([undefined, before + 2]);
});

test('a reader that waits for a CPU is not killed: its clients would be disconnected; one that has a CPU and hangs is', async () => {
  const { fake, spawned, pass, until, now, error } = startFakes(1);
  await pass(5000);
  fake.answersPing = () => false;
  const began = now();
  // It has the CPU for a tenth of the time.
  fake.activity = () => ({ cpuTime: 0.1 * (now() - began), cpuWait: 0.9 * (now() - began), isBusy: false });
  await pass(40_000);
  expect([spawned[0]?.killed, error()]).toEqual([[], undefined]);
  await until(() => spawned[0]?.killed.length === 1, 10_000);
  expect(error()).toBe('a reader process has not answered for 4.5 s and was killed');
});

test('a reader that does nothing at all is killed within 1.5 s; one that computes, or waits for a disk, as late as one of which that is not known', async () => {
  for (const { activity, killedAfter } of [
    { activity: () => ({ cpuTime: 7, cpuWait: 3, isBusy: false }), killedAfter: 1500 },
    { activity: (ms: number) => ({ cpuTime: ms, cpuWait: 3, isBusy: true }), killedAfter: 5000 },
    { activity: () => ({ cpuTime: 7, cpuWait: 3, isBusy: true }), killedAfter: 5000 },
    // It gets the CPU for a moment every second, as a process that is stopped and woken in turns.
    { activity: (ms: number) => ({ cpuTime: Math.floor(ms / 1000), cpuWait: 3, isBusy: false }), killedAfter: 5000 },
    { activity: () => undefined, killedAfter: 5000 },
  ]) {
    const { fake, spawned, pass, until, now } = startFakes(1);
    fake.activity = () => activity(now());
    await pass(20_100);
    // A reader that answers may have nothing to do.
    expect(spawned[0]?.killed).toEqual([]);
    fake.answersPing = () => false;
    const began = now();
    await until(() => spawned[0]?.killed.length === 1, 10_000);
    expect(now() - began).toBeLessThanOrEqual(killedAfter);
    expect(now() - began).toBeGreaterThan(killedAfter - 1000);
  }
});

test('a start that hangs is killed after 30 s', async () => {
  const { fake, spawned, pass, error } = startFakes(1);
  fake.answersPing = () => false;
  await pass(29_000);
  expect([spawned.length, error()]).toEqual([1, undefined]);
  fake.answersPing = (index) => index > 0;
  await pass(3000);
  expect([spawned[0]?.killed, spawned.length, error()]).toEqual([['SIGKILL'], 2, undefined]);
});

test('a reader that stops gets the time of its open requests, and is killed only after it', async () => {
  const { readers, spawned, pass } = startFakes(2);
  await pass(1000);
  let isStopped = false;
  const stopped = readers.stop().then(() => (isStopped = true));
  await pass(10_500);
  expect([spawned[0]?.killed, isStopped]).toEqual([[], false]);
  spawned[0]?.exit(0);
  await pass(2000);
  expect([spawned[0]?.killed, spawned[1]?.killed]).toEqual([[], ['SIGKILL']]);
  await stopped;
});

test('a stop waits neither for a hung reader longer than it takes to notice, nor for one that still starts', async () => {
  const { readers, fake, spawned, pass } = startFakes(1);
  await pass(1000);
  fake.answersPing = () => false;
  const stopped = readers.stop();
  await pass(5000);
  expect(spawned[0]?.killed).toEqual(['SIGKILL']);
  await stopped;
  const other = startFakes(1);
  const otherStopped = other.readers.stop();
  await other.pass(400);
  expect(other.spawned[0]?.killed).toEqual(['SIGKILL']);
  await otherStopped;
});

test('no reader is replaced while the node stops', async () => {
  const { readers, spawned, until } = startFakes(1);
  spawned[0]?.exit(1);
  await readers.stop();
  await until(() => true);
  expect(spawned).toHaveLength(1);
});

test('counters never fall: not while a reader does not answer, and not when it was replaced', async () => {
  const { readers, spawned, pass, until } = startFakes(1);
  const familiesOf = (calls: number, clients: number): MetricFamily[] => [
    { name: 'calls_total', help: '', type: 'counter', samples: [['', calls]] },
    { name: 'clients', help: '', type: 'gauge', samples: [['', clients]] },
  ];
  let id = 0;
  const collect = async (reply?: MetricFamily[]): Promise<unknown> => {
    const collected = readers.collectFamilies();
    id++;
    if (reply !== undefined) spawned.at(-1)?.receive({ reader: 'metrics', id, families: reply });
    await pass(400);
    return (await collected).flat().map(({ name, samples }) => [name, samples[0]?.[1]]);
  };
  await pass(1000);
  expect(await collect(familiesOf(5, 3))).toEqual([
    ['calls_total', 5],
    ['clients', 3],
  ]);
  expect(await collect()).toEqual([
    ['calls_total', 5],
    ['clients', 3],
  ]);
  spawned[0]?.exit(1);
  await until(() => spawned.length === 2, 30_000);
  id = 0;
  expect(await collect()).toEqual([['calls_total', 5]]);
  expect(await collect(familiesOf(2, 1))).toEqual([
    ['calls_total', 7],
    ['clients', 1],
  ]);
});

test('readers that wait for reads start when there are many, with the state that was sent before', async () => {
  const { readers, spawned } = startFakes(1, true);
  expect(spawned).toHaveLength(0);
  expect(readers.check()).toEqual({ details: { wanted: 0, serving: 0, replaced: 0 }, error: undefined });
  await readers.setState({ clock: 'set before' } as never);
  for (let i = 0; i < demandPerSecond; i++) readers.countRead?.('call');
  expect(spawned).toHaveLength(1);
  expect(spawned[0]?.sent.find(({ reader }) => reader === 'setState')).toMatchObject({ state: { clock: 'set before' } });
});

test('readers that wait for reads do not start any more in a node that stops', () => {
  const { readers, spawned } = startFakes(1, true);
  readers.announceStopping();
  for (let i = 0; i < demandPerSecond; i++) readers.countRead?.('call');
  expect(spawned).toHaveLength(0);
});
