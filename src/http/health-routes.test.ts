import { describe, expect, test } from 'bun:test';
import { localNodeHealth } from '../health/local-node.fixture.ts';
import { type Golden, readGolden, steady } from '../rpc/golden.fixture.ts';
import { health as rows } from '../rpc/health.ts';
import { service, servicesOf } from '../rpc/method.ts';
import { longWork } from '../timing/long-work.fixture.ts';
import { healthRoutes } from './health-routes.ts';
import { createRouter } from './router.ts';

const golden = readGolden();

/** Through the whole router, as a client would: preflights, wrong methods and JSON-RPC included. */
function serve() {
  const { health, store } = localNodeHealth();
  const services = servicesOf(service('health', rows, health));
  const handler = createRouter({
    routes: new Map(healthRoutes(health, services)),
    // The capture's stand-in for it.
    nodeID: golden.afterHealthy[0]!.responseHeaders['node-id']!,
    allowedHosts: ['localhost'],
    allowedOrigins: ['*'],
    mode: {
      differences: { batches: false, missingContentType: false, errorData: false },
      report: (error) => expect.unreachable(String(error)),
      longWork,
    },
  });
  const ask = async ({ httpMethod, path, headers = {}, body = '' }: Pick<Golden, 'httpMethod' | 'path' | 'headers' | 'body'>) => {
    const [bare = '', query = ''] = path.split('?');
    const header = (name: string) => ({ host: '127.0.0.1:9650', ...headers })[name] ?? null;
    return await handler({ method: httpMethod, path: bare, query, header, body: async () => Buffer.from(body) });
  };
  return { health, store, ask };
}

describe('after it is healthy, every captured request is answered as captured', () => {
  const entries = golden.afterHealthy.filter(({ path }) => path.startsWith('/ext/health'));
  test('there are many', () => expect(entries.length).toBeGreaterThan(100));
  for (const entry of entries)
    test(`${entry.httpMethod} ${entry.path} ${entry.body ?? ''}`, async () => {
      const { health, ask } = serve();
      await health.start();
      const { status, headers, body } = await ask(entry);
      // The length follows the body; the socket writes it, and leaves out the body of an answer to HEAD.
      const { 'content-length': length, ...expected } = entry.responseHeaders;
      expect(status).toBe(entry.status);
      expect(headers).toEqual(expected);
      if (entry.httpMethod === 'HEAD') return;
      if (entry.responseJSON === undefined) expect(body.toString()).toBe(entry.responseText ?? '');
      else expect(steady(JSON.parse(body.toString()), entry.volatile)).toBe(steady(entry.responseJSON, entry.volatile));
      if (!entry.volatile?.length) expect(Buffer.byteLength(body)).toBe(Number(length));
    });
});

test('before the first round it is unavailable, except for liveness', async () => {
  const notYetRun = golden.atStartDefaultFrequency.find(({ name }) => name === 'GET /ext/health/readiness')!;
  const { ask } = serve();
  const { status, body } = await ask(notYetRun);
  expect(status).toBe(503);
  expect(body.toString()).toBe(`${JSON.stringify(notYetRun.responseJSON)}\n`);
  const live = golden.atStartDefaultFrequency.find(({ name }) => name === 'GET /ext/health/liveness')!;
  expect(await ask(live)).toMatchObject({ status: 200, body: `${JSON.stringify(live.responseJSON)}\n` });
});

test('a broken store makes it 503 with the reason', async () => {
  const { health, store, ask } = serve();
  store.isBroken = true;
  await health.start();
  const { status, body } = await ask({ httpMethod: 'GET', path: '/ext/health?tag=application' });
  expect(status).toBe(503);
  expect(JSON.parse(body.toString()).checks.database).toEqual({
    error: 'attempt to write a readonly database',
    timestamp: '2026-11-15T00:48:26.366470057Z',
    duration: 0,
    contiguousFailures: 1,
    timeOfFirstFailure: '2026-11-15T00:48:26.366470057Z',
  });
});
