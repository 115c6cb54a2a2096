import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import { type Serve, type ServeError, type ServeOptions, type Server, splitTarget } from './serve.ts';
import { serve as serveBun } from './serve-bun.ts';
import { serve as serveNode } from './serve-node.ts';

test('any request target is split into path and query', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['http://localhost:9650/ext/bc/X', '/ext/bc/X', ''],
    ['http://localhost/a?b?c=/d', '/a', 'b?c=/d'],
    ['http://localhost?b', '/', ''],
    ['/ext/bc/X?a', '/ext/bc/X', 'a'],
    ['/http://x/y', '/http://x/y', ''],
    ['http://a', '/', ''],
    ['*', '*', ''],
    ['', '', ''],
    ['?a', '', 'a'],
  ];
  for (const [target, path, query] of cases) expect([target, splitTarget(target)]).toEqual([target, { path, query }]);
});

/** Sends a request and returns all bytes received until the connection is closed. */
const exchange = (to: NetConnectOpts, request: string) =>
  new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(to, () => socket.write(request, 'latin1'));
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)));
  });

/** Opens a connection and sends part of a request; `finish` sends the rest and returns the first received chunk. */
const openConnection = (server: Server, sent: string) =>
  new Promise<{ readonly finish: (rest: string) => Promise<string>; readonly destroy: () => void }>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: server.port }, () =>
      socket.write(sent, 'latin1', () => resolve({ finish, destroy })),
    );
    const response = Promise.withResolvers<string>();
    socket.once('data', (chunk) => response.resolve(chunk.toString('latin1')));
    socket.once('close', () => response.resolve(''));
    socket.once('error', reject);
    const destroy = () => void socket.destroy();
    const finish = async (rest: string): Promise<string> => {
      if (rest !== '') socket.write(rest, 'latin1');
      const text = await response.promise;
      socket.destroy();
      return text;
    };
  });

const firstChunk = async (server: Server, sent: string): Promise<string> => (await openConnection(server, sent)).finish('');

async function until(isMet: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await isMet()) return;
    await Bun.sleep(10);
  }
  throw new Error('the condition was never met');
}

const echo = async (request: HttpRequest): Promise<HttpResponse> => {
  const { method, path, query } = request;
  const seen = { method, path, query, host: request.header('host'), none: request.header('x-none') };
  const body = Buffer.from(await request.body(1000)).toString('hex');
  return { status: 201, headers: { 'x-seen': 'yes', 'content-type': 'text/x' }, body: JSON.stringify({ ...seen, body }) };
};

