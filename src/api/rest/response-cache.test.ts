import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hostileRounds, hostileTimeout } from '../../../test/random.ts';
import { budgetFor } from '../../base/cache/budget.fixture.ts';
import { noSharedCache, type SharedCache } from '../access/shared-cache.ts';
import { type CachePolicy, route } from '../contract/route.ts';
import { pageSize, pageToken } from '../contract/route-params.ts';
import { anything, text } from '../contract/schema.ts';
import { createApi } from './dispatch.ts';
import { createSender, testApiOptions } from './requests.fixture.ts';
import { type CachedResponse, type CacheRequest, createResponseCache } from './response-cache.ts';
import { type ApiRoute, bindRoutes, implementRoutes } from './route.ts';
import { createSharedResponseCache } from './shared-response-cache.ts';

/** The simulated state that responses depend on: height, clock, and backfilled past. */
type World = { height: number; now: number; past: number; runs: number };

const policies: readonly CachePolicy[] = ['block-and-second', 'block', 'pinned-page', 'pinned-page-or-second', 'never'];

/** One route for each cache policy. Its response depends on exactly what the policy allows. */
const routes: readonly ApiRoute<World>[] = policies.flatMap((policy) => {
  const row = route({
    method: 'GET',
    path: `/v1/${policy}/{name}`,
    tag: 'Test',
    summary: 'Test',
    params: { name: text(), pageSize: pageSize(2, 5), pageToken },
    response: anything(),
    cachePolicy: policy,
  });
  return implementRoutes<World>()(
    { [policy]: row },
    {
      [policy]: async (world, { name, pageSize: size }, { paging }) => {
        world.runs++;
        const isPinned = policy.startsWith('pinned-page') && paging.cursor !== undefined;
        const asOf = isPinned ? (paging.cursor?.height as number) : world.height;
        const after = paging.cursor === undefined ? 0 : paging.cursor.after;
        const next = after + size < 12 ? paging.nextPageToken({ height: asOf, after: after + size }) : undefined;
        const clock =
          policy === 'block-and-second' || policy === 'never' || (policy === 'pinned-page-or-second' && !isPinned) ? world.now : undefined;
        return { policy, name, asOf, after, size, clock, past: world.past, next, pad: 'x'.repeat(size * 50) };
      },
    },
  );
});

function start(world: World, maxBytes = 1_000_000, shared?: SharedCache) {
  const now = () => world.now;
  const currentVersion = async () => ({ tip: `tip ${world.height}`, past: `past ${world.past}` });
  const cache = createResponseCache({
    budget: budgetFor('responses', maxBytes),
    now,
    version: currentVersion,
    ...(shared === undefined ? {} : { shared: createSharedResponseCache(shared, 'test 1') }),
  });
  const common = {
    ...testApiOptions,
    routes: bindRoutes('data', routes, world),
    now,
  };
  return { cached: createSender(createApi({ ...common, cache })), fresh: createSender(createApi(common)) };
}

/** A shared cache without Redis. `now`: seconds. */
function createMemoryCache(now: () => number): SharedCache {
  const entries = new Map<string, { value: Uint8Array; until: number }>();
  return {
    ...noSharedCache,
    get: async (key) => {
      const entry = entries.get(key);
      return entry !== undefined && now() < entry.until ? entry.value : undefined;
    },
    set: async (key, value, seconds) => void entries.set(key, { value, until: now() + seconds }),
  };
}

const newWorld = (): World => ({ height: 100, now: 1_700_000_000, past: 0, runs: 0 });

test(
  'a cached response equals, byte for byte, the response of a fresh run',
  async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          request: fc.constantFrom(...policies),
          name: fc.constantFrom('a', 'b'),
          page: fc.nat(3),
          size: fc.integer({ min: 1, max: 3 }),
        }),
      },
      { weight: 1, arbitrary: fc.constantFrom('block', 'second', 'past', 'hour', 'day') },
    );
    const advance = {
      block: (w: World) => w.height++,
      second: (w: World) => w.now++,
      past: (w: World) => w.past++,
      hour: (w: World) => (w.now += 3600),
      day: (w: World) => (w.now += 86_400),
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.constantFrom(2000, 1_000_000), async (steps, maxBytes) => {
        const world = newWorld();
        const shared = createMemoryCache(() => world.now);
        const { cached, fresh } = start(world, maxBytes, shared);
        const { cached: other } = start(world, maxBytes, shared);
        const tokens: (string | undefined)[] = [undefined, undefined, undefined, undefined];
        for (const each of steps) {
          if (typeof each === 'string') {
            advance[each](world);
            continue;
          }
          const token = tokens[each.page];
          const target = `/v1/${each.request}/${each.name}?pageSize=${each.size}${token === undefined ? '' : `&pageToken=${token}`}`;
          const got = await cached(target);
          const expected = await fresh(target);
          expect(got).toEqual(expected);
          expect(await other(target)).toEqual(expected);
          if (got.json.next !== undefined) tokens[(each.page + 1) % tokens.length] = got.json.next;
        }
      }),
      { numRuns: hostileRounds(0.01) },
    );
  },
  hostileTimeout,
);

