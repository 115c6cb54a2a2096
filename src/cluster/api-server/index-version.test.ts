import { expect, test } from 'bun:test';
import type { PostgresError } from '../postgres/postgres-fault.ts';
import { createWatch, failing, ofCoordinator, selectTip } from './watched-version.fixture.ts';

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

test('the version is read with every group of queries; other requests use the known one until it has arrived', async () => {
  const watch = createWatch();
  watch.listening().onNotify('');
  await watch.read();
  watch.setTip(1);
  const before = watch.queries();
  const release = watch.holdQueries();
  const reading = watch.version.sql.group?.([
    { text: 'SELECT', values: [] },
    { text: failing, values: [] },
  ]);
  expect(await watch.read()).toEqual(['0', 0]);
  release();
  expect(await reading).toEqual([
    { status: 'fulfilled', value: ['SELECT'] },
    { status: 'rejected', reason: new RangeError(failing) },
  ]);
  expect(watch.queries() - before).toBe(1);
  expect(await watch.read()).toEqual(['1', 0]);
});

test('on Citus a read of several groups reads the state once, after all that workers have answered', async () => {
  const { readInTurn, version, setTip } = createWatch('citus');
  setTip(1);
  expect(await readInTurn('a', 'b', 'c')).toEqual({ rows: ['a', 'b', 'c'], states: 1, unchecked: 3 });
  expect(version.floor().heights).toEqual([1]);
  expect(await readInTurn('a', ofCoordinator)).toEqual({ rows: ['a', ofCoordinator], states: 1, unchecked: 1 });
  expect(await readInTurn(ofCoordinator, 'a')).toEqual({ rows: [ofCoordinator, 'a'], states: 2, unchecked: 1 });
  // Those that end while the state is read for another share the next read of it.
  const together = await Promise.all([readInTurn('a'), readInTurn('b', 'c'), readInTurn('d', 'e')]);
  expect(together.map(({ rows }) => rows)).toEqual([['a'], ['b', 'c'], ['d', 'e']]);
  expect(Math.max(...together.map(({ states }) => states))).toBe(2);
  expect(createWatch().version.sql.checkAtEnd).toBeUndefined();
});

test('on Citus a read runs again, with every group checked, if shards have moved meanwhile: also if it has failed', async () => {
  const { readInTurn, move } = createWatch('citus');
  await readInTurn('a');
  move();
  expect(await readInTurn('a', 'b')).toEqual({ rows: ['a', 'b'], states: 3, unchecked: 1 });
  expect(await readInTurn('a', 'b')).toEqual({ rows: ['a', 'b'], states: 1, unchecked: 2 });
  const watch = createWatch('citus');
  await expect(watch.version.sql.checkAtEnd?.(() => Promise.reject(new RangeError('of the read')))).rejects.toThrow('of the read');
});

test('a version that arrives after a newer one is neither known nor behind', async () => {
  const watch = createWatch();
  watch.listening().onNotify('');
  await watch.read();
  const release = watch.holdQueries();
  const early = watch.version.sql.all('SELECT', []);
  watch.setTip(1);
  watch.releaseLater();
  expect(await answer(watch)).toBe(true);
  release();
  await early;
  expect(await watch.read()).toEqual(['1', 0]);
  expect(watch.version.floor().heights).toEqual([1]);
});

test('nothing that was read is returned before it is recorded as served', async () => {
  const watch = createWatch();
  const record = watch.holdRecords();
  watch.setTip(1);
  let returned = 0;
  const reading = [1, 2].map(() => answer(watch).then(() => returned++));
  await Bun.sleep(5);
  expect([returned, watch.recorded]).toEqual([0, [1]]);
  record();
  await Promise.all(reading);
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

/** An answer that reads the database: whether it may be sent. */
async function answer({ version }: ReturnType<typeof createWatch>): Promise<boolean> {
  const before = version.consistency.changes();
  await version.sql.all('SELECT', []);
  return version.consistency.changes() === before;
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

test('an answer that was read on two servers is made again', async () => {
  const watch = createWatch();
  expect(await answer(watch)).toBe(true);
  watch.setServer(2);
  expect(await answer(watch)).toBe(false);
  expect(await answer(watch)).toBe(true);
});

test('a height that a caller brings is waited for on a replica, then read on the primary, and refused if nobody has it', async () => {
  const watch = createWatch();
  watch.setTip(5);
  await answer(watch);
  expect(await codeOf(watch.version.consistency.atLeast(5))).toBe('done');
  watch.readReplica(9);
  setTimeout(() => watch.setTip(6), 20);
  expect(await codeOf(watch.version.consistency.atLeast(6))).toBe('done');
  expect(watch.selected).toEqual([]);
  expect(await codeOf(watch.version.consistency.atLeast(8))).toBe('done');
  expect(watch.selected).toHaveLength(1);
  expect(watch.version.floor().heights).toEqual([9]);
  expect(await codeOf(watch.version.consistency.atLeast(10))).toBe('DATABASE_BEHIND');
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
  await watch.version.consistency.atLeast(6);
  expect(watch.version.recentTip(0)?.height).toBe(6);
  expect(await watch.read()).toEqual(['6', 0]);
});

test('a database that has less than was served answers what no later block changes, up to the height that it has', async () => {
  const { version, setTip, read } = createWatch();
  setTip(5);
  expect(await read()).toEqual(['5', 1]);
  setTip(3);
  const query = { text: selectTip, values: [] };
  await expect(version.sql.all(selectTip, [])).rejects.toMatchObject({ fault: { code: 'DATABASE_BEHIND' } });
  await version.consistency.settledAt(3);
  await expect(version.consistency.settledAt(4)).rejects.toMatchObject({ fault: { code: 'DATABASE_BEHIND' } });
  expect(await version.settledSql.group?.([query])).toEqual([{ status: 'fulfilled', value: [3] }]);
  expect(version.floor().heights).toEqual([5]);
  // What it has shown of later blocks counts as served.
  setTip(6);
  await version.settledSql.all(selectTip, []);
  expect(version.floor().heights).toEqual([6]);
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

test('what a replica below the floor has returned is read again when it has caught up', async () => {
  const watch = createWatch();
  watch.setTip(5);
  watch.readReplica(6);
  watch.setServedElsewhere(6);
  await watch.version.start();
  setTimeout(() => watch.setTip(6), 20);
  expect(await watch.version.sql.all<unknown>(selectTip, [])).toEqual([6]);
  expect(watch.selected).toEqual([]);
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
  expect(version.recentTip(0)?.height).toBe(0);
  setTip(1);
  await version.sql.all('SELECT', []);
  expect(version.recentTip(0)?.height).toBe(1);
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
