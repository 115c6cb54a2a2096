import { expect, test } from 'bun:test';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import { watchIndexStatus } from './index-status.ts';

/** An index that the test writes, and what a server sees of its writer on a virtual clock. `hasLease`: an indexer of an earlier version had none. */
function open({ hasLease = true } = {}) {
  const { timing, pass } = createVirtualTiming();
  const index = { renewedAt: 0, status: { state: 'live', at: Number(timing.unix()), behindSeconds: 0 } };
  let statements = 0;
  let answers = Promise.resolve();
  const all = async (text: string): Promise<unknown[]> => {
    statements++;
    await answers;
    if (text.includes('to_regclass')) return [{ name: hasLease ? 'index_lease' : null }];
    if (text.includes('index_lease')) return [{ held: true, age: timing.now() - index.renewedAt }];
    return [{ value: JSON.stringify(index.status) }];
  };
  const lines: string[] = [];
  const log = Object.assign((line: string) => void lines.push(line), { isShown: () => true });
  let fail = (_: unknown): void => {};
  const env = { clock: { monotonic: timing.now, unixSeconds: timing.unix }, timers: timing, log } as unknown as ClusterEnv;
  const watch = watchIndexStatus(
    {
      sql: { dialect: 'postgres', all },
      onFailed: (listener: typeof fail) => {
        fail = listener;
      },
    } as unknown as DatabaseHosts,
    env,
    'postgres://db/serac',
  );
  const renew = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      index.renewedAt = timing.now();
      await pass(1000);
    }
  };
  const writeStatus = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      index.status = { ...index.status, at: Number(timing.unix()) };
      await pass(1000);
    }
  };
  const verdict = () => [watch.status(), watch.isAway(), Math.floor(watch.dataAge.seconds()), watch.dataAge.problem()];
  return {
    ...{ index, pass, renew, writeStatus, verdict, lines },
    fail: (error: unknown) => fail(error),
    notReady: watch.dataAge.notReady,
    stop: watch.stop,
    statements: () => statements,
    /** Answers nothing until the function is called that it returns. */
    holdAnswers: () => {
      const held = Promise.withResolvers<void>();
      answers = held.promise;
      return held.resolve;
    },
  };
}

test('while nobody renews the lease, the data grows old, and the server is ready', async () => {
  const { pass, renew, verdict, notReady } = open();
  await renew(4);
  expect(verdict()).toEqual(['OK', false, 0, undefined]);
  await pass(20_000);
  const [status, isAway, age, problem] = verdict();
  expect([status, isAway, Number(age) >= 19, notReady()]).toEqual(['UNAVAILABLE', true, true, undefined]);
  expect(problem).toMatch(/^no serac index has written for (19|2\d) s; answers are as of then$/);
  await renew(4);
  expect(verdict()).toEqual(['OK', false, 0, undefined]);
});

test('a silence of a few seconds is usual, a longer one is the age of the data', async () => {
  const { pass, renew, verdict } = open();
  await renew(4);
  await pass(3000);
  expect(verdict()).toEqual(['OK', false, 0, undefined]);
  await pass(2000);
  expect(verdict()).toEqual(['OK', false, 6, undefined]);
});

test('of an indexer without a lease, or whose lease is not renewed, another status is a sign; an old one is as old as it says', async () => {
  for (const hasLease of [false, true]) {
    const { pass, writeStatus, verdict } = open({ hasLease });
    await writeStatus(30);
    expect(verdict()).toEqual(['OK', false, 0, undefined]);
    // A sign that was seen stays one.
    await pass(7000);
    expect(verdict().slice(0, 2)).toEqual(['OK', false]);
    await pass(6000);
    expect(verdict().slice(0, 2)).toEqual(['UNAVAILABLE', true]);
  }
  const { index, pass, verdict } = open({ hasLease: false });
  index.status.at -= 100;
  await pass(3000);
  expect(verdict()).toEqual(['UNAVAILABLE', true, 103, 'no serac index has written for 103 s; answers are as of then']);
});

test('a server that was stopped asks no more, and says nothing of statements that fail', async () => {
  for (const isAsking of [false, true]) {
    const { pass, renew, lines, fail, stop, statements, holdAnswers } = open();
    await renew(4);
    const answer = isAsking ? holdAnswers() : () => {};
    await pass(2000);
    stop();
    fail('refused');
    answer();
    await pass(1000);
    const before = statements();
    await pass(20_000);
    expect([statements(), lines]).toEqual([before, []]);
  }
});

test('an indexer that has just started does not know its node yet: it is neither at the tip nor away', async () => {
  const { index, renew, verdict } = open();
  index.status = { ...index.status, state: 'starting', behindSeconds: 3000 };
  await renew(4);
  expect(verdict()).toEqual(['UNAVAILABLE', false, 3000, undefined]);
});

test('a silent node makes the data old, and so does an indexer that is far behind it', async () => {
  const { index, renew, verdict } = open();
  index.status = { ...index.status, state: 'waiting', behindSeconds: 30 };
  await renew(4);
  expect(verdict()).toEqual(['UNAVAILABLE', true, 30, expect.stringContaining('does not answer')]);
  index.status = { ...index.status, state: 'catching-up', behindSeconds: 30 };
  await renew(4);
  expect(verdict()).toEqual(['OK', false, 30, 'serac index is 30 s behind the node that it follows']);
  index.status = { ...index.status, behindSeconds: 10 };
  await renew(4);
  expect(verdict()).toEqual(['OK', false, 10, undefined]);
});

test('statements that fail are one line, and so are ten seconds without a failure; then the next outage is a line again', async () => {
  const { lines, fail, renew } = open();
  const lost = 'PostgreSQL at db:5432/serac: refused; retrying';
  const regained = 'PostgreSQL at db:5432/serac answers again';
  for (const expected of [
    [lost, regained],
    [lost, regained, lost, regained],
  ]) {
    for (let second = 0; second < 6; second++) {
      fail('refused');
      await renew(3);
    }
    await renew(6);
    expect(lines).toEqual(expected.slice(0, -1));
    await renew(6);
    expect(lines).toEqual(expected);
  }
});
