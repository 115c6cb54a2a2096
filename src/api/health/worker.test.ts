import { describe, expect, test } from 'bun:test';
import type { Outcome, Result } from '../../base/health/result.ts';
import { type CheckKind, createHealth } from './health.ts';
import { HealthError } from './worker.ts';

const startOfTime = 1_794_703_706_000_000_000n;

/** A fake clock that tests move, with its timers. */
function fakeTime() {
  let now = startOfTime;
  const due: { at: bigint; run: () => void }[] = [];
  return {
    now: () => now,
    pending: () => due.length,
    after(milliseconds: number, run: () => void) {
      const entry = { at: now + BigInt(milliseconds) * 1_000_000n, run };
      due.push(entry);
      return () => {
        if (due.includes(entry)) due.splice(due.indexOf(entry), 1);
      };
    },
    pass(nanos: bigint) {
      now += nanos;
    },
    /** Moves the clock forward and runs the timers that are due. */
    async advance(milliseconds: number) {
      now += BigInt(milliseconds) * 1_000_000n;
      for (const entry of due.filter((one) => one.at <= now)) {
        due.splice(due.indexOf(entry), 1);
        entry.run();
      }
      await settled();
    },
  };
}

/** Waits for the promises of checks, which settle within a few microtasks. */
const settled = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

function setUp() {
  const time = fakeTime();
  const changes: string[] = [];
  const health = createHealth({
    now: time.now,
    after: time.after,
    interval: 30_000,
    timeout: 10_000,
    onChange: (kind, name, result: Result) => changes.push(`${kind} ${name} ${result.error ?? 'passes'}`),
  });
  return { time, health, changes, result: (name: string) => health.report('health', []).checks[name] };
}

test('before the first round a check is "not yet run", exactly as in AvalancheGo', () => {
  const { health } = setUp();
  health.register('health', 'X', () => ({}));
  const report = health.report('health', []);
  expect(JSON.stringify(report)).toBe(
    '{"checks":{"X":{"error":"not yet run","timestamp":"0001-01-01T00:00:00Z","duration":0}},"healthy":false}',
  );
  expect(health.report('liveness', [])).toEqual({ checks: {}, healthy: true });
});

test('start resolves after the first round; keys are sorted and empty fields left out', async () => {
  const { health, time } = setUp();
  health.register('health', 'database', () => {
    time.pass(14_911n);
    return {};
  });
  health.register('health', 'bootstrapped', () => ({ details: [] }));
  await health.start();
  expect(JSON.stringify(health.report('health', []))).toBe(
    '{"checks":{"bootstrapped":{"message":[],"timestamp":"2026-11-15T00:48:26.000014911Z","duration":0},' +
      '"database":{"timestamp":"2026-11-15T00:48:26.000014911Z","duration":14911}},"healthy":true}',
  );
});

test('a failing check reports the number of failures and the time of the first, until it passes', async () => {
  const { health, time, result, changes } = setUp();
  let outcome: Outcome = { details: { availableDiskPercentage: 2 }, error: 'low' };
  health.register('health', 'diskspace', () => outcome);
  await health.start();
  expect(JSON.stringify(result('diskspace'))).toBe(
    '{"message":{"availableDiskPercentage":2},"error":"low","timestamp":"2026-11-15T00:48:26Z","duration":0,' +
      '"contiguousFailures":1,"timeOfFirstFailure":"2026-11-15T00:48:26Z"}',
  );
  await time.advance(30_000);
  await time.advance(30_000);
  expect(result('diskspace')).toMatchObject({
    contiguousFailures: 3,
    timestamp: '2026-11-15T00:49:26Z',
    timeOfFirstFailure: '2026-11-15T00:48:26Z',
  });
  outcome = {};
  await time.advance(30_000);
  expect(result('diskspace')).toEqual({ timestamp: '2026-11-15T00:49:56Z', duration: 0 });
  outcome = { error: 'again' };
  await time.advance(30_000);
  expect(result('diskspace')).toMatchObject({ contiguousFailures: 1, timeOfFirstFailure: '2026-11-15T00:50:26Z' });
  expect(changes).toEqual(['health diskspace passes', 'health diskspace again']);
});

