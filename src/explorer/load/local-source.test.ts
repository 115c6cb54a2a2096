import { expect, test } from 'bun:test';
import type { HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { createLocalSource } from './local-source.ts';

/** A source of a caller with these headers, whose answers a test gives. `sent`: the requests that the page made. */
function open(answer: Partial<HttpResponse>, callerHeaders: Readonly<Record<string, string>> = {}) {
  const sent: HttpRequest[] = [];
  const steps: string[] = [];
  const caller = {
    header: (name: string) => callerHeaders[name] ?? null,
    remoteAddress: () => '192.0.2.1',
  } as Partial<HttpRequest> as HttpRequest;
  const source = createLocalSource(
    async (request) => {
      sent.push(request);
      steps.push('answer');
      return { status: 200, headers: {}, body: '{}', ...answer };
    },
    caller,
    async () => void steps.push('pause'),
  );
  return { source, sent, steps };
}

test('a page asks as its caller: with the same key, token, address and height, and no other header of the request', async () => {
  const passed = {
    ...{ host: 'h', origin: 'http://o', authorization: 'Bearer t', 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' },
    ...{ 'x-service-api-key': 'k', 'x-glacier-api-key': 'g', 'x-serac-min-height': '7' },
  };
  const { source, sent } = open({}, { ...passed, cookie: 'c', accept: 'text/html', 'content-type': 'text/plain' });
  await source.get('/v1/things?pageSize=2&x=a?b');
  const [{ method, path, query, header, remoteAddress }] = sent as [HttpRequest];
  expect([method, path, query, remoteAddress?.()]).toEqual(['GET', '/v1/things', 'pageSize=2&x=a?b', '192.0.2.1']);
  for (const [name, value] of Object.entries(passed)) expect([name, header(name)]).toEqual([name, value]);
  expect(['cookie', 'accept', 'content-type'].map(header)).toEqual([null, null, null]);
});

test('what is sent is JSON, a method with its parameters', async () => {
  const { source, sent } = open({});
  await source.post('/v1/things', { a: 1 });
  await source.call('/ext/dev', 'dev.nodeInfo');
  await source.call('/ext/dev', 'dev.mine', { blocks: 2 });
  const bodies = await Promise.all(sent.map(async ({ body }) => JSON.parse(Buffer.from(await body(1000)).toString())));
  expect(bodies).toEqual([
    { a: 1 },
    { jsonrpc: '2.0', id: 1, method: 'dev.nodeInfo', params: {} },
    { jsonrpc: '2.0', id: 1, method: 'dev.mine', params: { blocks: 2 } },
  ]);
  expect(sent.map(({ method, header }) => [method, header('content-type')])).toEqual(Array(3).fill(['POST', 'application/json']));
});

test('other requests run before and after each one', async () => {
  const { source, steps } = open({});
  await source.get('/v1/things');
  expect(steps).toEqual(['pause', 'answer', 'pause']);
});

test('an answer that is no JSON is a failure with its beginning as the reason', async () => {
  const text = 'x'.repeat(300);
  expect(await open({ body: text }).source.get('/')).toEqual({ status: 502, body: { message: 'x'.repeat(200) } });
  expect(await open({ status: 429, body: text }).source.get('/')).toMatchObject({ status: 429, body: { message: 'x'.repeat(200) } });
  const bytes = Buffer.from(' {"a":1} ').subarray(1, 8);
  expect(await open({ body: bytes }).source.get<object>('/')).toEqual({ status: 200, body: { a: 1 } });
  expect(await open({ body: bytes }).source.getText('/')).toEqual({ status: 200, body: '{"a":1}' });
});
