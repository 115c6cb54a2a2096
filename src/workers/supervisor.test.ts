import { expect, test } from 'bun:test';
import { createVirtualTiming } from '../timing/virtual-timing.fixture.ts';
import type { Env } from '../wiring/env.ts';
import type { ToReader } from './messages.ts';
import { startReaders } from './supervisor.ts';

/** Readers that are only their messages, in virtual time. */
function open(count: number) {
  const { timing, until, pass } = createVirtualTiming();
  const spawned: FakeChild[] = [];
  const fake = { refusesStart: false, answers: (_index: number): boolean => true };
  const spawnReader: Env['spawnReader'] = () => {
    if (fake.refusesStart) throw new Error('no more processes');
    const child = fakeChild((message) => message.reader === 'ping' && fake.answers(spawned.indexOf(child)));
    spawned.push(child);
    return child;
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
  const readers = startReaders(count, env, {
    handler: () => ({ status: 200, headers: {}, body: '' }),
    start: { nodeID: '', port: 1, relayedPaths: [] },
    onChange: () => void changes++,
  });
  const error = () => (readers.check() as { error?: string }).error;
  return { readers, spawned, fake, until, pass, now: timing.now, error, log, changes: () => changes };
}

type FakeChild = ReturnType<typeof fakeChild>;

function fakeChild(answersTo: (message: ToReader) => boolean) {
  const listeners: ((message: unknown) => void)[] = [];
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>();
  const killed: string[] = [];
  return {
    exited,
    exit,
    killed,
    kill: (signal: string) => {
      killed.push(signal);
      exit(137);
    },
    onMessage: (listener: (message: unknown) => void) => void listeners.push(listener),
    send: (message: unknown) => {
      if (answersTo(message as ToReader)) for (const listener of listeners) listener({ reader: 'pong', isServing: true });
    },
  };
}

test('a reader that keeps ending is replaced for ever, at most every 30 s', async () => {
  const { spawned, pass, until, now, error } = open(1);
  for (let i = 0; i < 40; i++) {
    const began = now();
    spawned.at(-1)?.exit(1);
    await until(() => spawned.length === i + 2, 30_000);
    expect(now() - began).toBeLessThanOrEqual(30_000);
    expect(error()).toBe('a reading process ended with code 1');
  }
  await pass(1000);
  expect(error()).toBeUndefined();
});

test('after a minute of service a failure counts as the first', async () => {
  const { spawned, pass, until, now } = open(1);
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

test('a process that cannot be started is tried again', async () => {
  const { fake, spawned, pass, until, error } = open(1);
  fake.refusesStart = true;
  spawned[0]?.exit(1);
  await pass(5000);
  expect([spawned.length, error()]).toEqual([1, 'a reading process cannot be started: Error: no more processes']);
  fake.refusesStart = false;
  await until(() => spawned.length === 2, 30_000);
  await pass(1000);
  expect(error()).toBeUndefined();
});

test('a hung reader is noticed within 5 s, told, ended and replaced; the other one is left alone', async () => {
  const { readers, fake, spawned, pass, until, now, error, changes } = open(2);
  await pass(20_000);
  expect([error(), changes()]).toEqual([undefined, 2]);
  fake.answers = (index) => index !== 0;
  const began = now();
  await until(() => error() !== undefined);
  expect(now() - began).toBeLessThanOrEqual(5000);
  expect(now() - began).toBeGreaterThan(3000);
  expect(error()).toBe('a reading process has not answered for 4.5 s and was ended');
  await until(() => spawned.length === 3);
  await pass(1000);
  expect([spawned[0]?.killed, spawned[1]?.killed, error(), changes()]).toEqual([['SIGKILL'], [], undefined, 4]);
  expect(readers.check()).toMatchObject({ details: { wanted: 2, serving: 2, replaced: 1 } });
});

test('a start that hangs is given half a minute', async () => {
  const { fake, spawned, pass, error } = open(1);
  fake.answers = () => false;
  await pass(29_000);
  expect([spawned.length, error()]).toEqual([1, undefined]);
  fake.answers = (index) => index > 0;
  await pass(3000);
  expect([spawned[0]?.killed, spawned.length, error()]).toEqual([['SIGKILL'], 2, undefined]);
});

test('whoever stops replaces no one', async () => {
  const { readers, spawned, until } = open(1);
  spawned[0]?.exit(1);
  await readers.stop();
  await until(() => true);
  expect(spawned).toHaveLength(1);
});