describe('number of runs', () => {
  const runsOf = async (change: (world: World) => void, path: string) => {
    const world = newWorld();
    const { cached } = start(world);
    const { json } = await cached(path);
    const before = world.runs;
    change(world);
    await cached(path.replace('TOKEN', json.next));
    return world.runs - before;
  };
  const block = (world: World) => world.height++;
  const second = (world: World) => world.now++;
  const past = (world: World) => world.past++;

  test.each([
    ['/v1/block-and-second/a', () => {}, 0],
    ['/v1/block-and-second/a', second, 1],
    ['/v1/block-and-second/a', block, 1],
    ['/v1/block/a', second, 0],
    ['/v1/block/a', block, 1],
    ['/v1/block/a', past, 1],
    ['/v1/pinned-page/a', second, 0],
    ['/v1/pinned-page/a', block, 1],
    ['/v1/never/a', () => {}, 1],
  ])('%s %#', async (path, change, runs) => {
    expect(await runsOf(change, path)).toBe(runs);
  });

  test('a page with a token is cached by its cursor, independently of the time in the token', async () => {
    const world = newWorld();
    const { cached } = start(world);
    const first = await cached('/v1/pinned-page/a');
    await cached(`/v1/pinned-page/a?pageToken=${first.json.next}`);
    world.now += 3600;
    const again = await cached('/v1/pinned-page/a');
    expect(again.json.next).not.toBe(first.json.next);
    world.height++;
    const before = world.runs;
    const page = await cached(`/v1/pinned-page/a?pageToken=${again.json.next}`);
    expect(world.runs).toBe(before);
    expect(page.json.asOf).toBe(100);
    world.past++;
    await cached(`/v1/pinned-page/a?pageToken=${again.json.next}`);
    expect(world.runs).toBe(before + 1);
  });

  test('a response of another process is reused, unless it depends on the clock', async () => {
    const world = newWorld();
    const shared = createMemoryCache(() => world.now);
    const [one, two] = [start(world, 1_000_000, shared), start(world, 1_000_000, shared)];
    for (const [path, runs] of [
      ['/v1/pinned-page/a', 1],
      ['/v1/block/a', 1],
      ['/v1/block-and-second/a', 2],
    ] as const) {
      world.runs = 0;
      // Just before the hour ends, by which the token changes.
      world.now = Math.ceil(world.now / 3600) * 3600 - 2;
      const first = await one.cached(path);
      world.now += path === '/v1/block-and-second/a' ? 0 : 5;
      const second = await two.cached(path);
      expect([path, world.runs]).toEqual([path, runs]);
      expect(second).toEqual(await two.fresh(path));
      expect(second.json.next === first.json.next).toBe(path === '/v1/block-and-second/a');
    }
    world.runs = 0;
    world.height++;
    await two.cached('/v1/pinned-page/a');
    expect(world.runs).toBe(1);
  });

  test('concurrent requests share one run', async () => {
    const world = newWorld();
    const { cached } = start(world);
    const all = await Promise.all(Array.from({ length: 20 }, () => cached('/v1/block-and-second/a')));
    expect(world.runs).toBe(1);
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
  });
});