test('a failing check runs again after a second and says why it fails now; its failures are counted in rounds', async () => {
  const { health, time, result, changes } = setUp();
  let outcome: Outcome = { details: { behind: 9 }, error: '9 blocks behind' };
  let runs = 0;
  health.register('health', 'X', () => {
    runs++;
    return outcome;
  });
  await health.start();
  for (let second = 0; second < 2; second++) await time.advance(1000);
  outcome = { details: { behind: 4 }, error: '4 blocks behind' };
  await time.advance(1000);
  expect(runs).toBe(4);
  expect(result('X')).toEqual({
    message: { behind: 4 },
    error: '4 blocks behind',
    timestamp: '2026-11-15T00:48:29Z',
    duration: 0,
    contiguousFailures: 1,
    timeOfFirstFailure: '2026-11-15T00:48:26Z',
  });
  outcome = { details: 'at the tip' };
  await time.advance(1000);
  expect(result('X')).toEqual({ message: 'at the tip', timestamp: '2026-11-15T00:48:30Z', duration: 0 });
  expect(changes).toEqual(['health X passes']);
  // A check that passes waits for the next round.
  await time.advance(1000);
  expect(runs).toBe(5);
  outcome = { error: 'behind' };
  await health.recheck('health', 'X');
  outcome = {};
  await time.advance(1000);
  expect(result('X')?.error).toBeUndefined();
  health.stop();
  expect(time.pending()).toBe(0);
});

test('a check that throws or rejects fails with its message; a system error is shown without the path', async () => {
  const { health, result } = setUp();
  const system = Object.assign(new Error("ENOENT: no such file or directory, statfs '/home/me'"), { code: 'ENOENT', syscall: 'statfs' });
  health.register('health', 'now', () => {
    throw new Error('attempt to write a readonly database');
  });
  health.register('health', 'later', () => Promise.reject(new Error('gone')));
  health.register('health', 'system', () => {
    throw system;
  });
  await health.start();
  expect(result('now')?.error).toBe('attempt to write a readonly database');
  expect(result('later')?.error).toBe('gone');
  expect(result('system')?.error).toBe('statfs: ENOENT');
});

test('a check that hangs fails after the timeout, does not delay others, and is not started twice', async () => {
  const { health, time, result } = setUp();
  let runs = 0;
  let release: (outcome: Outcome) => void = () => {};
  health.register('health', 'slow', () => {
    runs++;
    return new Promise((resolve) => {
      release = resolve;
    });
  });
  health.register('health', 'quick', () => ({}));
  let isStarted = false;
  const started = health.start().then(() => {
    isStarted = true;
  });
  await settled();
  expect(isStarted).toBe(false);
  expect(result('quick')?.error).toBeUndefined();
  await time.advance(10_000);
  await started;
  expect(result('slow')).toMatchObject({ error: 'check did not finish within 10s', duration: 10_000_000_000, contiguousFailures: 1 });
  await time.advance(30_000);
  await time.advance(10_000);
  expect(runs).toBe(1);
  expect(result('slow')).toMatchObject({ contiguousFailures: 2, duration: 50_000_000_000 });
  release({});
  await settled();
  await time.advance(30_000);
  expect(runs).toBe(2);
  release({ details: 'back' });
  await settled();
  expect(result('slow')).toMatchObject({ message: 'back' });
  expect(result('slow')?.error).toBeUndefined();
  expect(time.pending()).toBe(1);
});

test('recheck runs a single check between two rounds', async () => {
  const { health, result } = setUp();
  const runs = { mine: 0, other: 0 };
  let error: string | undefined;
  health.register('health', 'mine', () => ({ details: ++runs.mine, error }));
  health.register('health', 'other', () => ({ details: ++runs.other }));
  await health.start();
  error = 'test';
  await health.recheck('health', 'mine');
  await health.recheck('health', 'unknown');
  expect(result('mine')).toMatchObject({ message: 2, error: 'test', contiguousFailures: 1 });
  expect(runs).toEqual({ mine: 2, other: 1 });
});

