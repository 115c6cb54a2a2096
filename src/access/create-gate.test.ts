import { describe, expect, test } from 'bun:test';
import { createGate, type GateOptions } from './create-gate.ts';
import type { Admission, Visit } from './gate.ts';
import { type ApiKey, type KeyFacts, makeKey } from './keys.ts';
import { createMemoryLimiter } from './limiter-memory.ts';
import { readPlans } from './plans.ts';

const routes = { data: ['listUtxos', 'getBlock', 'health'], metrics: ['avgTps'] };
const plans = readPlans(
  JSON.stringify({
    data: { anonymous: { perMinute: 4, perDay: 100 }, free: { perMinute: 6, perDay: 100 }, weights: { listUtxos: 2 } },
    metrics: { anonymous: { perMinute: 3, perDay: 100 } },
  }),
  routes,
);

let made = 0;
const keyWith = (facts: Partial<KeyFacts & Pick<ApiKey, 'revoked'>> = {}) => {
  const { text, key } = makeKey(new Uint8Array(32).fill(++made), {
    name: 'shop',
    plan: 'free',
    created: 0,
    expires: undefined,
    routes: [],
    ...facts,
  });
  return { text, key: { ...key, ...facts } };
};

const good = keyWith();
const spent = keyWith({ expires: 1_000 });
const revoked = keyWith({ revoked: 500 });
const narrow = keyWith({ routes: ['getBlock'] });
const all = new Map([good, spent, revoked, narrow].map(({ text, key }) => [text, key]));
const unknown = `serac_${'z'.repeat(43)}`;

const open = (options: Partial<GateOptions> = {}) => {
  const gate = createGate({
    keys: { find: (text) => all.get(text) },
    limiter: createMemoryLimiter({ now: () => 0 }),
    plans,
    requireKey: false,
    now: () => 1_000,
    ...options,
  });
  return (visit: Partial<Visit> = {}): Promise<Admission> =>
    Promise.resolve(gate.admit({ api: 'data', route: 'getBlock', open: false, key: undefined, caller: '10.0.0.1', ...visit }));
};

const statusOf = (admission: Admission): number => (admission.admitted ? 200 : admission.status);
const statuses = async (asks: Promise<Admission>[]) => (await Promise.all(asks)).map(statusOf);
const messageOf = (admission: Admission): string => (admission.admitted ? '' : admission.message);

describe('keys', () => {
  test('none is needed unless the server says so', async () => {
    expect(statusOf(await open()())).toBe(200);
    const refused = await open({ requireKey: true })();
    expect(statusOf(refused)).toBe(401);
    expect(messageOf(refused)).toContain('x-service-api-key');
    expect(statusOf(await open({ requireKey: true })({ key: '' }))).toBe(401);
    expect(statusOf(await open({ requireKey: true })({ key: good.text }))).toBe(200);
    expect(statusOf(await open({ requireKey: true })({ open: true }))).toBe(200);
    expect(statusOf(await open({ requireKey: true })({ api: 'metrics', route: 'avgTps' }))).toBe(200);
  });

  test('one that is given must be good, also where none is needed', async () => {
    const ask = open();
    expect(await statuses([unknown, spent.text, revoked.text].map((key) => ask({ key })))).toEqual([401, 401, 401]);
    const roomy = open({ limiter: undefined });
    expect(messageOf(await roomy({ key: unknown }))).toContain('not known');
    expect(messageOf(await roomy({ key: spent.text }))).toContain('expired on 1970-01-01 00:16:40 UTC');
    expect(messageOf(await roomy({ key: revoked.text }))).toContain('was revoked on 1970-01-01 00:08:20 UTC');
    expect(messageOf(await roomy({ key: 'x' }))).not.toContain('x...');
  });

  test('without the privilege for a route it is 403, and the answer to a valid key tells its limits', async () => {
    const ask = open();
    expect(statusOf(await ask({ key: narrow.text }))).toBe(200);
    const refused = await ask({ key: narrow.text, route: 'listUtxos' });
    expect(statusOf(refused)).toBe(403);
    expect(messageOf(refused)).toContain('may not be used for listUtxos, only for getBlock');
    expect(refused.headers['ratelimit-remaining']).toBe('3');
  });

  test('a store that does not answer is 503, whether it throws or rejects; open routes do not need it', async () => {
    const down = new Error('down');
    for (const find of [
      () => Promise.reject(down),
      () => {
        throw down;
      },
    ]) {
      const ask = open({ keys: { find } });
      expect(statusOf(await ask({ key: good.text }))).toBe(503);
      expect(statusOf(await ask({ key: good.text, open: true }))).toBe(200);
      expect(statusOf(await ask())).toBe(200);
      expect(statusOf(await ask({ api: 'metrics', route: 'avgTps', key: good.text }))).toBe(200);
    }
  });
});

