import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey, type KeyHeader, writePlans } from './api-keys.ts';
import { chainRoot, type DataRequest, type DataResponse, sendRequest } from './data-requests.ts';
import { type Client, createClient } from './http.ts';
import { eventually, socketsOf, untilReader } from './processes.ts';
import { type Program, runProgram, startProgram } from './program.ts';

/** Duration of the test of a constantly requesting caller, in seconds. Windows are a minute long, so the test is skipped by default. */
const watchedSeconds = Number(process.env.SERAC_LIMIT_SECONDS ?? 0);

const plans = {
  data: {
    anonymous: { perMinute: 12, perDay: 1_000 },
    free: { perMinute: 100_000, perDay: 100_000 },
    tiny: { perMinute: 20, perDay: 1_000 },
    daily: { perMinute: 50, perDay: 7 },
    weights: { getBalancesByAddresses: 5, getVertexByHash: 0 },
  },
  metrics: { anonymous: { perMinute: 9, perDay: 1_000 } },
};

let folder: string;
let plansFile: ReturnType<typeof writePlans>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serac-limits-'));
  plansFile = writePlans(plans);
});
afterAll(() => {
  plansFile.remove();
  rmSync(folder, { recursive: true, force: true });
});

const cheap: DataRequest = { path: '/v1/chains/X' };
const ewoq = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';

/** Starts a node with a reader process that shares its port; the writer counts the requests of both. */
const startLimitedNode = (name: string, ...flags: string[]): Promise<Program> =>
  startProgram(`--data-dir=${join(folder, name)}`, '--workers=1', '--rate-limits=on', plansFile.flag, ...flags);

const keyIn = (name: string, ...flags: string[]) => createKey(`--data-dir=${join(folder, name)}`, plansFile.flag, ...flags);

/** Connections of one caller, enough that every process of the node gets some. */
const callers = ({ port }: Program, from: string): Client[] => Array.from({ length: 16 }, () => createClient(port, '127.0.0.1', from));

const burst = (clients: readonly Client[], count: number, question: DataRequest, key: KeyHeader = {}): Promise<DataResponse[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => sendRequest(clients[i % clients.length] as Client, question, key)));

