import { expect, test } from 'bun:test';
import { createMetricRegistry } from '../../base/metrics/registry.ts';
import { readGolden } from '../rpc/golden-cases.fixture.ts';
import { metricsRoute } from './node-routes.ts';

test("metrics have AvalancheGo's path and content type", async () => {
  const captured = readGolden().afterHealthy.find(({ path }) => path === '/ext/metrics')!;
  const registry = createMetricRegistry();
  registry.counters('calls_total', 'Calls.')({}).add(3);
  const [path, route] = metricsRoute(async () => registry.families());
  expect(path).toBe(captured.path);
  const request = { method: 'GET', path, query: '', header: () => null, body: async () => new Uint8Array(0) };
  const response = await ('handler' in route ? route.handler(request) : expect.unreachable());
  expect(response).toEqual({
    status: captured.status,
    headers: { 'content-type': captured.responseHeaders['content-type']! },
    body: '# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total 3\n',
  });
});
