import { describe, expect, test } from 'bun:test';
import { type AccessDecision, type AccessRequest, createGate } from './gate.ts';
import { type ApiKey, type KeyDetails, makeKey } from './keys.ts';
import { createMemoryLimiter, createOwnLimiter } from './limiter-memory.ts';
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
const keyWith = (details: Partial<KeyDetails & Pick<ApiKey, 'revoked'>> = {}) => {
  const { text, key } = makeKey(new Uint8Array(32).fill(++made), {
    name: 'shop',
    plan: 'free',
    created: 0,
    expires: undefined,
    routes: [],
    ...details,
  });
  return { text, key: { ...key, ...details } };
};

const valid = keyWith();
const expired = keyWith({ expires: 1_000 });
const revoked = keyWith({ revoked: 500 });
const restricted = keyWith({ routes: ['getBlock'] });
const all = new Map([valid, expired, revoked, restricted].map(({ text, key }) => [text, key]));
const unknown = `serac_${'z'.repeat(43)}`;

const createRequester = (options: Partial<Parameters<typeof createGate>[0]> = {}) => {
  const gate = createGate({
    keys: { find: async (text) => all.get(text) },
    limiter: createOwnLimiter(createMemoryLimiter({ now: () => 0 })),
    plans,
    requireKey: false,
    now: () => 1_000,
    ...options,
  });
  return (request: Partial<AccessRequest> = {}): Promise<AccessDecision> =>
    gate.admit({ api: 'data', route: 'getBlock', isPublic: false, key: undefined, caller: '10.0.0.1', ...request });
};

const statusOf = (decision: AccessDecision): number => (decision.admitted ? 200 : decision.status);
const statuses = async (responses: Promise<AccessDecision>[]) => (await Promise.all(responses)).map(statusOf);
const messageOf = (decision: AccessDecision): string => (decision.admitted ? '' : decision.message);

describe('keys', () => {
  test('a key is needed only with requireKey', async () => {
    expect(statusOf(await createRequester()())).toBe(200);
    const refused = await createRequester({ requireKey: true })();
    expect(statusOf(refused)).toBe(401);
    expect(messageOf(refused)).toContain('x-service-api-key');
    expect(statusOf(await createRequester({ requireKey: true })({ key: '' }))).toBe(401);
    expect(statusOf(await createRequester({ requireKey: true })({ key: valid.text }))).toBe(200);
    expect(statusOf(await createRequester({ requireKey: true })({ isPublic: true }))).toBe(200);
    expect(statusOf(await createRequester({ requireKey: true })({ api: 'metrics', route: 'avgTps' }))).toBe(200);
  });

  test('a key that is sent must be valid, even where none is needed', async () => {
    const request = createRequester();
    expect(await statuses([unknown, expired.text, revoked.text].map((key) => request({ key })))).toEqual([401, 401, 401]);
    const unlimited = createRequester({ limiter: undefined });
    expect(messageOf(await unlimited({ key: unknown }))).toContain('does not know the API key');
    expect(messageOf(await unlimited({ key: expired.text }))).toContain('expired on 1970-01-01 00:16:40 UTC');
    expect(messageOf(await unlimited({ key: revoked.text }))).toContain('was revoked on 1970-01-01 00:08:20 UTC');
    expect(messageOf(await unlimited({ key: 'x' }))).not.toContain('x...');
  });

  test('a route outside the grants gives 403, with the rate limit headers of the key', async () => {
    const request = createRequester();
    expect(statusOf(await request({ key: restricted.text }))).toBe(200);
    const refused = await request({ key: restricted.text, route: 'listUtxos' });
    expect(statusOf(refused)).toBe(403);
    expect(messageOf(refused)).toContain('may not be used for listUtxos, only for getBlock');
    expect(refused.headers['ratelimit-remaining']).toBe('3');
  });

  test('a failing key store gives 503; public routes do not need it', async () => {
    const request = createRequester({ keys: { find: () => Promise.reject(new Error('down')) } });
    expect(statusOf(await request({ key: valid.text }))).toBe(503);
    expect(statusOf(await request({ key: valid.text, isPublic: true }))).toBe(200);
    expect(statusOf(await request())).toBe(200);
    expect(statusOf(await request({ api: 'metrics', route: 'avgTps', key: valid.text }))).toBe(200);
  });
});

