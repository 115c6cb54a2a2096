import { expect, test } from 'bun:test';
import { withProxy } from '../../../test/listening-proxy.ts';
import type { Handler, HttpResponse } from '../../api/http/message.ts';
import { serve } from './bun/serve.ts';
import { createForwarder } from './forward-request.ts';
import { send } from './serve.fixture.ts';

const size = 4_000_000;
const refusal: HttpResponse = {
  status: 405,
  headers: { allow: 'GET, PUT', 'content-type': 'a/b', 'retry-after': '1' },
  body: 'use GET or PUT\n',
};

/** Counts the bytes of a PUT; answers GET with `size` bytes, and refuses the rest with headers. */
const handler: Handler = async (request) => {
  if (request.method === 'GET') return { status: 200, headers: { 'content-type': 'x/y' }, body: '', stream: slices() };
  if (request.method !== 'PUT') return refusal;
  let bytes = 0;
  for await (const chunk of request.bodyStream?.(2 * size) ?? []) bytes += chunk.length;
  return { status: 200, headers: {}, body: `${bytes} ${request.header('authorization')}` };
};

async function* slices(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < size; sent += 100_000) yield new Uint8Array(100_000);
}

test('a forwarded request goes to the port itself, not to a proxy, with bodies of any size and the headers of the response', async () => {
  const common = { host: '127.0.0.1', port: 0, maxBodyMemory: 1000, idleTimeout: 10 };
  const target = await serve({ ...common, handler });
  const server = await serve({ ...common, handler: createForwarder(target.port) });
  const head = 'HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret';
  const seen = await withProxy(async () => {
    const body = 'x'.repeat(size);
    expect(await send(server, `PUT / ${head}\r\nContent-Length: ${size}`, body)).toEndWith(`${size} Bearer secret`);
    const state = await send(server, `GET / ${head}`);
    expect([state.length > size, state]).toEqual([true, expect.stringMatching(/^HTTP\/1.1 200 OK\r\n(.+\r\n)*content-type: x\/y\r\n/i)]);
    const [forwarded, direct] = await Promise.all([send(server, `POST / ${head}`), send(target, `POST / ${head}`)]);
    const headersOf = (response: string) =>
      response
        .toLowerCase()
        .match(/^(allow|retry-after|content-type): .*$/gm)
        ?.toSorted();
    expect(headersOf(direct)).toEqual(['allow: get, put', 'content-type: a/b', 'retry-after: 1']);
    expect(headersOf(forwarded)).toEqual(headersOf(direct));
    expect(forwarded).toContain('use GET or PUT\n');
  });
  expect(seen).toEqual([]);
  await Promise.all([server.close(), target.close()]);
});
