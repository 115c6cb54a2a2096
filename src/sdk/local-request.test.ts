import { expect, test } from 'bun:test';
import type { HttpRequest, HttpResponse } from '../api/http/message.ts';
import type { KeepAlive } from './keep-alive.ts';
import { callHandler, toStandardResponse } from './local-request.ts';

/** What a handler gets of a request. */
async function seen(request: Parameters<typeof callHandler>[1]) {
  let got: HttpRequest | undefined;
  await callHandler(async (one) => {
    got = one;
    return { status: 204, headers: {}, body: '' };
  }, request);
  const { method, path, query, header, body } = got as HttpRequest;
  return { method, path, query, host: header('host'), type: header('content-type'), body: Buffer.from(await body(1000)).toString() };
}

test('a request has path and query, headers by name, and the name of this machine as host', async () => {
  expect(await seen({ method: 'GET', target: '/v1?a=b?c' })).toEqual({
    method: 'GET',
    path: '/v1',
    query: 'a=b?c',
    host: 'localhost',
    type: null,
    body: '',
  });
  const headers = { host: 'example.com', 'content-type': 'application/json' };
  expect(await seen({ method: 'POST', target: '/ext/bc/X', headers, body: Buffer.from('{}') })).toEqual({
    ...{ method: 'POST', path: '/ext/bc/X', query: '', host: 'localhost', type: 'application/json', body: '{}' },
  });
  expect((await seen({ method: 'POST', target: '/', headers: { 'Content-Type': 'text/plain' } })).type).toBe('text/plain');
  expect(await seen({ method: 'GET', target: '?a' })).toMatchObject({ path: '', query: 'a' });
});

/** Counts the waits during which the process must keep running. */
function countWaits() {
  const counts = { waits: 0 };
  const during: KeepAlive['during'] = (work) => {
    counts.waits++;
    return work;
  };
  return { counts, keepAlive: { during } as unknown as KeepAlive };
}
const responseOf = (response: Partial<HttpResponse>, keepAlive = countWaits().keepAlive) =>
  toStandardResponse({ status: 200, headers: {}, body: '', ...response } as HttpResponse, keepAlive);

test('a response has status, headers and body; one without a body has none', async () => {
  const response = responseOf({ status: 404, headers: { 'content-type': 'text/plain' }, body: 'no' });
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([404, 'text/plain', 'no']);
  expect(await responseOf({ body: Uint8Array.of(1, 2) }).bytes()).toEqual(Uint8Array.of(1, 2));
  expect(responseOf({ status: 204 }).body).toBeNull();
});

test('a stream is read as its reader reads, after the first part, and ended when the reader stops', async () => {
  const log: string[] = [];
  async function* parts() {
    try {
      for (const part of ['b', 'c']) {
        log.push(part);
        yield Buffer.from(part);
      }
    } finally {
      log.push('end');
    }
  }
  const { counts, keepAlive } = countWaits();
  const response = responseOf({ body: 'a', stream: parts() }, keepAlive);
  expect([log, counts.waits]).toEqual([[], 0]);
  expect(await response.text()).toBe('abc');
  expect([log, counts.waits]).toEqual([['b', 'c', 'end'], 3]);
  log.length = 0;
  const reader = responseOf({ body: Buffer.from('a'), stream: parts() }).body?.getReader();
  const read = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
  expect([await read(), await read(), log]).toEqual(['a', 'b', ['b']]);
  await reader?.cancel();
  expect(log).toEqual(['b', 'end']);
  // Without a first part the stream is the body.
  expect(await responseOf({ stream: parts() }).text()).toBe('bc');
});