describe('limits', () => {
  test('each address and each key is counted separately; a key is counted independently of the address', async () => {
    const request = createRequester();
    expect(await statuses([1, 2, 3, 4, 5].map(() => request()))).toEqual([200, 200, 200, 200, 429]);
    expect(await statuses([request({ caller: '10.0.0.2' }), request({ key: valid.text })])).toEqual([200, 200]);
    expect((await request({ key: valid.text, caller: '10.0.0.9' })).headers['ratelimit-remaining']).toBe('4');
    expect(await statuses([request({ caller: '::ffff:10.0.0.1' })])).toEqual([429]);
    for (const host of ['1', '2', '3', '4']) await request({ caller: `2001:db8::${host}` });
    expect(await statuses([request({ caller: '2001:db8::5' }), request({ caller: '2001:db8:0:1::5' })])).toEqual([429, 200]);
  });

  test('the clients of an IPv6 /48 together are admitted eight times what one /64 is; what one is refused does not count for the others', async () => {
    const request = createRequester();
    for (let i = 0; i < 40; i++) await request({ caller: '2001:db8:7:1::1' });
    const callers = Array.from({ length: 100 }, (_, i) => `2001:db8:7:${(i + 16).toString(16)}::1`);
    const answers = await Promise.all(callers.map((caller) => request({ caller })));
    const admitted = answers.filter((answer) => answer.admitted);
    // Four of the first /64, 28 of others.
    expect(admitted).toHaveLength(28);
    expect(answers.findLast((answer) => answer.admitted)?.headers).toMatchObject({ 'ratelimit-limit': '32', 'ratelimit-remaining': '0' });
    const refused = answers[28] as AccessDecision;
    expect([statusOf(refused), refused.headers['retry-after']]).toEqual([429, '60']);
    expect(messageOf(refused)).toStartWith('Too many requests from the network 2001:db8:7::/48: the limit of 32 in a minute is reached');
    expect(statusOf(await request({ caller: '2001:db8:8:1::1' }))).toBe(200);
    expect(statusOf(await request({ caller: '2001:db8:7:1::1', key: valid.text }))).toBe(200);
  });

  test('a request counts with the weight of its route', async () => {
    const request = createRequester();
    const decisions = await Promise.all(['listUtxos', 'getBlock', 'listUtxos', 'getBlock'].map((route) => request({ route })));
    expect(decisions.map(statusOf)).toEqual([200, 200, 429, 200]);
    expect(decisions.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['2', '1', '1', '0']);
  });

  test('rate limit headers', async () => {
    const request = createRequester();
    expect((await request({ key: valid.text })).headers).toEqual({
      'ratelimit-policy': '6;w=60, 100;w=86400',
      'ratelimit-limit': '6',
      'ratelimit-remaining': '5',
    });
    for (let i = 0; i < 4; i++) await request({ key: valid.text });
    // The last request that is admitted says already when the next one will be; so does a health check.
    const lastHeaders = {
      'ratelimit-policy': '6;w=60, 100;w=86400',
      'ratelimit-limit': '6',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
      'retry-after': '60',
    };
    expect(await request({ key: valid.text })).toEqual({ admitted: true, headers: lastHeaders, keyID: valid.key.id });
    expect(await request({ key: valid.text, isPublic: true, route: 'health' })).toEqual({ admitted: true, headers: lastHeaders });
    const refused = await request({ key: valid.text });
    expect(refused.headers).toEqual(lastHeaders);
    expect(messageOf(refused)).toBe('Too many requests: the limit of 6 in a minute is reached. Retry in 60 seconds');
    for (let i = 0; i < 300; i++) await request({ key: valid.text });
    const lockedOut = await request({ key: valid.text });
    expect(lockedOut.headers['retry-after']).toBe('60');
    expect(messageOf(lockedOut)).toContain('were sent after they were refused');
  });

  test('paths without a route are counted, also with requireKey', async () => {
    for (const requireKey of [false, true]) {
      const request = createRequester({ requireKey });
      expect(await statuses([1, 2, 3, 4, 5].map(() => request({ route: undefined })))).toEqual([200, 200, 200, 200, 429]);
      expect((await request({ route: undefined, key: restricted.text })).headers['ratelimit-remaining']).toBe('5');
    }
  });

  test('requests with invalid keys count for the address of the caller', async () => {
    const request = createRequester();
    expect(await statuses([unknown, expired.text, revoked.text, 'x', unknown].map((key) => request({ key })))).toEqual([
      401, 401, 401, 401, 429,
    ]);
    expect(statusOf(await request())).toBe(429);
    expect(statusOf(await request({ key: valid.text }))).toBe(200);
  });

  test('an expired or revoked key gets 401 from an address that has used up its limit too; an unknown one gets 429', async () => {
    const request = createRequester();
    for (let sent = 0; sent < 5; sent++) await request();
    const keys = [revoked.text, expired.text, unknown, undefined];
    expect(await statuses(keys.map((key) => request({ key })))).toEqual([401, 401, 429, 429]);
    expect(messageOf(await request({ key: revoked.text }))).toContain('was revoked');
  });

  test('public routes are not counted and never refused; with a valid key the headers report its limits', async () => {
    const request = createRequester();
    for (let i = 0; i < 5; i++) await request();
    expect(await request({ isPublic: true })).toEqual({ admitted: true, headers: {} });
    expect(await request({ isPublic: true, key: unknown })).toEqual({ admitted: true, headers: {} });
    for (let i = 0; i < 3; i++) expect((await request({ isPublic: true, key: valid.text })).headers['ratelimit-remaining']).toBe('6');
  });

  test('the Metrics API is counted separately by address and ignores keys', async () => {
    const request = createRequester();
    const metrics = { api: 'metrics', route: 'avgTps' } as const;
    for (let i = 0; i < 4; i++) await request();
    const decisions = await Promise.all([metrics, { ...metrics, key: valid.text }, { ...metrics, key: unknown }, metrics].map(request));
    expect(decisions.map(statusOf)).toEqual([200, 200, 200, 429]);
    expect(decisions[0]?.headers['ratelimit-policy']).toBe('3;w=60, 100;w=86400');
    expect(messageOf(decisions[3] as AccessDecision)).not.toContain('API key');
  });

  test('limits off: nothing is counted; only responses to a valid key have rate limit headers, those of its plan', async () => {
    const request = createRequester({ limiter: undefined });
    const planHeaders = { 'ratelimit-policy': '6;w=60, 100;w=86400', 'ratelimit-limit': '6', 'ratelimit-remaining': '6' };
    for (let i = 0; i < 20; i++)
      expect(await request({ key: valid.text })).toEqual({ admitted: true, headers: planHeaders, keyID: valid.key.id });
    expect(await request({ key: valid.text, isPublic: true })).toEqual({ admitted: true, headers: planHeaders });
    const forbidden = await request({ key: restricted.text, route: 'listUtxos' });
    expect([statusOf(forbidden), forbidden.headers]).toEqual([403, planHeaders]);
    // The server caches encoded headers by the identity of the object.
    expect((await request({ key: valid.text })).headers).toBe((await request({ key: valid.text })).headers);
    const refused = await request({ key: unknown });
    expect([statusOf(refused), refused.headers]).toEqual([401, {}]);
    expect(await request()).toEqual({ admitted: true, headers: {} });
  });
});
