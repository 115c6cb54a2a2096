import { expect, test } from 'bun:test';
import { paramContext } from '../api/addresses.ts';
import { bind, createApi } from '../api/dispatch.ts';
import { asker, openGate } from '../api/requests.fixture.ts';
import { type Route, route } from '../api/route.ts';
import { expose } from '../metrics/family.ts';
import { createRegistry } from '../metrics/registry.ts';
import { apiMeters } from './api-metrics.ts';

/** A dispatcher over rows that answer when they are told to, and what its meters say. */
function meteredApi(ids: readonly string[]) {
  let clock = 0;
  const open = new Map<string, () => void>();
  const rows: Route<undefined>[] = ids.map((id) =>
    route<undefined>()({
      method: 'GET',
      path: `/v1/${id}`,
      id,
      tag: '',
      summary: '',
      params: {},
      response: {},
      keep: 'never',
      run: () => new Promise((resolve) => open.set(id, () => resolve({}))),
    }),
  );
  const registry = createRegistry();
  const meters = apiMeters(registry, () => clock);
  const api = createApi({
    routes: rows.flatMap((row) => bind(row.id === 'getAverageTps' ? 'metrics' : 'data', [row], undefined)),
    gate: openGate,
    context: paramContext('local'),
    sealKey: new Uint8Array(32),
    epoch: () => 0,
    now: () => 0,
    caller: () => '',
    origin: () => '',
    report: () => {},
    observer: meters,
  });
  return {
    ask: asker(api),
    answer: (id: string) => open.get(id)?.(),
    pass: (seconds: number) => {
      clock += seconds;
    },
    text: () => expose(registry.families()),
  };
}

test('requests under way at once are told apart', async () => {
  const { ask, answer, pass, text } = meteredApi(['getAssetDetails', 'getAverageTps']);
  const slow = ask('/v1/getAssetDetails');
  pass(1);
  const quick = ask('/v1/getAverageTps');
  pass(0.002);
  answer('getAverageTps');
  expect((await quick).status).toBe(200);
  pass(1);
  answer('getAssetDetails');
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

test('nothing is shown before the first request', () => {
  expect(meteredApi([]).text()).toBe('');
});
