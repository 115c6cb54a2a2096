import { expect, test } from 'bun:test';
import { documentHandler } from './document-handler.ts';
import { createTestRequest } from './requests.fixture.ts';

test('serves the document unchanged, to GET and HEAD only, and builds it once', async () => {
  let built = 0;
  const handler = documentHandler(() => ({ built: ++built }));
  for (const method of ['GET', 'HEAD', 'GET']) {
    const { status, body } = await handler(createTestRequest('/api-json', { method }));
    expect([status, JSON.parse(Buffer.from(body as Uint8Array).toString())]).toEqual([200, { built: 1 }]);
  }
  expect((await handler(createTestRequest('/api-json', { method: 'POST' }))).status).toBe(404);
});
