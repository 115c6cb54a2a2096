import { expect, test } from 'bun:test';
import { mayServeDev } from './dev-methods.ts';

test.each([
  ['127.0.0.1', undefined, false, true],
  ['0.0.0.0', undefined, false, false],
  ['0.0.0.0', 'token', false, true],
  ['127.0.0.1', 'token', false, true],
  ['127.0.0.1', 'token', true, false],
])('host %s, token %s, public %p: the dev methods are served: %p', (host, devToken, publicApi, isServed) => {
  const config = { http: { host, port: 9650 }, devToken, publicApi };
  expect(mayServeDev(config as unknown as Parameters<typeof mayServeDev>[0])).toBe(isServed);
});
