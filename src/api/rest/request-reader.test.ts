import { expect, test } from 'bun:test';
import { createParamContext } from './addresses.ts';
import { createRequestReader } from './request-reader.ts';
import { createTestRequest } from './requests.fixture.ts';
import type { ApiRoute } from './route.ts';

const route = { method: 'GET', path: '/v1/things/{name}', id: 'getThing', params: {} } as unknown as ApiRoute<unknown>;

const residentMegabytes = (): number => {
  Bun.gc(true);
  return process.memoryUsage.rss() / 1_000_000;
};

test('the cache does not keep the whole URL string in memory', () => {
  const find = createRequestReader([route], (each) => each, createParamContext('local'));
  const before = residentMegabytes();
  for (let at = 0; at < 60; at++) {
    const target = `/v1/things/a?size=${at}`;
    const url = Buffer.alloc(4_000_000, `${target}&`).toString('latin1');
    expect(find(createTestRequest(url.slice(0, target.length)))).toMatchObject({ target: route });
  }
  expect(residentMegabytes() - before).toBeLessThan(100);
});
