import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hostileRounds, hostileTimeout } from '../../test/random.ts';
import type { Cache } from '../access/cache.ts';
import { createMemoryCache } from '../access/cache-memory.ts';
import { paramContext } from './addresses.ts';
import { bind, createApi } from './dispatch.ts';
import { pageSize, pageToken, pathText } from './params.ts';
import { asker, openGate } from './requests.fixture.ts';
import { type CachedResponse, createResponseCache, type Wanted } from './response-cache.ts';
import { type CachePolicy, type Route, route } from './route.ts';
import { object } from './schema.ts';
import { createSharedResponseCache } from './shared-response-cache.ts';

/** A world that goes on: blocks, seconds, and a past that is filled in. */
type World = { height: number; now: number; past: number; runs: number };

const keeps: readonly CachePolicy[] = ['tip', 'tip-only', 'pin', 'pin-tip', 'never'];

/** A route for each way of keeping; what it answers depends on just what that way allows. */
const rows: readonly Route<World>[] = keeps.map((keep) =>
  route<World>()({
    method: 'GET',
    path: `/v1/${keep}/{name}`,
    id: keep,
    tag: 'Test',
    summary: 'Test',
    params: { name: pathText(), pageSize: pageSize(2, 5), pageToken },
    response: object('Any', {}),
    keep,
    run: async (world, { name, pageSize: size }, { pages }) => {
      world.runs++;
      const isPinned = keep.startsWith('pin') && pages.asked !== undefined;
      const asOf = isPinned ? (pages.asked?.height as number) : world.height;
      const after = pages.asked === undefined ? 0 : pages.asked.after;
      const next = after + size < 12 ? pages.next({ height: asOf, after: after + size }) : undefined;
      const clock = keep === 'tip' || keep === 'never' || (keep === 'pin-tip' && !isPinned) ? world.now : undefined;
      return { keep, name, asOf, after, size, clock, past: world.past, next, pad: 'x'.repeat(size * 50) };
    },
  }),
);

function start(world: World, maxBytes = 1_000_000, isLate = false, shared?: Cache) {
  const now = () => world.now;
  const stampNow = () => ({ tip: `tip ${world.height}`, past: `past ${world.past}` });
  const cache = createResponseCache({
    maxBytes,
    now,
    stamp: isLate ? async () => stampNow() : stampNow,
    ...(shared === undefined ? {} : { shared: createSharedResponseCache(shared, 'test 1') }),
  });
  const common = {
    routes: bind('data', rows, world),
    gate: openGate,
    context: paramContext('local'),
    sealKey: Buffer.from('key'),
    epoch: () => 0,
    now,
    caller: () => '',
    origin: () => 'http://a',
    report: () => {},
  } as const;
  return { kept: asker(createApi({ ...common, cache })), fresh: asker(createApi(common)) };
}

const newWorld = (): World => ({ height: 100, now: 1_700_000_000, past: 0, runs: 0 });

test(
  'a kept answer is, byte for byte, what a fresh run gives',
  async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          ask: fc.constantFrom(...keeps),
          name: fc.constantFrom('a', 'b'),
          page: fc.nat(3),
          size: fc.integer({ min: 1, max: 3 }),
        }),
      },
      { weight: 1, arbitrary: fc.constantFrom('block', 'second', 'past', 'hour', 'day') },
    );
    const go = {
      block: (w: World) => w.height++,
      second: (w: World) => w.now++,
      past: (w: World) => w.past++,
      hour: (w: World) => (w.now += 3600),
      day: (w: World) => (w.now += 86_400),
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.boolean(),
        fc.constantFrom(2000, 1_000_000),
        async (steps, isLate, maxBytes) => {
          const world = newWorld();
          const shared = createMemoryCache({ maxBytes: 1_000_000, now: () => world.now });
          const { kept, fresh } = start(world, maxBytes, isLate, shared);
          const { kept: other } = start(world, maxBytes, isLate, shared);
          const tokens: (string | undefined)[] = [undefined, undefined, undefined, undefined];
          for (const each of steps) {
            if (typeof each === 'string') {
              go[each](world);
              continue;
            }
            const token = tokens[each.page];
            const target = `/v1/${each.ask}/${each.name}?pageSize=${each.size}${token === undefined ? '' : `&pageToken=${token}`}`;
            const got = await kept(target);
            const expected = await fresh(target);
            expect(got).toEqual(expected);
            expect(await other(target)).toEqual(expected);
            if (got.json.next !== undefined) tokens[(each.page + 1) % tokens.length] = got.json.next;
          }
        },
      ),
      { numRuns: hostileRounds(0.01) },
    );
  },
  hostileTimeout,
);

