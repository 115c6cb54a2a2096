import { expect, test } from 'bun:test';
import { documentHandler } from './document-handler.ts';
import { createTestRequest } from './requests.fixture.ts';

test('serves the document to GET and HEAD only, and builds it once', async () => {
  let built = 0;
  const handler = documentHandler(() => ({ built: ++built }));
  for (const method of ['GET', 'HEAD', 'GET']) {
    const { status, body } = await handler(createTestRequest('/api-json', { method }));
    expect([status, JSON.parse(Buffer.from(body as Uint8Array).toString())]).toEqual([200, { built: 1 }]);
  }
  expect((await handler(createTestRequest('/api-json', { method: 'POST' }))).status).toBe(404);
});

test('each caller gets the origin at which it reached the server; a strange Host header is not repeated', async () => {
  const handler = documentHandler((origin) => ({ url: `${origin}/ext/info` }));
  const read = async (host: string, headers: Record<string, string> = {}): Promise<unknown> => {
    const { body } = await handler(createTestRequest('/api-json', { headers: { host, ...headers } }));
    return (JSON.parse(Buffer.from(body as Uint8Array).toString()) as { url: string }).url;
  };
  expect(await read('node:9650')).toBe('http://node:9650/ext/info');
  expect(await read('[::1]:1')).toBe('http://[::1]:1/ext/info');
  expect(await read('node:9650')).toBe('http://node:9650/ext/info');
  // packaging/nginx.conf ends TLS and says so.
  expect(await read('node', { 'x-forwarded-proto': 'https' })).toBe('https://node/ext/info');
  expect(await read('node', { 'x-forwarded-proto': 'https, http' })).toBe('https://node/ext/info');
  expect(await read('node', { 'x-forwarded-proto': 'javascript' })).toBe('http://node/ext/info');
  expect(await read('a"><script>')).toBe('http://localhost/ext/info');
});
