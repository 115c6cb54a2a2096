import { expect, test } from 'bun:test';
import { idOf } from '../../base/bytes/id.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import type { ReadPosition } from '../database/read-position.ts';
import { PostgresError } from '../platform/postgres-fault.ts';
import { watchIndexVersion } from './index-version.ts';

/** A database whose version the test sets, with the functions that its notifications and its timer call. */
function createWatch() {
  let tip = 0;
  let server = 1;
  let changes = 0;
  let readsPrimary = true;
  /** What the primary has, if a replica is read, and another host that `select` finds. */
  let primaryTip: number | undefined;
  const selected: ReadPosition[] = [];
  const recorded: number[] = [];
  let servedElsewhere = 0;
  let queries = 0;
  let tick = (): void => {};
  let listening = { onNotify: (_payload: string): void => {}, onLost: (): void => {} };
  const sql: Sql = { dialect: 'postgres', all: async () => [] };
  // The timer of the watch is set last; a wait for a replica ends at once.
  const after = (milliseconds: number, run: () => void) => {
    if (milliseconds < 100) setTimeout(run, 1);
    else tick = run;
    return () => {};
  };
  let gate: Promise<void> | undefined;
  const query = async () => {
    queries++;
    const tips = [{ height: tip, id: idOf(Buffer.from(`${tip}`)), time: tip, lastTx: tip }];
    const state = { version: { tip: `${tip}`, past: '0' }, position: { heights: [tip], revision: 0 }, tips, writer: 1, server };
    await gate;
    return state;
  };
  const version = watchIndexVersion({
    hosts: {
      sql,
      select: async (wanted) => {
        selected.push(wanted);
        if (primaryTip === undefined) throw new PostgresError('behind', { code: 'DATABASE_BEHIND', reason: 'behind' });
        [tip, readsPrimary] = [primaryTip, true];
        changes++;
      },
      changes: () => changes,
      readsPrimary: () => readsPrimary,
      primaryPosition: async () => ({ heights: [primaryTip ?? tip], revision: 0 }),
    },
    listen: (_, to) => {
      listening = to;
      return () => {};
    },
    query,
    timers: { after },
    now: () => performance.now(),
    served: {
      record: async ({ heights }) => void recorded.push(heights[0] as number),
      share: async () => ({ heights: [servedElsewhere], revision: 0 }),
    },
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
    /** A replica is read from now on; the primary has this tip. */
    readReplica: (primaryHas: number) => {
      [readsPrimary, primaryTip] = [false, primaryHas];
    },
    setServer: (to: number) => {
      server = to;
    },
    setServedElsewhere: (height: number) => {
      servedElsewhere = height;
    },
    selected,
    recorded,
    queries: () => queries,
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

test('an answer that has read something newer is confirmed by one read of the version; other requests use the known one until then', async () => {
  const watch = createWatch();
  watch.listening().onNotify('');
  await watch.read();
  watch.setTip(1);
  const mark = watch.version.begin();
  await watch.version.sql.all('SELECT', []);
  expect(await watch.read()).toEqual(['0', 0]);
  const before = watch.queries();
  expect(await watch.version.confirm(mark)).toBe(true);
  expect(watch.queries() - before).toBe(1);
  expect(await watch.read()).toEqual(['1', 0]);
});

test('answers whose reads have ended share a read of the version, and one whose read ends later does not', async () => {
  const watch = createWatch();
  watch.listening().onNotify('');
  await watch.read();
  const marks = [1, 2, 3].map(() => watch.version.begin());
  await watch.version.sql.all('SELECT', []);
  const before = watch.queries();
  const release = watch.holdQueries();
  const confirming = Promise.all(marks.map(watch.version.confirm));
  await Bun.sleep(0);
  release();
  expect(await confirming).toEqual([true, true, true]);
  expect(watch.queries() - before).toBe(1);

  const early = watch.version.begin();
  await watch.version.sql.all('SELECT', []);
  const releaseEarly = watch.holdQueries();
  const confirmingEarly = watch.version.confirm(early);
  const late = watch.version.begin();
  await watch.version.sql.all('SELECT', []);
  const confirmingLate = watch.version.confirm(late);
  releaseEarly();
  expect(await Promise.all([confirmingEarly, confirmingLate])).toEqual([true, true]);
  expect(watch.queries() - before).toBe(3);
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

const codeOf = (work: Promise<unknown> | unknown): Promise<unknown> =>
  Promise.resolve(work).then(
    () => 'done',
    (error: PostgresError) => error.fault.code,
  );

/** An answer that reads the database, as far as it is confirmed. */
async function answer({ version }: ReturnType<typeof createWatch>): Promise<boolean> {
  const mark = version.begin();
  await version.sql.all('SELECT', []);
  return version.confirm(mark);
}

test('what an answer may show is recorded before it is sent, and a database that has less is refused until it has it again', async () => {
  const watch = createWatch();
  watch.setTip(7);
  expect(await answer(watch)).toBe(true);
  expect([watch.recorded, watch.version.floor().heights]).toEqual([[7], [7]]);
  watch.setTip(6);
  expect(await codeOf(answer(watch))).toBe('DATABASE_BEHIND');
  expect(await codeOf(watch.version.read())).toBe('DATABASE_BEHIND');
  watch.setTip(7);
  expect(await answer(watch)).toBe(true);
});

test('an answer without reads needs no query, and one that was read on two servers is made again', async () => {
  const watch = createWatch();
  await answer(watch);
  expect(await watch.version.confirm(watch.version.begin())).toBe(true);
  const mark = watch.version.begin();
  await watch.version.sql.all('SELECT', []);
  watch.setServer(2);
  expect(await watch.version.confirm(mark)).toBe(false);
  expect(watch.version.hasChanged(mark)).toBe(true);
  expect(await answer(watch)).toBe(true);
});

test('a height that a caller brings is waited for on a replica, then read on the primary, and refused if nobody has it', async () => {
  const watch = createWatch();
  watch.setTip(5);
  await answer(watch);
  expect(watch.version.atLeast(5)).toBeUndefined();
  watch.readReplica(9);
  setTimeout(() => watch.setTip(6), 20);
  expect(await codeOf(watch.version.atLeast(6))).toBe('done');
  expect(watch.selected).toEqual([]);
  expect(await codeOf(watch.version.atLeast(8))).toBe('done');
  expect(watch.selected).toHaveLength(1);
  expect(watch.version.floor().heights).toEqual([9]);
  expect(await codeOf(watch.version.atLeast(10))).toBe('DATABASE_BEHIND');
});

test('once a height was waited for, no answer uses the version or the last block that were known before', async () => {
  const watch = createWatch();
  watch.setTip(5);
  watch.listening().onNotify('');
  await watch.read();
  expect(watch.version.recentTip(0)?.height).toBe(5);
  // The primary has the next block, and its notification has not arrived yet.
  watch.readReplica(6);
  setTimeout(() => watch.setTip(6), 20);
  await watch.version.atLeast(6);
  expect(watch.version.recentTip(0)).toBeUndefined();
  expect(await watch.read()).toEqual(['6', 1]);
  expect(await watch.read()).toEqual(['6', 0]);
  expect(watch.version.recentTip(0)?.height).toBe(6);
});

test('what another process has served is a floor here too', async () => {
  const watch = createWatch();
  watch.setTip(5);
  watch.setServedElsewhere(6);
  await watch.version.start();
  expect(await codeOf(watch.version.read())).toBe('DATABASE_BEHIND');
  watch.setTip(6);
  expect(await codeOf(watch.version.read())).toBe('done');
});

test('a version that a replica has is not known before it has what the primary notified', async () => {
  const watch = createWatch();
  watch.setTip(1);
  watch.readReplica(2);
  let calls = 0;
  watch.version.onChange(() => calls++);
  watch.listening().onNotify('');
  expect(await watch.read()).toEqual(['1', expect.any(Number)]);
  expect(calls).toBe(0);
  watch.setTip(2);
  while (calls === 0) await Bun.sleep(5);
  expect(await watch.read()).toEqual(['2', 1]);
  expect(await watch.read()).toEqual(['2', 0]);
});

test('the last block is known from a read of the version until something is announced, also after other reads', async () => {
  const { version, read, listening, setTip, setServer } = createWatch();
  await read();
  expect(version.recentTip(0)).toBeUndefined();
  listening().onNotify('');
  await read();
  setTip(1);
  await version.sql.all('SELECT', []);
  expect(version.recentTip(0)?.height).toBe(0);
  listening().onNotify('');
  expect(version.recentTip(0)).toBeUndefined();
  await read();
  expect(version.recentTip(0)?.height).toBe(1);
  listening().onLost();
  expect(version.recentTip(0)).toBeUndefined();
  listening().onNotify('');
  await read();
  expect(version.recentTip(0)?.height).toBe(1);
  setServer(2);
  await version.sql.all('SELECT', []);
  await read();
  expect(version.recentTip(0)?.height).toBe(1);
});

test('a last block that was read before a notification is not used after it', async () => {
  const { version, read, listening, setTip, holdQueries } = createWatch();
  listening().onNotify('');
  const release = holdQueries();
  const reading = read();
  setTip(1);
  listening().onNotify('');
  release();
  await reading;
  expect(version.recentTip(0)).toBeUndefined();
});