const statusesOf = (responses: readonly DataResponse[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const number = ({ headers }: DataResponse, name: string): number => Number(headers[name]);

/** The body that every error has. */
const errorBody = (statusCode: number, error: string) => ({ statusCode, error, message: expect.any(String) });

/** Checks the rate limit headers of a response; by default its limit is that of the minute. */
function expectPlan(response: DataResponse, { perMinute, perDay }: { perMinute: number; perDay: number }, limit = perMinute): void {
  const { 'ratelimit-policy': policy, 'ratelimit-limit': shown, 'ratelimit-remaining': left } = response.headers;
  expect({ policy, shown }).toEqual({ policy: `${perMinute};w=60, ${perDay};w=86400`, shown: String(limit) });
  expect(left).toMatch(/^\d+$/);
  const waits = [response.headers['retry-after'], response.headers['ratelimit-reset']];
  if (response.status !== 429 && left !== '0') expect(waits).toEqual([undefined, undefined]);
  else
    for (const wait of waits) {
      expect(Number(wait)).toBeGreaterThanOrEqual(1);
      expect(Number(wait)).toBeLessThanOrEqual(limit === perDay ? 86_400 : 60);
    }
}

describe('rate limits on a node of two processes', () => {
  const { anonymous, tiny, daily } = plans.data;
  let node: Program;

  beforeAll(async () => {
    node = await startLimitedNode('counting');
    // The reader begins to listen shortly after the node reports ready.
    const reader = await untilReader(node.pid);
    const before = socketsOf(reader);
    await eventually(
      async () => {
        const clients = callers(node, '127.0.0.99');
        await Promise.all(clients.map((client) => sendRequest(client, { path: '/v1/live-check' })));
        const opened = socketsOf(reader) - before;
        for (const client of clients) client.close();
        return opened;
      },
      (opened) => opened > 1,
    );
  });
  afterAll(() => node?.stop());

  test('of many requests at once, exactly as many are admitted as the plan allows', async () => {
    const responses = await burst(callers(node, '127.0.0.2'), 60, cheap);
    expect(statusesOf(responses)).toEqual({ 200: anonymous.perMinute, 429: 60 - anonymous.perMinute });
    const left = responses.filter(({ status }) => status === 200).map((one) => number(one, 'ratelimit-remaining'));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: anonymous.perMinute }, (_, i) => i));
    for (const one of responses) expectPlan(one, anonymous);
  });

  test('requests for unknown paths are counted too', async () => {
    const responses = await burst(callers(node, '127.0.0.13'), 40, { path: '/v1/no-such-path' });
    expect(statusesOf(responses)).toEqual({ 404: anonymous.perMinute, 429: 40 - anonymous.perMinute });
    for (const one of responses) expectPlan(one, anonymous);
  });

  test('every address and every key is counted separately', async () => {
    const { header } = await keyIn('counting', '--plan=tiny');
    const clients = callers(node, '127.0.0.3');
    expect(statusesOf(await burst(clients, 40, cheap, header))).toEqual({ 200: tiny.perMinute, 429: 40 - tiny.perMinute });
    expect(statusesOf(await burst(clients, 20, cheap))).toEqual({ 200: anonymous.perMinute, 429: 20 - anonymous.perMinute });
    expect(statusesOf(await burst(callers(node, '127.0.0.4'), 3, cheap, header))).toEqual({ 429: 3 });
  });

  test('every response has the headers, also errors', async () => {
    const { header } = await keyIn('counting');
    const narrow = await keyIn('counting', '--routes=supportedChains');
    const [client] = callers(node, '127.0.0.5') as [Client];
    const missing = `${chainRoot}/transactions/2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed`;
    const cases: [number, DataRequest, KeyHeader][] = [
      [200, { path: `${chainRoot}/blocks` }, header],
      [200, { path: `${chainRoot}/utxos`, body: JSON.stringify({ addresses: ewoq }) }, header],
      [400, { path: `${chainRoot}/blocks?pageSize=0` }, header],
      [404, { path: missing }, header],
      [404, { path: '/v1/networks/local/validators' }, header],
      [403, cheap, narrow.header],
    ];
    for (const [status, question, used] of cases) {
      const response = await sendRequest(client, question, used);
      expect([question.path, response.status]).toEqual([question.path, status]);
      expectPlan(response, plans.data.free);
    }
    const unknown = await sendRequest(client, cheap, { 'x-service-api-key': `serac_${'a'.repeat(43)}` });
    expect(unknown.status).toBe(401);
    expectPlan(unknown, anonymous);
  });

  test('health responses to a key have the headers too, from both processes, and are not counted', async () => {
    const { header } = await keyIn('counting');
    const responses = await burst(callers(node, '127.0.0.6'), 48, { path: '/v1/health-check' }, header);
    expect(statusesOf(responses)).toEqual({ 200: 48 });
    for (const one of responses) expectPlan(one, plans.data.free);
    expect(new Set(responses.map((one) => number(one, 'ratelimit-remaining'))).size).toBe(1);
  });

  test('health has no limit', async () => {
    for (const path of ['/v1/health-check', '/v1/live-check', '/v2/health-check', '/v2/live-check'])
      expect(statusesOf(await burst(callers(node, '127.0.0.2'), 40, { path }))).toEqual({ 200: 40 });
  });

  test('a caller that continues after 429 has to wait for a whole minute, never longer', async () => {
    const clients = callers(node, '127.0.0.7');
    await burst(clients, anonymous.perMinute, cheap);
    const responses: DataResponse[] = [];
    for (let i = 0; i < 12; i++) responses.push(...(await burst(clients, 30, cheap)));
    expect(statusesOf(responses)).toEqual({ 429: 360 });
    for (const one of responses) {
      expect(one.json).toEqual(errorBody(429, 'Too Many Requests'));
      expectPlan(one, anonymous);
    }
    // The first few do not extend the wait.
    expect(number(responses.at(-1) as DataResponse, 'retry-after')).toBe(60);
    // Other callers are not affected.
    expect((await sendRequest(callers(node, '127.0.0.8')[0] as Client, cheap)).status).toBe(200);
  });

  test('the Metrics API is counted separately', async () => {
    const clients = callers(node, '127.0.0.9');
    const { perMinute } = plans.metrics.anonymous;
    const responses = await burst(clients, 30, { path: '/v2/chains' });
    expect(statusesOf(responses)).toEqual({ 200: perMinute, 429: 30 - perMinute });
    for (const one of responses) expectPlan(one, plans.metrics.anonymous);
    expect((await sendRequest(clients[0] as Client, { path: '/v1/avg_tps/X' })).status).toBe(429);
    expect((await sendRequest(clients[0] as Client, cheap)).status).toBe(200);
    // The Metrics API ignores keys.
    const { header } = await keyIn('counting');
    expect((await sendRequest(clients[0] as Client, { path: '/v2/chains' }, header)).status).toBe(429);
  });

  test('the headers describe the window with the fewest requests left', async () => {
    const { header } = await keyIn('counting', '--plan=daily');
    const responses = await burst(callers(node, '127.0.0.10'), 15, cheap, header);
    expect(statusesOf(responses)).toEqual({ 200: daily.perDay, 429: 15 - daily.perDay });
    for (const one of responses) expectPlan(one, daily, daily.perDay);
    const late = responses.filter(({ status }) => status === 429);
    expect(Math.min(...late.map((one) => number(one, 'retry-after')))).toBeGreaterThan(80_000);
  });

  test('a route counts for its weight', async () => {
    const { header } = await keyIn('counting', '--plan=tiny');
    const [client] = callers(node, '127.0.0.11') as [Client];
    const left = async (question: DataRequest) => number(await sendRequest(client, question, header), 'ratelimit-remaining');
    expect(await left(cheap)).toBe(19);
    expect(await left({ path: `${chainRoot}/balances?addresses=${ewoq}` })).toBe(14);
    expect(await left({ path: `${chainRoot}/vertices/2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed` })).toBe(14);
  });

  test('the Node RPC has no limit', async () => {
    const [client] = callers(node, '127.0.0.2') as [Client];
    for (let i = 0; i < 40; i++) expect(await client.call('/ext/bc/X', 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
  });

  const watching = `for ${watchedSeconds} seconds, every minute has at most the limit, and nearly as many`;
  test.skipIf(watchedSeconds === 0)(
    watchedSeconds === 0 ? 'skipped: SERAC_LIMIT_SECONDS is not set' : watching,
    async () => {
      const { header } = await keyIn('counting', '--plan=tiny');
      const clients = callers(node, '127.0.0.12');
      const admitted: number[] = [];
      const began = performance.now();
      for (let i = 0; performance.now() - began < watchedSeconds * 1000; i++) {
        const requestedAt = performance.now();
        const response = await sendRequest(clients[i % clients.length] as Client, cheap, header);
        if (response.status === 200) admitted.push(requestedAt);
        // Waits as long as retry-after says, and sometimes a little less: the server must reject that.
        else await Bun.sleep(number(response, 'retry-after') * 1000 - (i % 9 === 0 ? 500 : 0));
      }
      const most = Math.max(...admitted.map((from) => admitted.filter((at) => at >= from && at < from + 59_900).length));
      expect(most).toBeLessThanOrEqual(tiny.perMinute);
      expect(admitted.length).toBeGreaterThanOrEqual(Math.floor(watchedSeconds / 62) * tiny.perMinute);
    },
    watchedSeconds * 1000 + 120_000,
  );
});

test('--rate-limits=off: every response to a valid key has the headers of its plan, and no request is counted', async () => {
  const node = await startProgram(`--data-dir=${join(folder, 'off')}`, '--workers=0', '--rate-limits=off', plansFile.flag);
  try {
    const { header } = await keyIn('off', '--plan=tiny');
    const figures = { 'ratelimit-policy': '20;w=60, 1000;w=86400', 'ratelimit-limit': '20', 'ratelimit-remaining': '20' };
    for (const path of [cheap.path, '/v1/health-check', '/v1/no-such-path', `${chainRoot}/blocks?pageSize=0`, cheap.path])
      expect({ path, ...(await sendRequest(node.client, { path }, header)).headers }).toMatchObject({ path, ...figures });
    expect((await sendRequest(node.client, cheap)).headers['ratelimit-policy']).toBeUndefined();
  } finally {
    await node.stop();
  }
});

describe('--require-api-key', () => {
  let node: Program;
  let client: Client;

  beforeAll(async () => {
    node = await startLimitedNode('keys', '--require-api-key');
    client = createClient(node.port, '127.0.0.1', '127.0.1.1');
  });
  afterAll(() => node?.stop());

  test('keys create prints the quota of the running server without --rate-limit-plans', async () => {
    const { out } = await runProgram('keys', 'create', '--plan=tiny', `--data-dir=${join(folder, 'keys')}`);
    const { perMinute, perDay } = plans.data.tiny;
    expect(out).toContain(`tiny: ${perMinute} requests a minute, ${perDay} a day\n`);
    const unknown = await runProgram('keys', 'create', '--plan=gold', `--data-dir=${join(folder, 'keys')}`);
    expect(unknown.err).toContain('tiny');
    mkdirSync(join(folder, 'never started'));
    const fresh = await runProgram('keys', 'create', `--data-dir=${join(folder, 'never started')}`);
    expect(fresh.out).toContain('no server was started here yet');
  });

  test('commands send the key of --api-key or SERAC_API_KEY, and say so without one', async () => {
    const { text } = await keyIn('keys');
    const block = ['block', '0', `--url=http://127.0.0.1:${node.port}`];
    expect((await runProgram(...block)).err).toContain('--api-key KEY or SERAC_API_KEY');
    expect((await runProgram(...block, `--api-key=${text}`)).out).toContain('block 0 ');
    expect((await runProgram(...block, '--api-key=two words')).err).toContain('visible ASCII');
  });

  test('the status for each kind of key and route', async () => {
    const good = await keyIn('keys');
    const blocks = await keyIn('keys', '--routes=listLatestPrimaryNetworkBlocks,getBlock*');
    const revoked = await keyIn('keys');
    const expiry = Date.now() + 6_000;
    const expired = await keyIn('keys', `--expires=${new Date(expiry).toISOString().slice(0, 19)}Z`);
    await runProgram('keys', 'revoke', revoked.id, `--data-dir=${join(folder, 'keys')}`);
    await Bun.sleep(Math.max(0, expiry - Date.now()));
    const alias = { 'x-glacier-api-key': good.text };
    const unknown = { 'x-service-api-key': `serac_${'b'.repeat(43)}` };
    const nonsense = { 'x-service-api-key': 'open sesame' };
    const list: DataRequest = { path: `${chainRoot}/blocks` };
    const one: DataRequest = { path: `${chainRoot}/blocks/0` };
    const missing: DataRequest = { path: `${chainRoot}/blocks/1` };
    const bad: DataRequest = { path: `${chainRoot}/blocks?pageSize=x` };
    const rows: readonly [KeyHeader, DataRequest, number][] = [
      [{}, cheap, 401],
      [{}, bad, 401],
      [unknown, cheap, 401],
      [nonsense, cheap, 401],
      [revoked.header, cheap, 401],
      [expired.header, cheap, 401],
      [good.header, cheap, 200],
      [alias, cheap, 200],
      [good.header, bad, 400],
      [good.header, missing, 404],
      [blocks.header, list, 200],
      [blocks.header, one, 200],
      [blocks.header, cheap, 403],
      [blocks.header, { path: `${chainRoot}/balances?addresses=nonsense` }, 403],
    ];
    const phrases: Record<number, string> = { 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found' };
    for (const [key, question, status] of rows) {
      const response = await sendRequest(client, question, key);
      expect([Object.values(key), question.path, response.status]).toEqual([Object.values(key), question.path, status]);
      if (status === 200) continue;
      expect(response.json).toMatchObject({ statusCode: status, error: phrases[status] as string });
      expect(response.json.message.length).toBeGreaterThan(0);
    }
  });

  test('health, the Metrics API and the Node RPC need no key', async () => {
    for (const path of ['/v1/health-check', '/v1/live-check', '/v2/health-check', '/v2/chains', '/v1/avg_tps/X', '/api-json'])
      expect([path, (await sendRequest(client, { path })).status]).toEqual([path, 200]);
    expect(await client.call('/ext/bc/X', 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
  });

  test('only the hash of a key is stored, and the list shows how the key begins', async () => {
    const { text } = await keyIn('keys', '--name=secret');
    const { out } = await runProgram('keys', 'list', `--data-dir=${join(folder, 'keys')}`);
    expect(out).toContain(text.slice(0, 12));
    expect(out).not.toContain(text);
    const file = await Bun.file(join(folder, 'keys', 'db', 'keys.sqlite')).bytes();
    expect(Buffer.from(file).includes(text)).toBe(false);
  });
});
