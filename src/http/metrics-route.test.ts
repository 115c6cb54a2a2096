import { expect, test } from 'bun:test';
import { createRegistry } from '../metrics/registry.ts';
import { readGolden } from '../rpc/golden.fixture.ts';
import { metricsRoute } from './metrics-route.ts';

test('metrics are served under the path and the content type of the peer', async () => {
  const captured = readGolden().afterHealthy.find(({ path }) => path === '/ext/metrics')!;
  const registry = createRegistry();
  registry.counters('calls_total', 'Calls.')({}).add(3);
  const [path, route] = metricsRoute(registry.families);
  expect(path).toBe(captured.path);
  const request = { method: 'GET', path, query: '', header: () => null, body: async () => new Uint8Array(0) };
  const response = await ('handler' in route ? route.handler(request) : expect.unreachable());
  expect(response).toEqual({
    status: captured.status,
    headers: { 'content-type': captured.responseHeaders['content-type']! },
    body: '# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total 3\n',
  });
});
