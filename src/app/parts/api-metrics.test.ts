import { expect, test } from 'bun:test';
import { createParamContext } from '../../api/rest/addresses.ts';
import { bindRoutes, createApi } from '../../api/rest/dispatch.ts';
import { allowAllGate, createSender } from '../../api/rest/requests.fixture.ts';
import { type ApiRoute, routeDefiner } from '../../api/rest/route.ts';
import { formatMetrics } from '../../base/metrics/family.ts';
import { createMetricRegistry } from '../../base/metrics/registry.ts';
import { createApiMeters } from './api-metrics.ts';

/** An API whose routes respond only when `respond` is called, and the metrics it produces. The clock moves only with `advance`. */
function createMeteredApi(ids: readonly string[]) {
  let clock = 0;
  const pending = new Map<string, () => void>();
  const rows: ApiRoute<undefined>[] = ids.map((id) =>
    routeDefiner<undefined>()({
      method: 'GET',
      path: `/v1/${id}`,
      id,
      tag: '',
      summary: '',
      params: {},
      response: {},
      cachePolicy: 'never',
      run: () => new Promise((resolve) => pending.set(id, () => resolve({}))),
    }),
  );
  const registry = createMetricRegistry();
  const meters = createApiMeters(registry, () => clock);
  const api = createApi({
    routes: rows.flatMap((row) => bindRoutes(row.id === 'getAverageTps' ? 'metrics' : 'data', [row], undefined)),
    gate: allowAllGate,
    context: createParamContext('local'),
    sealKey: new Uint8Array(32),
    epoch: () => 0,
    now: () => 0,
    caller: () => '',
    origin: () => '',
    onUnexpectedError: () => {},
    observer: meters,
  });
  return {
    ask: createSender(api),
    respond: (id: string) => pending.get(id)?.(),
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