test('a node that was ready stays ready: a readiness check that passed with details is not run again', async () => {
  const { health, time } = setUp();
  let outcome: Outcome = { details: ['P'], error: 'subnets not bootstrapped' };
  health.register('readiness', 'bootstrapped', () => outcome);
  health.register('health', 'bootstrapped', () => outcome);
  const healthy = (kind: CheckKind) => health.report(kind, []).healthy;
  await health.start();
  expect([healthy('readiness'), healthy('health')]).toEqual([false, false]);
  outcome = { details: [] };
  await time.advance(30_000);
  expect([healthy('readiness'), healthy('health')]).toEqual([true, true]);
  outcome = { details: ['P'], error: 'subnets not bootstrapped' };
  await time.advance(30_000);
  expect([healthy('readiness'), healthy('health')]).toEqual([true, false]);
});

test('a check registered between rounds runs in the next; after stop no check runs', async () => {
  const { health, time, result } = setUp();
  let runs = 0;
  await health.start();
  health.register('health', 'late', () => {
    runs++;
    return {};
  });
  expect(result('late')?.error).toBe('not yet run');
  await time.advance(30_000);
  expect([runs, result('late')?.error]).toEqual([1, undefined]);
  health.stop();
  await time.advance(300_000);
  expect([runs, time.pending()]).toEqual([1, 0]);
});

test('refresh runs the checks at once and does not change the rounds', async () => {
  const { health, time, result } = setUp();
  let error: string | undefined;
  let runs = 0;
  health.register('health', 'store', () => {
    runs++;
    return { error };
  });
  health.refresh();
  expect(runs).toBe(0);
  await health.start();
  error = 'disk full';
  health.refresh();
  await Promise.resolve();
  expect([result('store')?.error, runs, time.pending()]).toEqual(['disk full', 2, 1]);
  health.stop();
  health.refresh();
  expect([runs, time.pending()]).toEqual([2, 0]);
});

describe('tags', () => {
  const subnet = '11111111111111111111111111111111LpoYY';
  const { health } = setUp();
  health.register('health', 'X', () => ({}), [subnet]);
  health.register('health', 'other', () => ({}), ['theirs']);
  health.register('health', 'network', () => ({}), ['application']);
  const rows: readonly [readonly string[], string[]][] = [
    [[], ['X', 'network', 'other']],
    [['all'], ['X', 'network', 'other']],
    [
      ['nope', 'all'],
      ['X', 'network', 'other'],
    ],
    [[subnet], ['X', 'network']],
    [['nope'], ['network']],
    [[''], ['network']],
    [['application'], ['network']],
    [
      ['nope', subnet],
      ['X', 'network'],
    ],
    [
      ['theirs', subnet],
      ['X', 'network', 'other'],
    ],
  ];
  for (const [tags, names] of rows)
    test(`${JSON.stringify(tags)} selects ${names}`, () => expect(Object.keys(health.report('health', tags).checks)).toEqual(names));

  test('only the selected checks decide whether the report is healthy', async () => {
    const own = setUp();
    own.health.register('health', 'X', () => ({ error: 'no' }), [subnet]);
    own.health.register('health', 'network', () => ({}), ['application']);
    await own.health.start();
    expect(own.health.report('health', ['nope']).healthy).toBe(true);
    expect(own.health.report('health', [subnet]).healthy).toBe(false);
  });

  test('the tag "all" and a duplicate name are rejected', () => {
    const own = setUp().health;
    own.register('health', 'X', () => ({}));
    own.register('readiness', 'X', () => ({}));
    expect(() => own.register('health', 'X', () => ({}))).toThrow(
      new HealthError('duplicate check: "X"', { code: 'HEALTH_DUPLICATE_CHECK', name: 'X' }),
    );
    expect(() => own.register('health', 'Y', () => ({}), ['all'])).toThrow('restricted tag: "all"');
  });
});
