import { expect, test } from 'bun:test';
import { paramContext } from './addresses.ts';
import { createRequestReader } from './request-reader.ts';
import { requestOf } from './requests.fixture.ts';
import type { Route } from './route.ts';

const row = { method: 'GET', path: '/v1/things/{name}', id: 'getThing', params: {} } as unknown as Route<unknown>;

const residentMegabytes = (): number => {
  Bun.gc(true);
  return process.memoryUsage.rss() / 1_000_000;
};

test('what is cached of a URL does not keep all of it alive', () => {
  const find = createRequestReader([row], (route) => route, paramContext('local'));
  const before = residentMegabytes();
  for (let at = 0; at < 60; at++) {
    const target = `/v1/things/a?size=${at}`;
    const url = Buffer.alloc(4_000_000, `${target}&`).toString('latin1');
    expect(find(requestOf(url.slice(0, target.length))).target).toBe(row);
  }
  expect(residentMegabytes() - before).toBeLessThan(100);
});
