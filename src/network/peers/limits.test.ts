import { describe, expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { stakesOf } from '../protocol/validators.ts';
import { createConnectionLimits } from './admission.ts';
import { type ByteGrant, createByteBudget } from './byte-budget.ts';
import { createCpuShares, createHandlingSlices, sliceMilliseconds } from './cpu-share.ts';
import { createBlsChecks } from './peer-limits.ts';
import { createUnreadBytes, maxFullTime, maxUnreadBytes } from './read-gate.ts';
import { bandwidthWithoutStake, createSharedBandwidth } from './shared-bandwidth.ts';
import { createTokenBucket } from './timing.ts';

const node = (byte: string) => byte.repeat(20) as NodeId;
const [a, b, c] = [node('0a'), node('0b'), node('0c')];
const nobody = stakesOf(() => new Map());

test('a token bucket allows a burst, then its rate; reservations are paid back', () => {
  const bucket = createTokenBucket(512, 2048, 0);
  expect([bucket.reserve(2048, 0), bucket.reserve(512, 0), bucket.reserve(512, 0)]).toEqual([0, 1000, 2000]);
  expect(bucket.take(1, 2000)).toBe(false);
  expect([bucket.take(512, 3000), bucket.take(1, 3000)]).toEqual([true, false]);
});

describe('byte budget', () => {
  const limits = { atLarge: 100, nodeAtLarge: 60, validators: 100 };
  test('a node without stake gets its part of what all share', () => {
    const budget = createByteBudget(limits, nobody);
    const first = budget.take(a, 60);
    expect([first === undefined, budget.take(a, 1), budget.remaining().atLarge]).toEqual([false, undefined, 40]);
    expect(budget.take(b, 41)).toBeUndefined();
    first?.release();
    first?.release();
    expect([budget.remaining().atLarge, budget.granted()]).toEqual([100, 0]);
  });
  test('validators have a further part by stake', () => {
    const budget = createByteBudget(
      limits,
      stakesOf(
        () =>
          new Map([
            [a, 3n],
            [b, 1n],
          ]),
      ),
    );
    expect(budget.take(a, 60 + 75)).toBeDefined();
    expect(budget.take(a, 1)).toBeUndefined();
    expect(budget.take(b, 40 + 25)).toBeDefined();
    expect(budget.remaining()).toEqual({ atLarge: 0, validators: 0 });
  });
  test('who waits for its own bytes stops nobody', () => {
    const budget = createByteBudget(limits, nobody);
    const held = budget.take(a, 60) as ByteGrant;
    const served: string[] = [];
    budget.wait(a, 30, () => void served.push('a'));
    const other = budget.take(b, 40);
    expect(other).toBeDefined();
    other?.release();
    expect(served).toEqual([]);
    held.release();
    expect(served).toEqual(['a']);
  });
  test('who waits is served in order, and nobody passes it except by own stake', () => {
    const budget = createByteBudget(
      limits,
      stakesOf(() => new Map([[c, 1n]])),
    );
    const held = [budget.take(a, 60), budget.take(b, 40)] as ByteGrant[];
    const served: string[] = [];
    budget.wait(node('01'), 50, () => void served.push('first'));
    const giveUp = budget.wait(node('02'), 10, () => void served.push('second'));
    held[1]?.release();
    expect(served).toEqual([]);
    expect([budget.take(node('03'), 1), budget.take(c, 30) !== undefined]).toEqual([undefined, true]);
    giveUp();
    held[0]?.release();
    expect([served, budget.waiting()]).toEqual([['first'], 0]);
  });
});

describe('shares of the CPU', () => {
  const limits = { validators: 1, others: 0.8, otherNode: 0.125, halfLife: 15_000, recheckDelay: 5000 };
  /** The CPU time of a process that takes more than its messages. */
  const busy = () => {
    let used = 0;
    return () => (used += 1e6);
  };
  /** Adds a share of the time from 0 to 60 s, in steps of 100 ms. */
  const use = (shares: ReturnType<typeof createCpuShares>, of: NodeId, share: number) => {
    for (let now = 100; now <= 60_000; now += 100) {
      shares.add(of, 100 * share, now);
      shares.cpuUsage(now);
    }
  };
  test('a node above an eighth waits, one below does not', () => {
    const shares = createCpuShares(limits, nobody, 0, busy());
    use(shares, a, 0.1);
    expect([shares.delay(a, 60_000), shares.delay(b, 60_000)]).toEqual([0, 0]);
    use(shares, b, 0.5);
    expect(shares.delay(b, 60_000)).toBe(5000);
    expect(shares.delay(b, 120_000)).toBe(0);
  });
  test('a validator may use its stake beside that', () => {
    const shares = createCpuShares(
      limits,
      stakesOf(
        () =>
          new Map([
            [a, 1n],
            [b, 1n],
          ]),
      ),
      0,
      busy(),
    );
    use(shares, a, 0.5);
    expect(shares.delay(a, 60_000)).toBe(0);
    use(shares, a, 0.9);
    expect(shares.delay(a, 60_000)).toBeGreaterThan(0);
  });
  test('time in which the process did not run counts for nobody', () => {
    let now = 0;
    const stakes = stakesOf(() => new Map(['0a', '0b', '0c', '0d', '0e'].map((byte) => [node(byte), 1n])));
    // Of each second messages take 0.9, but the process gets a tenth of a core: other programs run.
    const shares = createCpuShares(limits, stakes, 0, () => now / 10);
    const flooding = node('ff');
    for (; now <= 60_000; now += 100) {
      shares.add(a, 40, now);
      shares.add(flooding, 50, now);
      expect([shares.delay(a, now), shares.delay(flooding, now)]).toEqual([0, 0]);
    }
    expect(shares.total(60_000)).toBeGreaterThan(0.8);
    expect(shares.cpuUsage(60_000)).toBeLessThan(0.11);
  });
  test('many short messages count like a long one', () => {
    const shares = createCpuShares(limits, nobody, 0, busy());
    for (let now = 0; now < 30_000; now++) {
      shares.add(a, 0.5, now);
      shares.cpuUsage(now);
    }
    expect(shares.delay(a, 30_000)).toBeGreaterThan(0);
  });
  test('unused meters are forgotten', () => {
    const shares = createCpuShares(limits, nobody, 0, busy());
    for (let i = 0; i < 1000; i++) shares.add(`${i}`.padStart(40, '0') as NodeId, 1, i);
    shares.add(a, 1, 10 * 60_000);
    expect(shares.count()).toBe(1);
  });
});

describe('slices', () => {
  test('peers without stake are handled one after the other for half of the time, one with stake at once', () => {
    const slices = createHandlingSlices(
      stakesOf(() => new Map([[a, 1n]])),
      0,
    );
    const delays = Array.from({ length: 150 }, (_, i) => slices.begin(node((i + 32).toString(16)), 0));
    expect(delays.slice(0, 4)).toEqual([0, 0, 0, 0]);
    expect(delays.slice(4).every((delay, i) => delay === 2 * sliceMilliseconds * (i + 1))).toBe(true);
    expect(slices.begin(a, 0)).toBe(0);
  });
  test('unused time and slices that never began are given back', () => {
    const slices = createHandlingSlices(nobody, 0);
    for (let i = 0; i < 1000; i++) {
      expect(slices.begin(b, 0)).toBe(0);
      slices.end(b, 0, 0);
    }
  });
});

test('BLS signatures of validators are checked first, and have room when others fill theirs', async () => {
  const checked: (string | undefined)[] = [];
  const runs: (() => void)[] = [];
  const checks = createBlsChecks(
    {
      isSignature: async (signature) => void checked.push(signature[0] === 1 ? 'validator' : 'other') === undefined,
      verify: async () => true,
    },
    {
      now: () => 0,
      after: (_, run) => {
        runs.push(run);
        return () => {};
      },
    },
  );
  const message = new Uint8Array(0);
  const others = Array.from({ length: 400 }, () => checks.check({ publicKey: undefined, message, signature: Uint8Array.of(0) }));
  const validator = checks.check({ publicKey: message, message, signature: Uint8Array.of(1) });
  while (checked.length < 258) {
    await Promise.resolve();
    runs.shift()?.();
  }
  expect([await validator, await others[399]]).toEqual([true, undefined]);
  expect(checked.indexOf('validator')).toBe(1);
});

test('inbound connections: a rate for all, one per address and cooldown, loopback exempt', () => {
  const limits = createConnectionLimits({ perSecond: 4, cooldown: 10_000 }, 0);
  expect(['1.1.1.1', '1.1.1.1', '2.2.2.2'].map((ip) => limits.mayConnect(ip, 0))).toEqual([true, false, true]);
  expect(['127.0.0.1', '127.0.0.1', '::1'].map((ip) => limits.mayConnect(ip, 0))).toEqual([true, true, false]);
  expect([limits.mayConnect('1.1.1.1', 9999), limits.mayConnect('1.1.1.1', 10_000)]).toEqual([false, true]);
  expect([limits.allowed(), limits.rejected()]).toEqual([5, 3]);
});

describe('bandwidth of all peers without stake', () => {
  test('however many they are, they get so many bytes per second together; one with stake does not wait', async () => {
    const { timing, pass } = createVirtualTiming();
    const shared = createSharedBandwidth(
      stakesOf(() => new Map([[a, 1n]])),
      timing,
    );
    const size = 200_000;
    let taken = 0;
    for (let i = 0; i < 150; i++) {
      const account = shared.open(node((i + 32).toString(16)));
      const next = (): void => {
        taken += size;
        if (account.take(size)) next();
        else account.wait(size, next);
      };
      next();
    }
    taken -= 150 * size;
    expect(shared.waiting()).toBe(150);
    await pass(10_000);
    const { perSecond, burst } = bandwidthWithoutStake;
    expect(taken).toBeGreaterThan(9 * perSecond);
    expect(taken).toBeLessThan(burst + 10 * perSecond + 2 * size);
    expect(shared.open(a).take(2_000_000)).toBe(true);
  });
  test('a peer that sends little is next, before those that send much', async () => {
    const { timing, pass } = createVirtualTiming();
    const shared = createSharedBandwidth(nobody, timing);
    const order: string[] = [];
    const flooding = Array.from({ length: 20 }, (_, i) => shared.open(node((i + 32).toString(16))));
    for (const account of flooding) expect(account.take(500_000) || account.wait(500_000, () => void order.push('flood'))).toBeTruthy();
    for (const account of flooding) account.wait(500_000, () => void order.push('flood'));
    shared.open(b).wait(100, () => void order.push('small'));
    await pass(3000);
    expect(order.indexOf('small')).toBeLessThan(5);
    expect(order.length).toBeGreaterThan(10);
  });
  test('what is given up or given back leaves room', async () => {
    const { timing, pass } = createVirtualTiming();
    const shared = createSharedBandwidth(nobody, timing);
    const account = shared.open(b);
    expect([account.take(bandwidthWithoutStake.burst), account.take(1)]).toEqual([true, false]);
    account.wait(1_000_000, () => expect.unreachable())();
    await pass(1000);
    account.charge(bandwidthWithoutStake.burst);
    expect(account.take(1)).toBe(false);
    account.charge(-bandwidthWithoutStake.burst);
    expect(account.take(1)).toBe(true);
  });
});

describe('unread bytes', () => {
  const open = () => {
    const { timing, pass } = createVirtualTiming();
    const unread = createUnreadBytes(
      stakesOf(() => new Map([[a, 1n]])),
      timing,
    );
    const evicted: number[] = [];
    const meters = Array.from({ length: 150 }, (_, i) =>
      unread.open(node((i + 32).toString(16)), {
        changed: () => {},
        evicted: () => {
          evicted.push(i);
          meters[i]?.close();
        },
      }),
    );
    const changes: boolean[] = [];
    const idle = unread.open(b, { changed: () => void changes.push(idle.isHeldBack()), evicted: () => expect.unreachable() });
    return { unread, meters, evicted, idle, changes, pass };
  };
  test('above the limit nothing more of peers without stake is read, until a half of it is', () => {
    const { unread, meters, idle, changes } = open();
    const staker = unread.open(a, { changed: () => {}, evicted: () => {} });
    staker.set(10 * maxUnreadBytes);
    expect([unread.total(), idle.isHeldBack()]).toEqual([0, false]);
    for (const meter of meters.slice(0, 17)) meter.set(maxUnreadBytes / 16);
    expect([changes, staker.isHeldBack(), unread.total() > maxUnreadBytes]).toEqual([[true], false, true]);
    for (const meter of meters.slice(0, 9)) meter.set(0);
    expect(changes).toEqual([true, false]);
    for (const meter of meters) meter.close();
    expect(unread.total()).toBe(0);
  });
  test('peers whose bytes stay unread do not keep others out: those with the most are closed', async () => {
    const { meters, evicted, idle, changes, pass } = open();
    for (const [i, meter] of meters.slice(0, 12).entries()) meter.set(maxUnreadBytes / 12 + i + 1);
    await pass(maxFullTime.first - 1);
    expect([evicted, idle.isHeldBack()]).toEqual([[], true]);
    await pass(10 * maxFullTime.next);
    expect([evicted, changes]).toEqual([
      [11, 10, 9, 8, 7, 6, 5],
      [true, false],
    ]);
  });
});