describe('limits', () => {
  test('each caller has its own count, each key its own, wherever it comes from', async () => {
    const ask = open();
    expect(await statuses([1, 2, 3, 4, 5].map(() => ask()))).toEqual([200, 200, 200, 200, 429]);
    expect(await statuses([ask({ caller: '10.0.0.2' }), ask({ key: good.text })])).toEqual([200, 200]);
    expect((await ask({ key: good.text, caller: '10.0.0.9' })).headers['ratelimit-remaining']).toBe('4');
    expect(await statuses([ask({ caller: '::ffff:10.0.0.1' })])).toEqual([429]);
    for (const host of ['1', '2', '3', '4']) await ask({ caller: `2001:db8::${host}` });
    expect(await statuses([ask({ caller: '2001:db8::5' }), ask({ caller: '2001:db8:0:1::5' })])).toEqual([429, 200]);
  });

  test('routes count for their weight', async () => {
    const ask = open();
    const seen = await Promise.all(['listUtxos', 'getBlock', 'listUtxos', 'getBlock'].map((route) => ask({ route })));
    expect(seen.map(statusOf)).toEqual([200, 200, 429, 200]);
    expect(seen.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['2', '1', '1', '0']);
  });

  test('headers', async () => {
    const ask = open();
    expect((await ask({ key: good.text })).headers).toEqual({
      'ratelimit-policy': '6;w=60, 100;w=86400',
      'ratelimit-limit': '6',
      'ratelimit-remaining': '5',
    });
    for (let i = 0; i < 5; i++) await ask({ key: good.text });
    const refused = await ask({ key: good.text });
    expect(refused.headers).toEqual({
      'ratelimit-policy': '6;w=60, 100;w=86400',
      'ratelimit-limit': '6',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
      'retry-after': '60',
    });
    expect(messageOf(refused)).toBe('Too many requests: the limit of 6 in a minute is reached. Come back in 60 seconds');
    for (let i = 0; i < 40; i++) await ask({ key: good.text });
    const shutOut = await ask({ key: good.text });
    expect(shutOut.headers['retry-after']).toBe('240');
    expect(messageOf(shutOut)).toContain('kept coming');
  });

  test('paths without a route count too, where keys are required as well', async () => {
    for (const requireKey of [false, true]) {
      const ask = open({ requireKey });
      expect(await statuses([1, 2, 3, 4, 5].map(() => ask({ route: undefined })))).toEqual([200, 200, 200, 200, 429]);
      expect((await ask({ route: undefined, key: narrow.text })).headers['ratelimit-remaining']).toBe('5');
    }
  });

  test('bad keys count for the caller, so nobody tries them for nothing', async () => {
    const ask = open();
    expect(await statuses([unknown, spent.text, revoked.text, 'x', unknown].map((key) => ask({ key })))).toEqual([401, 401, 401, 401, 429]);
    expect(statusOf(await ask())).toBe(429);
    expect(statusOf(await ask({ key: good.text }))).toBe(200);
  });

  test('open routes are not counted and never refused; a good key is told how it stands', async () => {
    const ask = open();
    for (let i = 0; i < 5; i++) await ask();
    expect(await ask({ open: true })).toEqual({ admitted: true, headers: {} });
    expect(await ask({ open: true, key: unknown })).toEqual({ admitted: true, headers: {} });
    for (let i = 0; i < 3; i++) expect((await ask({ open: true, key: good.text })).headers['ratelimit-remaining']).toBe('6');
  });

  test('the Metrics interface has its own count by address and knows no keys', async () => {
    const ask = open();
    const metrics = { api: 'metrics', route: 'avgTps' } as const;
    for (let i = 0; i < 4; i++) await ask();
    const seen = await Promise.all([metrics, { ...metrics, key: good.text }, { ...metrics, key: unknown }, metrics].map(ask));
    expect(seen.map(statusOf)).toEqual([200, 200, 200, 429]);
    expect(seen[0]?.headers['ratelimit-policy']).toBe('3;w=60, 100;w=86400');
    expect(messageOf(seen[3] as Admission)).not.toContain('API key');
  });

  test("off: nothing is counted, every answer to a valid key carries its plan's figures, others none", async () => {
    const ask = open({ limiter: undefined });
    const figures = { 'ratelimit-policy': '6;w=60, 100;w=86400', 'ratelimit-limit': '6', 'ratelimit-remaining': '6' };
    for (let i = 0; i < 20; i++) expect(await ask({ key: good.text })).toEqual({ admitted: true, headers: figures });
    expect(await ask({ key: good.text, open: true })).toEqual({ admitted: true, headers: figures });
    const forbidden = await ask({ key: narrow.text, route: 'listUtxos' });
    expect([statusOf(forbidden), forbidden.headers]).toEqual([403, figures]);
    // Servers recognise a set of headers by its identity.
    expect((await ask({ key: good.text })).headers).toBe((await ask({ key: good.text })).headers);
    const refused = await ask({ key: unknown });
    expect([statusOf(refused), refused.headers]).toEqual([401, {}]);
    expect(await ask()).toEqual({ admitted: true, headers: {} });
  });
});

test('what needs no waiting is answered at once', () => {
  const gate = createGate({
    keys: { find: () => undefined },
    limiter: createMemoryLimiter({ now: () => 0 }),
    plans,
    requireKey: false,
    now: () => 0,
  });
  expect(gate.admit({ api: 'data', route: 'getBlock', open: false, key: undefined, caller: '' })).not.toBeInstanceOf(Promise);
});
