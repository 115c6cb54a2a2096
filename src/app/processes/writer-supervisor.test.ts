import { expect, test } from 'bun:test';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import type { ProcessActivity, WriterStart } from '../platform/node-processes.ts';
import type { MessageToReader } from './messages.ts';
import type { MessageFromWriter, MessageToWriter } from './writer-messages.ts';
import { superviseWriter } from './writer-supervisor.ts';

/** Supervises fake processes that only exchange messages, in virtual time. */
function startFakes() {
  const { timing, until, pass } = createVirtualTiming();
  const writers: (ReturnType<typeof fakeProcess<MessageFromWriter, MessageToWriter>> & { readonly start: WriterStart })[] = [];
  const readers: ReturnType<typeof fakeProcess<unknown, MessageToReader>>[] = [];
  const log: string[] = [];
  const ended: number[] = [];
  const fake = { answersPing: true, readersStop: true, activity: (): ProcessActivity | undefined => undefined };
  const env = {
    spawnWriter: (start: WriterStart) => {
      const child = fakeProcess<MessageFromWriter, MessageToWriter>((message) => {
        if (message.writer === 'ping' && fake.answersPing) child.receive({ writer: 'pong' });
      });
      writers.push({ ...child, start });
      return { ...child, activity: () => fake.activity() };
    },
    spawnReader: () => {
      const child = fakeProcess<unknown, MessageToReader>((message) => {
        if (message.reader === 'stop' && fake.readersStop) child.exit(0);
      });
      readers.push(child);
      return child;
    },
    timers: timing,
    clock: { monotonic: timing.now },
    random: () => new Uint8Array(4),
    log: (line: string) => void log.push(line),
  };
  const { stop } = superviseWriter(env, 10_000, (code) => void ended.push(code));
  return { writers, readers, log, ended, fake, stop, until, pass, now: timing.now };
}

function fakeProcess<Sent, Received>(onReceived: (message: Received) => void) {
  const listeners: ((message: unknown) => void)[] = [];
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>();
  const received: Received[] = [];
  const signals: string[] = [];
  return {
    exited,
    exit,
    received,
    signals,
    receive: (message: Sent) => {
      for (const listener of listeners) listener(message);
    },
    kill: (signal: string) => {
      signals.push(signal);
      if (signal === 'SIGKILL') exit(137);
    },
    onMessage: (listener: (message: unknown) => void) => void listeners.push(listener),
    send: (message: unknown) => {
      received.push(message as Received);
      onReceived(message as Received);
    },
  };
}

test('a crashed writer is restarted with its port; its readers outlive it and get the next one', async () => {
  const { writers, readers, until, pass, log } = startFakes();
  writers[0]?.receive({ writer: 'takeReader', reader: 1 });
  writers[0]?.receive({ writer: 'ready', port: 4000 });
  writers[0]?.receive({ writer: 'toReader', reader: 1, message: { reader: 'ping' } });
  expect(readers[0]?.received).toEqual([{ reader: 'ping' }]);
  writers[0]?.exit(137);
  await until(() => writers.length === 2);
  expect(writers[1]?.start).toEqual({ port: 4000, restarts: 1, reason: 'the writer process exited with code 137' });
  await pass(1000);
  expect(readers[0]?.received.filter(({ reader }) => reader === 'writerGone').length).toBeGreaterThan(1);
  // The second writer gives its readers numbers of its own.
  writers[1]?.receive({ writer: 'takeReader', reader: 7 });
  writers[1]?.receive({ writer: 'ready', port: 4000 });
  readers[0]?.receive('hello');
  expect(writers[1]?.received).toContainEqual({ writer: 'fromReader', reader: 7, message: 'hello' });
  const told = readers[0]?.received.length;
  await pass(5000);
  expect([readers.length, readers[0]?.received.length]).toEqual([1, told]);
  expect(log[1]).toContain('serves again');
});

