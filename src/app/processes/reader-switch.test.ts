import { expect, test } from 'bun:test';
import type { ReaderProcess } from '../platform/node-processes.ts';
import { createReaderSwitch } from './reader-switch.ts';
import type { RelayTimers } from './relay.ts';
import type { MessageFromWriter, MessageToWriter } from './writer-messages.ts';

/** A switch whose readers are recorded, and what its writer is told. */
function open() {
  const readers: {
    readonly pid: number;
    readonly log: unknown[];
    readonly say: (message: unknown) => void;
    readonly exit: (code: number) => void;
  }[] = [];
  const state = { fails: false };
  const spawnReader = (): ReaderProcess => {
    if (state.fails) throw new Error('no process');
    const log: unknown[] = [];
    const exited = Promise.withResolvers<number>();
    let listener = (_: unknown): void => {};
    const pid = 100 + readers.length;
    readers.push({ pid, log, say: (message) => listener(message), exit: exited.resolve });
    return {
      pid,
      exited: exited.promise,
      send: (message: unknown) => void log.push(message),
      kill: (signal: string) => {
        log.push(signal);
        if (signal === 'SIGKILL') exited.resolve(137);
      },
      onMessage: (next: (message: unknown) => void) => {
        listener = next;
      },
    } as unknown as ReaderProcess;
  };
  const after = (_: number, run: () => void) => {
    queueMicrotask(run);
    return () => {};
  };
  const timers = { after } as unknown as RelayTimers;
  const readerSwitch = createReaderSwitch({ spawnReader, timers });
  const connect = () => {
    const told: MessageToWriter[] = [];
    const receive = readerSwitch.connect({ send: (message) => void told.push(message as unknown as MessageToWriter) });
    return { told, receive: (message: object) => receive(message as unknown as MessageFromWriter) };
  };
  return { ...readerSwitch, connectWriter: connect, readers, state };
}

test('a writer takes readers by number; messages go between them', async () => {
  const { connectWriter, readers, sendToAll } = open();
  const { told, receive } = connectWriter();
  receive({ writer: 'takeReader', reader: 1 });
  receive({ writer: 'takeReader', reader: 2 });
  expect(told.splice(0) as unknown[]).toEqual([
    { writer: 'readerTaken', reader: 1, pid: 100 },
    { writer: 'readerTaken', reader: 2, pid: 101 },
  ]);
  receive({ writer: 'toReader', reader: 2, message: 'hello' });
  receive({ writer: 'toReader', reader: 9, message: 'nobody' });
  receive({ writer: 'killReader', reader: 1, signal: 'SIGTERM' });
  readers[1]?.say('answer');
  sendToAll('all' as never);
  expect(readers.map(({ log }) => log)).toEqual([
    ['SIGTERM', 'all'],
    ['hello', 'all'],
  ]);
  expect(told.splice(0) as unknown[]).toEqual([{ writer: 'fromReader', reader: 2, message: 'answer' }]);
  readers[0]?.exit(3);
  await Promise.resolve();
  await Promise.resolve();
  expect(told as unknown[]).toEqual([{ writer: 'readerExited', reader: 1, code: 3 }]);
});

test('the readers of a writer that is gone wait for the next one, which takes them before new ones start', async () => {
  const { connectWriter, disconnect, readers, state } = open();
  const first = connectWriter();
  first.receive({ writer: 'takeReader', reader: 1 });
  disconnect();
  first.told.length = 0;
  // Nobody is told while there is no writer, nor of a reader that no writer has taken.
  readers[0]?.say('lost');
  const second = connectWriter();
  readers[0]?.say('not taken');
  expect([first.told, second.told]).toEqual([[], []]);
  second.receive({ writer: 'takeReader', reader: 7 });
  expect([readers.length, second.told.splice(0) as unknown[]]).toEqual([1, [{ writer: 'readerTaken', reader: 7, pid: 100 }]]);
  readers[0]?.say('again');
  expect(second.told.splice(0) as unknown[]).toEqual([{ writer: 'fromReader', reader: 7, message: 'again' }]);
  second.receive({ writer: 'takeReader', reader: 8 });
  expect(readers).toHaveLength(2);
  disconnect();
  readers[1]?.exit(0);
  await Promise.resolve();
  await Promise.resolve();
  const third = connectWriter();
  third.receive({ writer: 'takeReader', reader: 1 });
  third.receive({ writer: 'takeReader', reader: 2 });
  expect([readers.length, third.told.map((one) => (one as { pid?: number }).pid)]).toEqual([3, [100, 102]]);
  state.fails = true;
  third.receive({ writer: 'takeReader', reader: 3 });
  expect(third.told.at(-1) as unknown).toEqual({ writer: 'readerExited', reader: 3, code: 1 });
});

test('all readers are stopped at the end', async () => {
  const { connectWriter, readers, stop } = open();
  const { receive } = connectWriter();
  for (const reader of [1, 2]) receive({ writer: 'takeReader', reader });
  await stop(10);
  expect(readers.every(({ log }) => log.length > 0)).toBe(true);
});
