import { expect, test } from 'bun:test';
import { createVirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import type { Config, ServerConfig } from '../config/config.ts';
import { createBodyBudget } from '../platform/body-budget.ts';
import { apisOnMainPort, apisOnOwnPorts, serveOptions, urlOf } from './serve-options.ts';
import { settingsPath, settingsRoutes } from './settings-route.ts';
import { createWithTimeout } from './timeout.ts';

test('options of a port: idle seconds are rounded up, ranges of proxies parsed, bodies of the Node RPC read whole', () => {
  const http = { host: '::1', port: 9650, idleTimeout: 1500, shutdownTimeout: 7 };
  const options = serveOptions({ http, access: { trustedProxies: ['10.0.0.0/8', 'nonsense'] } } as unknown as ServerConfig);
  expect(options).toMatchObject({ host: '::1', port: 9650, idleTimeout: 2, grace: 7, maxBodyMemory: 64 * 1024 * 1024 });
  expect(options.trustedProxies).toHaveLength(1);
  expect([options.readsBodyWhole?.('/ext/bc/X'), options.readsBodyWhole?.('/v1/ext/'), options.readsBodyWhole?.('/')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a URL has an IPv6 address in brackets', () => {
  const url = (host: string): string => urlOf({ http: { host } } as Config, 80);
  expect([url('::1'), url('127.0.0.1'), url('node')]).toEqual(['http://[::1]:80', 'http://127.0.0.1:80', 'http://node:80']);
});

test('APIs are on the main port unless they have one of their own', () => {
  const config = (data?: number, metricsApi?: number, isEnabled = true) =>
    ({ data: { port: data, enabled: isEnabled }, metricsApi: { port: metricsApi, enabled: isEnabled } }) as unknown as Config;
  expect([apisOnMainPort(config()), apisOnMainPort(config(1)), apisOnMainPort(config(undefined, 2)), apisOnMainPort(config(1, 2))]).toEqual(
    ['both', 'metrics', 'data', undefined],
  );
  expect(apisOnOwnPorts(config())).toEqual([]);
  expect(apisOnOwnPorts(config(1, 2))).toEqual([
    { selection: 'data', port: 1 },
    { selection: 'metrics', port: 2 },
  ]);
  expect(apisOnOwnPorts(config(1, 2, false))).toEqual([]);
});

test('the settings of a process are served to those who may see them, and by no public or strict node', async () => {
  const settings = [
    { flag: 'http-port', value: '9650', source: 'default' },
    { flag: 'data-dir', value: undefined, source: 'default' },
  ] as never;
  const access = { isAllowed: () => true, refusal: 'r' };
  const [[path, route] = []] = settingsRoutes({ settings, publicApi: false, strict: false }, access);
  expect([path, route?.refusal]).toEqual([settingsPath, 'r']);
  if (route === undefined || !('handler' in route)) throw new TypeError('no route');
  for (const method of ['GET', 'HEAD', 'POST']) {
    const answer = await route.handler({ method } as never);
    expect([method, answer.status, answer.headers.allow]).toEqual(method === 'POST' ? [method, 405, 'GET'] : [method, 200, undefined]);
  }
  const { body } = await route.handler({ method: 'GET' } as never);
  expect(JSON.parse(String(body))).toEqual({ settings: [settings[0], { flag: 'data-dir', value: null, source: 'default' }] });
  const none = [
    { publicApi: false, strict: false },
    { settings, publicApi: true, strict: false },
    { settings, publicApi: false, strict: true },
  ];
  for (const one of none) expect(settingsRoutes(one, access)).toEqual([]);
});

test('a budget of bytes is taken as long as it lasts', () => {
  const { tryTake, giveBack } = createBodyBudget(10);
  expect([tryTake(11), tryTake(4), tryTake(6), tryTake(1)]).toEqual([false, true, true, false]);
  giveBack(4);
  expect([tryTake(5), tryTake(4), tryTake(0)]).toEqual([false, true, true]);
});

test('work that takes too long is refused; one that ends in time leaves no timer', async () => {
  const clock = createVirtualClock(0);
  const withTimeout = createWithTimeout(clock);
  expect([await withTimeout(10, Promise.resolve(5)), clock.nextTime()]).toEqual([5, undefined]);
  const late = withTimeout(10, new Promise(() => {}));
  clock.advance(9);
  clock.advance(1);
  await expect(late).rejects.toMatchObject({ message: 'no answer in 10 ms', fault: { code: 'TIMED_OUT', milliseconds: 10 } });
  await expect(withTimeout(10, Promise.reject(new TypeError('failed')))).rejects.toThrow('failed');
});
