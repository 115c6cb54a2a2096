import { expect, test } from 'bun:test';
import { fetchTransport } from './transport.ts';

const signal = new AbortController().signal;

test('a response is read to its end, and one that is too long only up to the limit', async () => {
  let given = 0;
  let isClosed = false;
  async function* chunks() {
    try {
      for (; given < 100; given++) yield new TextEncoder().encode('é'.repeat(50));
    } finally {
      isClosed = true;
    }
  }
  const sent: unknown[] = [];
  const transport = fetchTransport(async (url, { method, headers, body }) => {
    sent.push(url, method, headers, body);
    given = 0;
    isClosed = false;
    return { status: 200, headers: new Headers(), body: chunks(), text: async () => 'not read at once' };
  });
  const request = { url: 'http://node/ext/info', body: '{}', signal };
  expect((await transport({ ...request, maxBytes: 10_000 })).text).toBe('é'.repeat(5000));
  expect(await transport({ ...request, maxBytes: 250 })).toEqual({ status: 200, text: undefined });
  expect([given, isClosed]).toEqual([2, true]);
  expect(sent.slice(0, 4)).toEqual(['http://node/ext/info', 'POST', { 'content-type': 'application/json' }, '{}']);
});

test('a response without a body has an empty text', async () => {
  const transport = fetchTransport(async () => new Response(null, { status: 204 }));
  expect(await transport({ url: 'http://node', body: '', maxBytes: 1, signal })).toEqual({ status: 204, text: '' });
});

test('a response is never longer than the limit, whatever length it claims', async () => {
  const long = 'x'.repeat(100_000);
  const zipped = Bun.gzipSync(long);
  const chunk = `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`;
  const ways: Record<string, [headers: string, body: string | Uint8Array]> = {
    short: ['content-length: 5', 'short'],
    long: [`content-length: ${long.length}`, long],
    longer: ['content-length: 5', long],
    zipped: [`content-encoding: gzip\r\ncontent-length: ${zipped.length}`, zipped],
    chunked: ['content-length: 5\r\ntransfer-encoding: chunked', chunk],
  };
  const node = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (socket, data) => {
        const [headers, body] = ways[/^POST \/(\w+)/.exec(data.toString())?.[1] ?? ''] as (typeof ways)[string];
        socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nconnection: close\r\n${headers}\r\n\r\n`), Buffer.from(body)]));
        socket.end();
      },
    },
  });
  try {
    const lengths = Object.keys(ways).map(async (way) => {
      const request = { url: `http://127.0.0.1:${node.port}/${way}`, body: '{}', maxBytes: 1000, signal };
      return await fetchTransport(fetch)(request).then(
        ({ text }) => text?.length,
        () => undefined,
      );
    });
    const [short, ...others] = await Promise.all(lengths);
    expect(short).toBe(5);
    for (const length of others) expect(length ?? 0).toBeLessThanOrEqual(1000);
  } finally {
    node.stop(true);
  }
});

test('a redirect is not followed', async () => {
  let reached = 0;
  const target = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => {
      reached++;
      return new Response('{}');
    },
  });
  const node = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.redirect(`http://127.0.0.1:${target.port}/`, 307) });
  try {
    const { status } = await fetchTransport(fetch)({ url: `http://127.0.0.1:${node.port}/`, body: '{}', maxBytes: 100, signal });
    expect([status, reached]).toEqual([307, 0]);
  } finally {
    await Promise.all([target.stop(true), node.stop(true)]);
  }
});