describe('createResponseCache', () => {
  const responseWith = (body: string): CachedResponse => ({ body: Buffer.from(body), token: undefined });
  const seal = (_: unknown, at: number) => `${at}`.repeat(4);
  const cacheRequest = (make: () => Promise<CachedResponse>): CacheRequest => ({
    key: 'k',
    policy: 'block-and-second',
    hasPageToken: false,
    make,
    seal,
  });
  const fixed = { now: () => 1, version: async () => ({ tip: 't', past: 'p' }) };

  test('a request after a new block does not share a run that started before it', async () => {
    let tip = 'one';
    const cache = createResponseCache({ budget: budgetFor('responses', 10_000), now: () => 1, version: async () => ({ tip, past: '' }) });
    const slow = Promise.withResolvers<CachedResponse>();
    const first = cache.getOrMake(cacheRequest(() => slow.promise));
    tip = 'two';
    const second = cache.getOrMake(cacheRequest(async () => responseWith('new')));
    expect((await second).body.toString()).toBe('new');
    slow.resolve(responseWith('old'));
    expect((await first).body.toString()).toBe('old');
    // The response for the older tip came last, but must not be used for this tip.
    expect((await cache.getOrMake(cacheRequest(async () => responseWith('newer')))).body.toString()).toBe('new');
  });

  test('a failed run is not cached and not shared with later requests', async () => {
    const cache = createResponseCache({ budget: budgetFor('responses', 10_000), ...fixed });
    await expect(cache.getOrMake(cacheRequest(() => Promise.reject(new Error('x'))))).rejects.toThrow('x');
    expect((await cache.getOrMake(cacheRequest(async () => responseWith('fine')))).body.toString()).toBe('fine');
  });

  test('bounded by bytes: evicts entries that are not used, does not cache very large responses', async () => {
    const cache = createResponseCache({ budget: budgetFor('responses', 100_000), ...fixed });
    let made = 0;
    const request = async (key: string, size: number) =>
      await cache.getOrMake({
        ...cacheRequest(async () => {
          made++;
          return responseWith('x'.repeat(size));
        }),
        key,
      });
    for (let at = 0; at < 30; at++) {
      await request(`k${at}`, 9000);
      await request('used', 9000);
    }
    expect(made).toBe(31);
    await request('k0', 9000);
    expect(made).toBe(32);
    made = 0;
    for (let at = 0; at < 3; at++) await request('giant', 26_000);
    expect(made).toBe(3);
  });

  test('a large response is cached when its request is repeated, also if the first time was for another tip', async () => {
    let tip = 'one';
    const cache = createResponseCache({
      budget: budgetFor('responses', 1_000_000),
      now: () => 1,
      version: async () => ({ tip, past: '' }),
    });
    let made = 0;
    const request = async () =>
      await cache.getOrMake(
        cacheRequest(async () => {
          made++;
          return responseWith('x'.repeat(50_000));
        }),
      );
    await request();
    await request();
    expect(made).toBe(2);
    await request();
    expect(made).toBe(2);
    tip = 'two';
    await request();
    expect(made).toBe(3);
    await request();
    expect(made).toBe(3);
  });

  test('a response that no later block changes stays over blocks and dies at a revert or a backfill', async () => {
    let version = { tip: 'one', past: '0' };
    const cache = createResponseCache({ now: () => 1, version: async () => version });
    let made = 0;
    const request = async (policy: 'final' | 'block') => {
      made = 0;
      await cache.getOrMake({ ...cacheRequest(async () => responseWith(`${++made}`)), key: policy, policy });
      return made;
    };
    expect([await request('final'), await request('block')]).toEqual([1, 1]);
    expect([await request('final'), await request('block')]).toEqual([0, 0]);
    version = { tip: 'two', past: '0' };
    expect([await request('final'), await request('block')]).toEqual([0, 1]);
    version = { tip: 'two', past: '1' };
    expect([await request('final'), await request('block')]).toEqual([1, 1]);
  });

  test('a final response is not looked for in the shared cache, and not stored there', async () => {
    const used: string[] = [];
    const shared = (key: string) => ({
      find: async () => {
        used.push(`find ${key}`);
        return undefined;
      },
      put: () => void used.push(`put ${key}`),
    });
    const cache = createResponseCache({ now: () => 1, version: fixed.version, shared });
    for (const policy of ['final', 'block'] as const)
      await cache.getOrMake({ ...cacheRequest(async () => responseWith('1')), key: policy, policy });
    expect(used).toEqual(['find block', 'put block']);
  });

  test('a response that may show a later block than its version is not shared: a process without the block would answer with it', async () => {
    const [stored, version] = [[] as string[], { tip: 'one', past: 'p' }];
    const shared = () => ({
      find: async () => undefined,
      put: ({ body }: CachedResponse) => void stored.push(Buffer.from(body).toString()),
    });
    const cache = createResponseCache({ now: () => 1, version: async () => ({ ...version }), shared });
    const request = (key: string, make: () => string) =>
      cache.getOrMake({ ...cacheRequest(async () => responseWith(make())), key, policy: 'block' });
    const made = await request('a', () => {
      version.tip = 'two';
      return 'of block two';
    });
    expect(made.body.toString()).toBe('of block two');
    await request('b', () => 'also of block two');
    expect(stored).toEqual(['also of block two']);
  });

  test('a body that was returned is never changed', async () => {
    let now = 1;
    const cache = createResponseCache({ budget: budgetFor('responses', 10_000), now: () => now, version: fixed.version });
    const make = async (): Promise<CachedResponse> => ({
      body: Buffer.from('[AAAA]'),
      token: { offset: 1, madeAt: 1, cursor: { height: 0, after: 0 } },
    });
    const first = await cache.getOrMake({ ...cacheRequest(make), policy: 'block' });
    now = 7;
    const second = await cache.getOrMake({ ...cacheRequest(make), policy: 'block' });
    expect([first, second].map(({ body }) => Buffer.from(body).toString())).toEqual(['[AAAA]', '[7777]']);
    expect(await cache.getOrMake({ ...cacheRequest(make), policy: 'block' })).toBe(second);
  });
});
