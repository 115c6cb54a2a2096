import { expect, test } from 'bun:test';
import { anything } from '../../api/contract/schema.ts';
import { createApi } from '../../api/rest/dispatch.ts';
import { createSender, testApiOptions } from '../../api/rest/requests.fixture.ts';
import { type ApiRoute, bindRoutes } from '../../api/rest/route.ts';
import { formatMetrics } from '../../base/metrics/family.ts';
import { createMetricRegistry } from '../../base/metrics/registry.ts';
import { createApiMeters } from './api-metrics.ts';

/** An API whose routes respond only when `respond` is called, and the metrics it produces. The clock moves only with `advance`. */
function createMeteredApi(ids: readonly string[]) {
  let clock = 0;
  const answers = new Map(ids.map((id) => [id, Promise.withResolvers<object>()]));
  const rows: ApiRoute<undefined>[] = ids.map((id) => ({
    method: 'GET',
    path: `/v1/${id}`,
    id,
    tag: '',
    summary: '',
    params: {},
    response: anything(),
    cachePolicy: 'never',
    run: async () => answers.get(id)?.promise,
  }));
  const registry = createMetricRegistry();
  const meters = createApiMeters(registry, () => clock);
  const api = createApi({
    ...testApiOptions,
    routes: rows.flatMap((row) => bindRoutes(row.id === 'getAverageTps' ? 'metrics' : 'data', [row], undefined)),
    observer: meters,
  });
  return {
    ask: createSender(api),
    respond: (id: string) => answers.get(id)?.resolve({}),
    advance: (seconds: number) => {
      clock += seconds;
    },
    text: () => formatMetrics(registry.families()),
  };
}

test('concurrent requests are timed separately, each under its own route', async () => {
  const { ask, respond, advance, text } = createMeteredApi(['getAssetDetails', 'getAverageTps']);
  const slow = ask('/v1/getAssetDetails');
  advance(1);
  const quick = ask('/v1/getAverageTps');
  // Both routes run.
  await Bun.sleep(0);
  advance(0.002);
  respond('getAverageTps');
  expect((await quick).status).toBe(200);
  advance(1);
  respond('getAssetDetails');
  expect((await slow).status).toBe(200);
  expect((await ask('/v1/nothing')).status).toBe(404);
  for (const line of [
    'serac_route_requests_total{api="data",route="getAssetDetails",status="200"} 1',
    'serac_route_requests_total{api="metrics",route="getAverageTps",status="200"} 1',
    'serac_route_requests_total{api="none",route="none",status="404"} 1',
    'serac_route_request_seconds_bucket{api="data",route="getAssetDetails",le="1"} 0',
    'serac_route_request_seconds_bucket{api="data",route="getAssetDetails",le="2.5"} 1',
    'serac_route_request_seconds_bucket{api="metrics",route="getAverageTps",le="0.001"} 0',
    'serac_route_request_seconds_bucket{api="metrics",route="getAverageTps",le="0.0025"} 1',
    'serac_route_request_seconds_count{api="none",route="none"} 1',
  ])
    expect(text()).toContain(`${line}\n`);
});

test('there are no metrics before the first request', () => {
  expect(createMeteredApi([]).text()).toBe('');
});