/** A stream whose chunks a test provides one by one. `pulled`: number of requested chunks. `left`: resolves when the client has disconnected. */
function chunkSource() {
  let pulled = 0;
  const left = Promise.withResolvers<void>();
  const waiting: ((result: IteratorResult<Uint8Array>) => void)[] = [];
  const ready: IteratorResult<Uint8Array>[] = [];
  const put = (result: IteratorResult<Uint8Array>): void => {
    const next = waiting.shift();
    if (next === undefined) ready.push(result);
    else next(result);
  };
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => {
      pulled++;
      const first = ready.shift();
      return first === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(first);
    },
    return: async () => {
      left.resolve();
      put({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
  };
  return {
    stream: { [Symbol.asyncIterator]: () => iterator },
    put: (text: string | Uint8Array) => put({ done: false, value: Buffer.from(text as string) }),
    end: () => put({ done: true, value: undefined }),
    pulled: () => pulled,
    left: left.promise,
  };
}

/** The tests that run on every server. */
const suite = (name: string, serve: Serve) =>
  describe(name, () => {
    const open: Server[] = [];
    const start = async (options: Partial<ServeOptions> = {}) => {
      const server = await serve({ host: '127.0.0.1', port: 0, handler: echo, maxBodyMemory: 65_536, idleTimeout: 10, ...options });
      open.push(server);
      return server;
    };
    const send = (server: Server, head: string, body = '') =>
      exchange({ host: '127.0.0.1', port: server.port }, `${head}\r\nConnection: close\r\n\r\n${body}`);
    afterEach(async () => {
      await Promise.all(open.splice(0).map((server) => server.close()));
    });

    test('a stream is sent chunk by chunk after `body`, before it ends', async () => {
      const source = chunkSource();
      const server = await start({
        handler: () => ({ status: 200, headers: { 'content-type': 'x/y' }, body: 'head ', stream: source.stream }),
      });
      const response = await fetch(`http://127.0.0.1:${server.port}/`);
      expect(response.headers.get('content-type')).toBe('x/y');
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const read = async () => Buffer.from((await reader.read()).value ?? []).toString();
      expect(await read()).toBe('head ');
      source.put('one');
      expect(await read()).toBe('one');
      source.put('two');
      expect(await read()).toBe('two');
      source.end();
      expect((await reader.read()).done).toBe(true);
    });

    test('the stream ends when the client disconnects', async () => {
      const source = chunkSource();
      const server = await start({ handler: () => ({ status: 200, headers: {}, body: 'head', stream: source.stream }) });
      const abort = new AbortController();
      const response = await fetch(`http://127.0.0.1:${server.port}/`, { signal: abort.signal });
      await (response.body as ReadableStream<Uint8Array>).getReader().read();
      abort.abort();
      // Some servers notice a disconnect only when they send.
      const timer = setInterval(() => source.put('more'), 20);
      await source.left;
      clearInterval(timer);
    });

    test('a slow client slows the stream down instead of filling memory', async () => {
      const source = chunkSource();
      const chunk = new Uint8Array(1_000_000);
      for (let i = 0; i < 200; i++) source.put(chunk);
      const server = await start({ handler: () => ({ status: 200, headers: {}, body: '', stream: source.stream }) });
      const socket = connect({ host: '127.0.0.1', port: server.port }, () => socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
      socket.pause();
      await until(async () => source.pulled() > 0);
      await Bun.sleep(300);
      expect(source.pulled()).toBeLessThan(100);
      socket.destroy();
    });

    test('a request reaches the handler and its response the client', async () => {
      const server = await start();
      const response = await send(server, 'POST /a%20b?c=d HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4', '\xff\x00{}');
      expect(response).toMatch(/^HTTP\/1\.1 201 /);
      expect(response).toMatch(/\r\nx-seen: yes\r\n/i);
      expect(response).toMatch(/\r\ncontent-type: text\/x\r\n/i);
      expect(JSON.parse(response.slice(response.indexOf('\r\n\r\n')))).toEqual({
        method: 'POST',
        path: '/a%20b',
        query: 'c=d',
        host: 'localhost',
        none: null,
        body: 'ff007b7d',
      });
    });

    test('a chunked body is joined', async () => {
      const response = await send(
        await start(),
        'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked',
        '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
      );
      expect(response).toContain('"body":"6162636465"');
    });

    test('an empty Host header is accepted', async () => {
      expect(await send(await start(), 'GET /x?y HTTP/1.1\r\nHost:')).toContain('"path":"/x","query":"y"');
    });

    test('an empty response has a content length and no content type', async () => {
      const response = await send(
        await start({ handler: () => ({ status: 200, headers: { vary: 'Origin' }, body: '' }) }),
        'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0',
      );
      expect(response).toMatch(/\r\ncontent-length: 0\r\n/i);
      expect(response).not.toMatch(/content-type/i);
    });

    test('a response to HEAD has the content length of the omitted body', async () => {
      const response = await send(
        await start({ handler: () => ({ status: 405, headers: {}, body: 'twelve bytes' }) }),
        'HEAD / HTTP/1.1\r\nHost: a',
      );
      expect(response).toMatch(/\r\ncontent-length: 12\r\n/i);
      expect(response).toEndWith('\r\n\r\n');
    });

    test('a body that is too large is rejected, with or without Content-Length', async () => {
      const codes: string[] = [];
      const handler = async (request: HttpRequest): Promise<HttpResponse> => {
        try {
          await request.body(1000);
        } catch (error) {
          codes.push((error as ServeError).fault.code);
        }
        return { status: 413, headers: {}, body: 'large' };
      };
      const server = await start({ handler });
      expect(await send(server, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001', 'x'.repeat(1001))).toMatch(/^HTTP\/1\.1 413 /);
      const chunk = `400\r\n${'x'.repeat(0x400)}\r\n`;
      expect(await send(server, 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked', `${chunk}0\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 413 /,
      );
      expect(codes).toEqual(['BODY_TOO_LARGE', 'BODY_TOO_LARGE']);
    });

    /** A handler that reads the body and answers 200, or 413 if that fails. `codes`: fault codes of the failures, in order. */
    const createReadingHandler = (max: number) => {
      const codes: string[] = [];
      const handler = async (request: HttpRequest): Promise<HttpResponse> => {
        try {
          return { status: 200, headers: {}, body: `${(await request.body(max)).length} bytes` };
        } catch (error) {
          codes.push((error as ServeError).fault.code);
          return { status: 413, headers: {}, body: 'no' };
        }
      };
      return { codes, handler };
    };

    test('a handler can respond before the body arrives, with Content-Length or chunked', async () => {
      const server = await start({ handler: () => ({ status: 401, headers: {}, body: 'no key' }) });
      const { codes, handler } = createReadingHandler(1000);
      const limited = await start({ handler });
      for (const length of ['Content-Length: 900', 'Transfer-Encoding: chunked'])
        expect(await firstChunk(server, `POST / HTTP/1.1\r\nHost: a\r\n${length}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 /);
      expect(await firstChunk(limited, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n')).toMatch(/^HTTP\/1\.1 413 /);
      expect(codes).toEqual(['BODY_TOO_LARGE']);
    });

    test('the memory of all bodies is limited, and returned to the budget after the response', async () => {
      const { codes, handler } = createReadingHandler(20_000);
      const server = await start({ handler, maxBodyMemory: 120_000 });
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n';
      const incomplete = await Promise.all(Array.from({ length: 3 }, () => openConnection(server, head + 'x'.repeat(19_999))));
      await until(async () => {
        await firstChunk(server, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 17000\r\n\r\n${'x'.repeat(17_000)}`);
        return codes.length > 0;
      });
      expect(new Set(codes)).toEqual(new Set(['BODY_OVER_BUDGET']));
      for (const { finish } of incomplete) expect(await finish('x')).toContain('20000 bytes');
      expect(await firstChunk(server, head + 'x'.repeat(20_000))).toContain('20000 bytes');
    });

    test('the memory of an aborted body is returned to the budget', async () => {
      const { codes, handler } = createReadingHandler(20_000);
      const server = await start({ handler, maxBodyMemory: 120_000 });
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n';
      for (let round = 1; round <= 6; round++) {
        const { destroy } = await openConnection(server, head + 'x'.repeat(19_999));
        await Bun.sleep(5);
        destroy();
        await until(async () => codes.length === round);
      }
      expect(new Set(codes)).toEqual(new Set(['BODY_BROKEN_OFF']));
      expect(await firstChunk(server, head + 'x'.repeat(20_000))).toContain('20000 bytes');
    });

    test('a body of very many tiny chunks is rejected early', async () => {
      const { codes, handler } = createReadingHandler(1_000_000);
      const server = await start({ handler, maxBodyMemory: 8_000_000 });
      const tiny = (count: number) => `${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`;
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
      expect(await firstChunk(server, head + tiny(10_000))).toContain('10000 bytes');
      expect(await firstChunk(server, head + tiny(20_000))).toMatch(/^HTTP\/1\.1 413 /);
      expect(codes).toEqual(['BODY_FRAGMENTED']);
    });

    test('a body that does not arrive in time is rejected', async () => {
      const { codes, handler } = createReadingHandler(1000);
      const server = await start({ handler, bodyTimeout: 100 });
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';
      expect(await firstChunk(server, `${head}x`)).toMatch(/^HTTP\/1\.1 413 /);
      expect(codes).toEqual(['BODY_TIMEOUT']);
    });

    test('small bodies that are announced but not sent do not block other requests', async () => {
      const { codes, handler } = createReadingHandler(20_000);
      const server = await start({ handler, maxBodyMemory: 80_000, readsBodyAhead: () => true });
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n';
      const unsent = await Promise.all(Array.from({ length: 30 }, () => openConnection(server, head)));
      expect(await firstChunk(server, head + 'x'.repeat(10_000))).toContain('10000 bytes');
      for (const { destroy } of unsent) destroy();
      expect(new Set(codes)).not.toContain('BODY_OVER_BUDGET');
    });

    test('a handler that throws is answered with 500', async () => {
      const thrower = () => {
        throw new Error('secret');
      };
      for (const handler of [thrower, () => Promise.reject(new Error('secret'))])
        for (const head of ['GET / HTTP/1.1\r\nHost: a', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0'])
          expect(await send(await start({ handler }), head)).toMatch(/^HTTP\/1\.1 500 [\s\S]*\r\n\r\n$/);
    });

    test('a port in use has an error code of its own', async () => {
      const { port } = await start();
      const failure = (options: Partial<ServeOptions>) => start(options).catch((error: ServeError) => error.fault);
      expect(await failure({ port })).toEqual({ code: 'PORT_TAKEN', host: '127.0.0.1', port });
      expect(await failure({ host: '192.0.2.1' })).toMatchObject({ code: 'LISTEN_FAILED', host: '192.0.2.1' });
    });

    test('the server can listen on a socket file', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'serac-'));
      try {
        const path = join(folder, 'sock');
        await start({ unix: path });
        expect(await exchange({ path }, 'GET /u HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toContain('"path":"/u"');
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('close waits for a running request, but not for idle keep-alive connections', async () => {
      const answered = Promise.withResolvers<void>();
      const started = Promise.withResolvers<void>();
      const go = Promise.withResolvers<void>();
      const handler = async ({ path }: HttpRequest): Promise<HttpResponse> => {
        if (path === '/fast') {
          answered.resolve();
          return { status: 200, headers: {}, body: 'fast' };
        }
        started.resolve();
        await go.promise;
        return { status: 200, headers: {}, body: 'slow' };
      };
      const server = await start({ handler });
      const to = { host: '127.0.0.1', port: server.port };
      const idle = exchange(to, 'GET /fast HTTP/1.1\r\nHost: a\r\n\r\n');
      const slow = exchange(to, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
      await Promise.all([answered.promise, started.promise]);
      const closed = server.close();
      go.resolve();
      await closed;
      expect(await slow).toEndWith('slow');
      expect(await idle).toEndWith('fast');
      await expect(exchange(to, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).rejects.toThrow();
    });
  });

suite('Bun.serve', serveBun);

test('Bun.serve: a connection whose headers arrive too slowly is closed', async () => {
  const server = await serveBun({ host: '127.0.0.1', port: 0, handler: echo, maxBodyMemory: 1000, idleTimeout: 120 });
  const socket = connect({ host: '127.0.0.1', port: server.port }, () => socket.write('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '));
  const slow = setInterval(() => socket.write('x'), 200);
  try {
    await new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  } finally {
    clearInterval(slow);
    await server.close();
  }
}, 60_000);

test('Bun.serve: an idle connection is closed; 255 s is accepted', async () => {
  const options = { host: '127.0.0.1', port: 0, handler: echo, maxBodyMemory: 1000 };
  const longest = await serveBun({ ...options, idleTimeout: 255 });
  await longest.close();
  const server = await serveBun({ ...options, idleTimeout: 1 });
  try {
    const unsent = ['GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx'];
    await Promise.all(unsent.map((sent) => exchange({ host: '127.0.0.1', port: server.port }, sent)));
  } finally {
    await server.close();
  }
}, 60_000);

test('Bun.serve: a small body is available synchronously on paths that read ahead, and not on others', async () => {
  const seen: string[] = [];
  const server = await serveBun({
    host: '127.0.0.1',
    port: 0,
    maxBodyMemory: 1_000_000,
    idleTimeout: 10,
    readsBodyAhead: (path) => path.startsWith('/ahead'),
    handler: (request) => {
      const body = request.body(300_000);
      seen.push(`${request.path} ${body instanceof Promise ? 'asynchronous' : 'synchronous'}`);
      const respond = ({ length }: Uint8Array) => ({ status: 200, headers: {}, body: `${length} bytes` });
      return body instanceof Promise ? body.then(respond) : respond(body);
    },
  });
  try {
    for (const [path, size] of [
      ['/ahead', 262_144],
      ['/ahead', 262_145],
      ['/other', 10],
    ] as const)
      expect(await firstChunk(server, `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`)).toContain(
        `${size} bytes`,
      );
    expect(seen).toEqual(['/ahead synchronous', '/ahead asynchronous', '/other asynchronous']);
  } finally {
    await server.close();
  }
});

suite('node:http', serveNode);

describe('WebSocket', () => {
  const handlers: string[] = [];
  const handler = (): HttpResponse => ({
    status: 101,
    headers: {},
    body: '',
    webSocket: {
      onOpen: (peer) => {
        handlers.push(`open ${peer.send('hello')}`);
        peer.close();
      },
      onDrain: () => {},
      onClose: () => void handlers.push('close'),
    },
  });
  const options: ServeOptions = { host: '127.0.0.1', port: 0, handler, maxBodyMemory: 1_000_000, idleTimeout: 5 };

  test('on Bun a handler sends messages until it closes the connection', async () => {
    handlers.length = 0;
    const server = await serveBun(options);
    const messages: unknown[] = [];
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/`);
    socket.onmessage = ({ data }) => void messages.push(data);
    await new Promise((resolve) => {
      socket.onclose = resolve;
    });
    expect([messages, handlers]).toEqual([['hello'], ['open true', 'close']]);
    await server.close();
  });

  test('a request that is not a valid upgrade is refused and the handler is told', async () => {
    for (const serve of [serveBun, serveNode]) {
      handlers.length = 0;
      const server = await serve(options);
      const response = await fetch(`http://127.0.0.1:${server.port}/`);
      expect([response.status, handlers]).toEqual([400, ['close']]);
      expect((await response.text()).length).toBeGreaterThan(20);
      await server.close();
    }
  });
});

for (const [name, serve] of [
  ['Bun', serveBun],
  ['Node', serveNode],
] as const)
  describe(`a body in chunks, on ${name}`, () => {
    const withServer = async (max: number, work: (url: string, server: Server) => Promise<void>) => {
      const handler = async (request: HttpRequest): Promise<HttpResponse> => {
        let [size, sum] = [0, 0];
        try {
          for await (const chunk of request.bodyStream?.(max) ?? []) {
            size += chunk.length;
            for (const byte of chunk) sum = (sum + byte) % 65_521;
          }
          return { status: 200, headers: {}, body: `${size} ${sum}` };
        } catch (error) {
          return { status: 400, headers: {}, body: (error as ServeError).fault.code };
        }
      };
      const server = await serve({ host: '127.0.0.1', port: 0, handler, maxBodyMemory: 1000, idleTimeout: 10, bodyTimeout: 300 });
      await work(`http://127.0.0.1:${server.port}/x`, server).finally(server.close);
    };

    test('is larger than the memory for bodies', () =>
      withServer(1e9, async (url) => {
        const body = new Uint8Array(5_000_000).fill(3);
        expect(await (await fetch(url, { method: 'PUT', body })).text()).toBe(`5000000 ${15_000_000 % 65_521}`);
        expect(await (await fetch(url)).text()).toBe('0 0');
      }));

    test('is refused above the limit, and when no chunk arrives in time', () =>
      withServer(100_000, async (url, server) => {
        const tooLarge = await fetch(url, { method: 'PUT', body: new Uint8Array(200_000) }).then((response) => response.text());
        expect(tooLarge).toBe('BODY_TOO_LARGE');
        const late = await firstChunk(server, 'PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nabc');
        expect(late).toContain('BODY_TIMEOUT');
      }));
  });
