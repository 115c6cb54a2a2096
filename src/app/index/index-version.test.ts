import { expect, test } from 'bun:test';
import type { Sql } from '../../ledger/index/sql.ts';
import { noServedPosition } from '../database/served-position.ts';
import { watchIndexVersion } from './index-version.ts';

/** A database whose version the test sets, with the functions that its notifications and its timer call. */
function createWatch() {
  let tip = 0;
  let queries = 0;
  let tick = (): void => {};
  let listening = { onNotify: (_payload: string): void => {}, onLost: (): void => {} };
  const sql: Sql = { dialect: 'postgres', all: async () => [] };
  const after = (_: number, run: () => void) => {
    tick = run;
    return () => {};
  };
  let gate: Promise<void> | undefined;
  const query = async () => {
    queries++;
    const state = { version: { tip: `${tip}`, past: '0' }, position: { heights: [tip], revision: 0 }, writer: 1, server: 1 };
    await gate;
    return state;
  };
  const version = watchIndexVersion({
    hosts: {
      sql,
      select: async () => {},
      changes: () => 0,
      readsPrimary: () => true,
      primaryPosition: async () => ({ heights: [tip], revision: 0 }),
    },
    listen: (_, to) => {
      listening = to;
      return () => {};
    },
    query,
    timers: { after },
    now: () => 0,
    served: noServedPosition,
    floor: { heights: [0], revision: 0 },
  });
  return {
    version,
    /** The tip that a request sees, and how many queries that took. */
    read: async () => {
      const before = queries;
      const { tip: seen } = await version.read();
      return [seen, queries - before];
    },
    listening: () => listening,
    tick: () => tick(),
    setTip: (to: number) => {
      tip = to;
    },
    holdQueries: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return () => {
        gate = undefined;
        resolve();
      };
    },
  };
}

test('a version is read once per notification, and for every request while nothing notifies', async () => {
  const { read, listening, setTip } = createWatch();
  expect(await read()).toEqual(['0', 1]);
  expect(await read()).toEqual(['0', 1]);
  listening().onNotify('');
  expect(await read()).toEqual(['0', 1]);
  expect(await read()).toEqual(['0', 0]);
  setTip(1);
  listening().onNotify('');
  expect(await read()).toEqual(['1', 1]);
  expect(await read()).toEqual(['1', 0]);
  listening().onLost();
  expect(await read()).toEqual(['1', 1]);
  expect(await read()).toEqual(['1', 1]);
});

test('after any other read, whose result may be newer, the version is read again', async () => {
  const { version, read, listening, setTip } = createWatch();
  listening().onNotify('');
  await read();
  setTip(1);
  await version.sql.all('SELECT', []);
  expect(await read()).toEqual(['1', 1]);
});

test('a version whose read began before a notification is not used by later requests', async () => {
  const { read, listening, setTip, holdQueries } = createWatch();
  listening().onNotify('');
  const release = holdQueries();
  const early = read();
  await Promise.resolve();
  setTip(1);
  listening().onNotify('');
  release();
  await early;
  expect(await read()).toEqual(['1', 1]);
});

test('without a notification the version is read again every second, and listeners are called', async () => {
  const { version, read, listening, setTip, tick } = createWatch();
  let calls = 0;
  const end = version.onChange(() => calls++);
  listening().onNotify('');
  await read();
  setTip(1);
  tick();
  await Bun.sleep(0);
  expect(await read()).toEqual(['1', 0]);
  expect(calls).toBe(2);
  end();
  tick();
  expect(calls).toBe(2);
});