describe('runs', () => {
  const runsOf = async (change: (world: World) => void, path: string) => {
    const world = newWorld();
    const { kept } = start(world);
    const { json } = await kept(path);
    const before = world.runs;
    change(world);
    await kept(path.replace('TOKEN', json.next));
    return world.runs - before;
  };
  const block = (world: World) => world.height++;
  const second = (world: World) => world.now++;
  const past = (world: World) => world.past++;

  test.each([
    ['/v1/tip/a', () => {}, 0],
    ['/v1/tip/a', second, 1],
    ['/v1/tip/a', block, 1],
    ['/v1/tip-only/a', second, 0],
    ['/v1/tip-only/a', block, 1],
    ['/v1/tip-only/a', past, 1],
    ['/v1/pin/a', second, 0],
    ['/v1/pin/a', block, 1],
    ['/v1/never/a', () => {}, 1],
  ])('%s %#', async (path, change, runs) => {
    expect(await runsOf(change, path)).toBe(runs);
  });

  test('a page of a token is pinned, whenever its token was made', async () => {
    const world = newWorld();
    const { kept } = start(world);
    const first = await kept('/v1/pin/a');
    await kept(`/v1/pin/a?pageToken=${first.json.next}`);
    world.now += 10;
    const again = await kept('/v1/pin/a');
    expect(again.json.next).not.toBe(first.json.next);
    world.height++;
    const before = world.runs;
    const page = await kept(`/v1/pin/a?pageToken=${again.json.next}`);
    expect(world.runs).toBe(before);
    expect(page.json.asOf).toBe(100);
    world.past++;
    await kept(`/v1/pin/a?pageToken=${again.json.next}`);
    expect(world.runs).toBe(before + 1);
  });

  test('what another process made is not made again, unless it looked at the clock', async () => {
    const world = newWorld();
    const shared = createMemoryCache({ maxBytes: 1_000_000, now: () => world.now });
    const [one, two] = [start(world, 1_000_000, false, shared), start(world, 1_000_000, true, shared)];
    for (const [path, runs] of [
      ['/v1/pin/a', 1],
      ['/v1/tip-only/a', 1],
      ['/v1/tip/a', 2],
    ] as const) {
      world.runs = 0;
      const first = await one.kept(path);
      world.now += path === '/v1/tip/a' ? 0 : 5;
      const second = await two.kept(path);
      expect([path, world.runs]).toEqual([path, runs]);
      expect(second).toEqual(await two.fresh(path));
      expect(second.json.next === first.json.next).toBe(path === '/v1/tip/a');
    }
    world.runs = 0;
    world.height++;
    await two.kept('/v1/pin/a');
    expect(world.runs).toBe(1);
  });

  test('those of the same moment share one', async () => {
    const world = newWorld();
    const { kept } = start(world);
    const all = await Promise.all(Array.from({ length: 20 }, () => kept('/v1/tip/a')));
    expect(world.runs).toBe(1);
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
  });
});

describe('in the cache', () => {
  const answerOf = (body: string): CachedResponse => ({ body: Buffer.from(body), token: undefined });
  const seal = (_: unknown, at: number) => `${at}`.repeat(4);
  const wanted = (make: () => Promise<CachedResponse>): Wanted => ({ key: 'k', keep: 'tip', pinned: false, make, seal });
  const fixed = { now: () => 1, stamp: () => ({ tip: 't', past: 'p' }) };

  test('who asks after a block does not share a run that began before it', async () => {
    let tip = 'one';
    const cache = createResponseCache({ maxBytes: 10_000, now: () => 1, stamp: () => ({ tip, past: '' }) });
    const slow = Promise.withResolvers<CachedResponse>();
    const first = cache.answer(wanted(() => slow.promise));
    tip = 'two';
    const second = cache.answer(wanted(async () => answerOf('new')));
    expect((await second).body.toString()).toBe('new');
    slow.resolve(answerOf('old'));
    expect((await first).body.toString()).toBe('old');
    // What was made for an older tip is no answer for this one, though it came last.
    expect((await cache.answer(wanted(async () => answerOf('newer')))).body.toString()).toBe('newer');
  });

  test('a failed run is not kept, and not shared with those who come later', async () => {
    const cache = createResponseCache({ maxBytes: 10_000, ...fixed });
    await expect(Promise.resolve(cache.answer(wanted(() => Promise.reject(new Error('x')))))).rejects.toThrow('x');
    expect((await cache.answer(wanted(async () => answerOf('fine')))).body.toString()).toBe('fine');
  });

  test('bytes are bounded: the longest unasked go first, giants are not kept', async () => {
    const cache = createResponseCache({ maxBytes: 100_000, ...fixed });
    let made = 0;
    const ask = async (key: string, size: number) =>
      await cache.answer({
        ...wanted(async () => {
          made++;
          return answerOf('x'.repeat(size));
        }),
        key,
      });
    for (let at = 0; at < 12; at++) await ask(`k${at}`, 9000);
    made = 0;
    await ask('k11', 9000);
    await ask('k2', 9000);
    expect(made).toBe(0);
    await ask('k0', 9000);
    await ask('k1', 9000);
    expect(made).toBe(2);
    // k2 was asked for after k3, so k3 had to go for k0 and k1.
    await ask('k2', 9000);
    expect(made).toBe(2);
    await ask('k3', 9000);
    expect(made).toBe(3);
    await ask('giant', 20_000);
    await ask('giant', 20_000);
    expect(made).toBe(5);
  });

  test('a body that is out is never changed', async () => {
    let now = 1;
    const cache = createResponseCache({ maxBytes: 10_000, now: () => now, stamp: fixed.stamp });
    const make = async (): Promise<CachedResponse> => ({
      body: Buffer.from('[AAAA]'),
      token: { at: 1, made: 1, cursor: { height: 0, after: 0 } },
    });
    const first = await cache.answer({ ...wanted(make), keep: 'tip-only' });
    now = 7;
    const second = await cache.answer({ ...wanted(make), keep: 'tip-only' });
    expect([first, second].map(({ body }) => Buffer.from(body).toString())).toEqual(['[AAAA]', '[7777]']);
    expect(await cache.answer({ ...wanted(make), keep: 'tip-only' })).toBe(second);
  });
});
