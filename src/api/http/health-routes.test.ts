import { describe, expect, test } from 'bun:test';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { localNodeHealth } from '../health/local-node.fixture.ts';
import { type GoldenCase, maskVolatile, readGolden } from '../rpc/golden-cases.fixture.ts';
import { healthMethods as rows } from '../rpc/health.ts';
import { combineServices, createService } from '../rpc/method.ts';
import { nodeHealthRoutes } from './health-routes.ts';
import { createRouter } from './router.ts';

const golden = readGolden();

/** Sends requests through the whole router, so that preflights, wrong methods and JSON-RPC are tested too. */
function serve() {
  const { health, store } = localNodeHealth();
  const services = combineServices(createService('health', rows, health));
  const handler = createRouter({
    routes: new Map(nodeHealthRoutes(health, services)),
    // The placeholder of the captured responses.
    nodeID: golden.afterHealthy[0]!.responseHeaders['node-id']!,
    allowedHosts: ['localhost'],
    allowedOrigins: ['*'],
    rpcOptions: {
      differences: { batches: false, missingContentType: false, underscoreNames: false, errorData: false },
      onUnexpectedError: (error) => expect.unreachable(String(error)),
      longWork,
    },
  });
  const send = async ({ httpMethod, path, headers = {}, body = '' }: Pick<GoldenCase, 'httpMethod' | 'path' | 'headers' | 'body'>) => {
    const [bare = '', query = ''] = path.split('?');
    const header = (name: string) => ({ host: '127.0.0.1:9650', ...headers })[name] ?? null;
    return await handler({ method: httpMethod, path: bare, query, header, body: async () => Buffer.from(body) });
  };
  return { health, store, send };
}

describe('after startup, every response equals the captured one', () => {
  const entries = golden.afterHealthy.filter(({ path }) => path.startsWith('/ext/health'));
  test('the capture has enough cases', () => expect(entries.length).toBeGreaterThan(100));
  for (const entry of entries)
    test(`${entry.httpMethod} ${entry.path} ${entry.body ?? ''}`, async () => {
      const { health, send } = serve();
      await health.start();
      const { status, headers, body } = await send(entry);
      // The server adds the content length and omits the body of a response to HEAD.
      const { 'content-length': length, ...expected } = entry.responseHeaders;
      expect(status).toBe(entry.status);
      expect(headers).toEqual(expected);
      if (entry.httpMethod === 'HEAD') return;
      if (entry.responseJSON === undefined) expect(body.toString()).toBe(entry.responseText ?? '');
      else expect(maskVolatile(JSON.parse(body.toString()), entry.volatile)).toBe(maskVolatile(entry.responseJSON, entry.volatile));
      if (!entry.volatile?.length) expect(Buffer.byteLength(body)).toBe(Number(length));
    });
});

test('before the first round of checks the status is 503, except for liveness', async () => {
  const notYetRun = golden.atStartDefaultFrequency.find(({ name }) => name === 'GET /ext/health/readiness')!;
  const { send } = serve();
  const { status, body } = await send(notYetRun);
  expect(status).toBe(503);
  expect(body.toString()).toBe(`${JSON.stringify(notYetRun.responseJSON)}\n`);
  const live = golden.atStartDefaultFrequency.find(({ name }) => name === 'GET /ext/health/liveness')!;
  expect(await send(live)).toMatchObject({ status: 200, body: `${JSON.stringify(live.responseJSON)}\n` });
});

test('a failing store is 503 with the reason', async () => {
  const { health, store, send } = serve();
  store.isBroken = true;
  await health.start();
  const { status, body } = await send({ httpMethod: 'GET', path: '/ext/health?tag=application' });
  expect(status).toBe(503);
  expect(JSON.parse(body.toString()).checks.database).toEqual({
    error: 'attempt to write a readonly database',
    timestamp: '2026-11-15T00:48:26.366470057Z',
    duration: 0,
    contiguousFailures: 1,
    timeOfFirstFailure: '2026-11-15T00:48:26.366470057Z',
  });
});