test('a hung writer is reported to the readers after 4.5 s, and killed and restarted after 15 s', async () => {
  const { writers, readers, fake, pass, until } = startFakes();
  writers[0]?.receive({ writer: 'takeReader', reader: 1 });
  writers[0]?.receive({ writer: 'ready', port: 4000 });
  await pass(20_000);
  expect(writers[0]?.signals).toEqual([]);
  fake.answersPing = false;
  await pass(6000);
  expect(readers[0]?.received).toContainEqual({ reader: 'writerGone' });
  expect(writers[0]?.signals).toEqual([]);
  await until(() => writers.length === 2, 12_000);
  expect(writers[0]?.signals).toEqual(['SIGKILL']);
  expect(writers[1]?.start.reason).toBe('the writer process has not answered for 15 s and was killed');
});

test('a writer that does nothing at all is killed and restarted within 1.5 s; one that is slow is not, nor one that starts', async () => {
  const { writers, fake, pass, until, now } = startFakes();
  fake.activity = () => ({ cpuTime: 7, cpuWait: 3, isBusy: false });
  fake.answersPing = false;
  await pass(60_000);
  expect(writers[0]?.signals).toEqual([]);
  writers[0]?.receive({ writer: 'ready', port: 4000 });
  fake.activity = () => ({ cpuTime: now(), cpuWait: 3, isBusy: true });
  await pass(10_000);
  expect(writers[0]?.signals).toEqual([]);
  fake.activity = () => ({ cpuTime: 7, cpuWait: 3, isBusy: false });
  const began = now();
  await until(() => writers[0]?.signals.length === 1, 10_000);
  expect(now() - began).toBeLessThanOrEqual(1500);
  await until(() => writers.length === 2, 10_000);
  expect(writers[1]?.start.reason).toBe('the writer process has not answered for 1 s and was killed');
});

test('after five restarts in a row the node ends with the exit code of the writer, and its readers too', async () => {
  const { writers, readers, ended, until, log } = startFakes();
  writers[0]?.receive({ writer: 'takeReader', reader: 1 });
  writers[0]?.receive({ writer: 'ready', port: 4000 });
  for (let i = 0; i < 5; i++) {
    writers[i]?.exit(3);
    await until(() => writers.length === i + 2, 10_000);
  }
  writers[5]?.exit(3);
  await until(() => ended.length > 0, 10_000);
  expect(ended).toEqual([3]);
  expect(log.at(-1)).toBe(
    'the writer process exited with code 3; giving up: it served for less than 60 s after each of 5 restarts; the log has the reason of each; remove the cause and start the node again',
  );
  expect(await readers[0]?.exited).toBe(0);
});

test('a writer that serves a while and then hangs, again and again, is given up', async () => {
  const { writers, fake, ended, until, pass, log } = startFakes();
  for (let i = 0; i < 6; i++) {
    fake.answersPing = true;
    await until(() => writers.length === i + 1, 10_000);
    writers[i]?.receive({ writer: 'ready', port: 4000 });
    await pass(50_000);
    fake.answersPing = false;
    await until(() => writers[i]?.signals.length === 1, 20_000);
  }
  await until(() => ended.length > 0, 10_000);
  expect([ended, writers.length]).toEqual([[137], 6]);
  expect(log.at(-1)).toContain('the writer process has not answered for 15 s and was killed; giving up');
});

test('restarts that hang before the writer serves are given up; each may be silent for twice as long as the one before', async () => {
  const { writers, fake, ended, until, now } = startFakes();
  writers[0]?.receive({ writer: 'ready', port: 4000 });
  fake.answersPing = false;
  const silences: number[] = [];
  for (let i = 0; i < 6; i++) {
    await until(() => writers.length === i + 1, 10_000);
    const began = now();
    await until(() => writers[i]?.signals.length === 1, 3_600_000);
    silences.push((now() - began) / 1000);
  }
  expect(silences).toEqual([15, 120, 240, 480, 960, 1920]);
  await until(() => ended.length > 0, 10_000);
  expect([ended, writers.length]).toEqual([[137], 6]);
});

test('a restart that reports progress may take any time, as a first start may', async () => {
  const { writers, fake, ended, until, pass } = startFakes();
  fake.answersPing = false;
  await pass(7_200_000);
  writers[0]?.receive({ writer: 'ready', port: 4000 });
  writers[0]?.exit(1);
  await until(() => writers.length === 2);
  for (let i = 0; i < 120; i++) {
    await pass(60_000);
    writers[1]?.receive({ writer: 'pong' });
  }
  expect([ended, writers.length, writers[1]?.signals]).toEqual([[], 2, []]);
});

test('restarts after a minute of service each go on for ever', async () => {
  const { writers, ended, until, pass } = startFakes();
  writers[0]?.receive({ writer: 'ready', port: 4000 });
  for (let i = 0; i < 12; i++) {
    await pass(61_000);
    writers[i]?.exit(137);
    await until(() => writers.length === i + 2, 10_000);
    writers[i + 1]?.receive({ writer: 'ready', port: 4000 });
  }
  expect(ended).toEqual([]);
});

test('a first start that fails, and a writer that stops by itself, end the node', async () => {
  for (const [isReady, code] of [
    [false, 2],
    [true, 0],
  ] as const) {
    const { writers, ended, until } = startFakes();
    if (isReady) writers[0]?.receive({ writer: 'ready', port: 1 });
    writers[0]?.exit(code);
    await until(() => ended.length > 0);
    expect([ended, writers.length]).toEqual([[code], 1]);
  }
});

test('a stop is passed to the writer; between two writers it ends the node', async () => {
  const { writers, ended, until, stop, pass } = startFakes();
  writers[0]?.receive({ writer: 'ready', port: 1 });
  stop();
  expect(writers[0]?.signals).toEqual(['SIGTERM']);
  writers[0]?.exit(137);
  await until(() => ended.length > 0);
  expect(ended).toEqual([137]);
  const other = startFakes();
  other.writers[0]?.receive({ writer: 'ready', port: 1 });
  other.writers[0]?.exit(137);
  await other.until(() => other.log.length > 0);
  other.stop();
  await other.until(() => other.ended.length > 0);
  await pass(10_000);
  await other.pass(10_000);
  expect([other.ended, other.writers.length]).toEqual([[0], 1]);
});

test('readers that finish their requests without a writer get the time for it, and hear from the supervisor', async () => {
  const { writers, readers, ended, fake, until, stop, pass, log } = startFakes();
  fake.readersStop = false;
  writers[0]?.receive({ writer: 'takeReader', reader: 1 });
  writers[0]?.receive({ writer: 'ready', port: 1 });
  writers[0]?.exit(137);
  await until(() => log.length > 0);
  stop();
  await pass(9500);
  expect([ended, readers[0]?.signals]).toEqual([[], []]);
  // A second signal changes nothing.
  stop();
  const told = () => readers[0]?.received.filter(({ reader }) => reader === 'writerGone').length ?? 0;
  expect(told()).toBeGreaterThan(15);
  await until(() => ended.length > 0, 3000);
  expect([ended, readers[0]?.signals]).toEqual([[0], ['SIGKILL']]);
  const after = told();
  await pass(5000);
  expect([told(), ended]).toEqual([after, [0]]);
});

test('a writer that is told twice to stop ends its readers soon too', async () => {
  const { writers, readers, ended, fake, stop, pass } = startFakes();
  fake.readersStop = false;
  writers[0]?.receive({ writer: 'takeReader', reader: 1 });
  writers[0]?.receive({ writer: 'ready', port: 1 });
  stop();
  writers[0]?.exit(1);
  await pass(500);
  expect([ended, readers[0]?.signals]).toEqual([[1], ['SIGKILL']]);
});
