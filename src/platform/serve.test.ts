import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import { type Serve, type ServeError, type ServeOptions, type Server, splitTarget } from './serve.ts';
import { serve as serveBun } from './serve-bun.ts';
import { serve as serveNode } from './serve-node.ts';

test('a target is split whatever it holds', () => {
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

/** Everything that comes back on a connection until it is closed. */
const converse = (to: NetConnectOpts, request: string) =>
  new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(to, () => socket.write(request, 'latin1'));
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)));
  });

/** A connection that has sent something; `finish` sends the rest and returns what comes back first. */
const opened = (server: Server, sent: string) =>
  new Promise<{ readonly finish: (rest: string) => Promise<string>; readonly destroy: () => void }>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: server.port }, () =>
      socket.write(sent, 'latin1', () => resolve({ finish, destroy })),
    );
    const answer = Promise.withResolvers<string>();
    socket.once('data', (chunk) => answer.resolve(chunk.toString('latin1')));
    socket.once('close', () => answer.resolve(''));
    socket.once('error', reject);
    const destroy = () => void socket.destroy();
    const finish = async (rest: string): Promise<string> => {
      if (rest !== '') socket.write(rest, 'latin1');
      const text = await answer.promise;
      socket.destroy();
      return text;
    };
  });

const firstAnswer = async (server: Server, sent: string): Promise<string> => (await opened(server, sent)).finish('');

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await isSo()) return;
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

/** Chunks that a test hands over one by one, and what became of them. */
function chunkSource() {
  let asked = 0;
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
      asked++;
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
    asked: () => asked,
    left: left.promise,
  };
}

/** One suite for every server. */
const suite = (name: string, serve: Serve) =>
  describe(name, () => {
    const open: Server[] = [];
    const start = async (options: Partial<ServeOptions> = {}) => {
      const server = await serve({ host: '127.0.0.1', port: 0, handler: echo, maxBodies: 65_536, idleTimeout: 10, ...options });
      open.push(server);
      return server;
    };
    const ask = (server: Server, head: string, body = '') =>
      converse({ host: '127.0.0.1', port: server.port }, `${head}\r\nConnection: close\r\n\r\n${body}`);
    afterEach(async () => {
      await Promise.all(open.splice(0).map((server) => server.close()));
    });

    test('a stream is sent chunk by chunk, after the head and before it ends', async () => {
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

    test('a client that leaves ends the stream', async () => {
      const source = chunkSource();
      const server = await start({ handler: () => ({ status: 200, headers: {}, body: 'head', stream: source.stream }) });
      const abort = new AbortController();
      const response = await fetch(`http://127.0.0.1:${server.port}/`, { signal: abort.signal });
      await (response.body as ReadableStream<Uint8Array>).getReader().read();
      abort.abort();
      // Some servers notice only when they send.
      const timer = setInterval(() => source.put('more'), 20);
      await source.left;
      clearInterval(timer);
    });

    test('a client that reads slowly slows the stream down, not the memory up', async () => {
      const source = chunkSource();
      const chunk = new Uint8Array(1_000_000);
      for (let i = 0; i < 200; i++) source.put(chunk);
      const server = await start({ handler: () => ({ status: 200, headers: {}, body: '', stream: source.stream }) });
      const socket = connect({ host: '127.0.0.1', port: server.port }, () => socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
      socket.pause();
      await until(async () => source.asked() > 0);
      await Bun.sleep(300);
      expect(source.asked()).toBeLessThan(100);
      socket.destroy();
    });

    test('a request arrives and its answer goes back', async () => {
      const server = await start();
      const answer = await ask(server, 'POST /a%20b?c=d HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4', '\xff\x00{}');
      expect(answer).toMatch(/^HTTP\/1\.1 201 /);
      expect(answer).toMatch(/\r\nx-seen: yes\r\n/i);
      expect(answer).toMatch(/\r\ncontent-type: text\/x\r\n/i);
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
        method: 'POST',
        path: '/a%20b',
        query: 'c=d',
        host: 'localhost',
        none: null,
        body: 'ff007b7d',
      });
    });

    test('a body in chunks arrives whole', async () => {
      const answer = await ask(
        await start(),
        'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked',
        '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
      );
      expect(answer).toContain('"body":"6162636465"');
    });

    test('an empty host is no reason to fall', async () => {
      expect(await ask(await start(), 'GET /x?y HTTP/1.1\r\nHost:')).toContain('"path":"/x","query":"y"');
    });

    test('an empty answer has a length and no type', async () => {
      const answer = await ask(
        await start({ handler: () => ({ status: 200, headers: { vary: 'Origin' }, body: '' }) }),
        'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0',
      );
      expect(answer).toMatch(/\r\ncontent-length: 0\r\n/i);
      expect(answer).not.toMatch(/content-type/i);
    });

    test('HEAD has the length of what it leaves out', async () => {
      const answer = await ask(
        await start({ handler: () => ({ status: 405, headers: {}, body: 'twelve bytes' }) }),
        'HEAD / HTTP/1.1\r\nHost: a',
      );
      expect(answer).toMatch(/\r\ncontent-length: 12\r\n/i);
      expect(answer).toEndWith('\r\n\r\n');
    });

    test('a body that is too large is refused, announced or not', async () => {
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
      expect(await ask(server, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001', 'x'.repeat(1001))).toMatch(/^HTTP\/1\.1 413 /);
      const chunk = `400\r\n${'x'.repeat(0x400)}\r\n`;
      expect(await ask(server, 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked', `${chunk}0\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 413 /,
      );
      expect(codes).toEqual(['BODY_TOO_LARGE', 'BODY_TOO_LARGE']);
    });

    /** The codes of bodies that could not be read, in the order they were asked for; each is answered 200 or 413. */
    const reading = (max: number) => {
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

    test('a request can be answered before its body arrives, announced or in chunks', async () => {
      const server = await start({ handler: () => ({ status: 401, headers: {}, body: 'no key' }) });
      const { codes, handler } = reading(1000);
      const limited = await start({ handler });
      for (const length of ['Content-Length: 900', 'Transfer-Encoding: chunked'])
        expect(await firstAnswer(server, `POST / HTTP/1.1\r\nHost: a\r\n${length}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 /);
      expect(await firstAnswer(limited, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n')).toMatch(/^HTTP\/1\.1 413 /);
      expect(codes).toEqual(['BODY_TOO_LARGE']);
    });

    test('bodies are bounded in total, and answered ones are given back to the budget', async () => {
      const { codes, handler } = reading(20_000);
      const server = await start({ handler, maxBodies: 120_000 });
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n';
      const held = await Promise.all(Array.from({ length: 3 }, () => opened(server, head + 'x'.repeat(19_999))));
      await until(async () => {
        await firstAnswer(server, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 17000\r\n\r\n${'x'.repeat(17_000)}`);
        return codes.length > 0;
      });
      expect(new Set(codes)).toEqual(new Set(['BODY_OVER_BUDGET']));
      for (const { finish } of held) expect(await finish('x')).toContain('20000 bytes');
      expect(await firstAnswer(server, head + 'x'.repeat(20_000))).toContain('20000 bytes');
    });

    test('an aborted body is given back to the budget', async () => {
      const { codes, handler } = reading(20_000);
      const server = await start({ handler, maxBodies: 120_000 });
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n';
      for (let round = 1; round <= 6; round++) {
        const { destroy } = await opened(server, head + 'x'.repeat(19_999));
        await Bun.sleep(5);
        destroy();
        await until(async () => codes.length === round);
      }
      expect(new Set(codes)).toEqual(new Set(['BODY_BROKEN_OFF']));
      expect(await firstAnswer(server, head + 'x'.repeat(20_000))).toContain('20000 bytes');
    });

    test('very many tiny chunks are refused early', async () => {
      const { codes, handler } = reading(1_000_000);
      const server = await start({ handler, maxBodies: 8_000_000 });
      const tiny = (count: number) => `${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`;
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
      expect(await firstAnswer(server, head + tiny(10_000))).toContain('10000 bytes');
      expect(await firstAnswer(server, head + tiny(20_000))).toMatch(/^HTTP\/1\.1 413 /);
      expect(codes).toEqual(['BODY_FRAGMENTED']);
    });

    test('a body that does not arrive in time is refused', async () => {
      const { codes, handler } = reading(1000);
      const server = await start({ handler, bodyTimeout: 100 });
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';
      expect(await firstAnswer(server, `${head}x`)).toMatch(/^HTTP\/1\.1 413 /);
      expect(codes).toEqual(['BODY_TIMEOUT']);
    });

    test('small bodies that are announced but not sent do not block other requests', async () => {
      const { codes, handler } = reading(20_000);
      const server = await start({ handler, maxBodies: 80_000, readsAhead: () => true });
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n';
      const silent = await Promise.all(Array.from({ length: 30 }, () => opened(server, head)));
      expect(await firstAnswer(server, head + 'x'.repeat(10_000))).toContain('10000 bytes');
      for (const { destroy } of silent) destroy();
      expect(new Set(codes)).not.toContain('BODY_OVER_BUDGET');
    });

    test('a handler that throws is answered for', async () => {
      const thrower = () => {
        throw new Error('secret');
      };
      for (const handler of [thrower, () => Promise.reject(new Error('secret'))])
        for (const head of ['GET / HTTP/1.1\r\nHost: a', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0'])
          expect(await ask(await start({ handler }), head)).toMatch(/^HTTP\/1\.1 500 [\s\S]*\r\n\r\n$/);
    });

    test('a port that is taken is told from other failures', async () => {
      const { port } = await start();
      const failure = (options: Partial<ServeOptions>) => start(options).catch((error: ServeError) => error.fault);
      expect(await failure({ port })).toEqual({ code: 'PORT_TAKEN', host: '127.0.0.1', port });
      expect(await failure({ host: '192.0.2.1' })).toMatchObject({ code: 'LISTEN_FAILED', host: '192.0.2.1' });
    });

    test('a socket file will do', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'serac-'));
      try {
        const path = join(folder, 'sock');
        await start({ unix: path });
        expect(await converse({ path }, 'GET /u HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toContain('"path":"/u"');
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('closing lets a running request end, and connections kept alive do not hold it up', async () => {
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
      const kept = converse(to, 'GET /fast HTTP/1.1\r\nHost: a\r\n\r\n');
      const slow = converse(to, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
      await Promise.all([answered.promise, started.promise]);
      const closed = server.close();
      go.resolve();
      await closed;
      expect(await slow).toEndWith('slow');
      expect(await kept).toEndWith('fast');
      await expect(converse(to, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).rejects.toThrow();
    });
  });

suite('Bun.serve', serveBun);

test('Bun.serve: a connection whose headers arrive too slowly is closed', async () => {
  const server = await serveBun({ host: '127.0.0.1', port: 0, handler: echo, maxBodies: 1000, idleTimeout: 120 });
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
  const options = { host: '127.0.0.1', port: 0, handler: echo, maxBodies: 1000 };
  const longest = await serveBun({ ...options, idleTimeout: 255 });
  await longest.close();
  const server = await serveBun({ ...options, idleTimeout: 1 });
  try {
    const silent = ['GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx'];
    await Promise.all(silent.map((sent) => converse({ host: '127.0.0.1', port: server.port }, sent)));
  } finally {
    await server.close();
  }
}, 60_000);

test('Bun.serve: a small body of a path that is read ahead is available at once, of another path it is not', async () => {
  const seen: string[] = [];
  const server = await serveBun({
    host: '127.0.0.1',
    port: 0,
    maxBodies: 1_000_000,
    idleTimeout: 10,
    readsAhead: (path) => path.startsWith('/ahead'),
    handler: (request) => {
      const body = request.body(300_000);
      seen.push(`${request.path} ${body instanceof Promise ? 'later' : 'at once'}`);
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
      expect(await firstAnswer(server, `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`)).toContain(
        `${size} bytes`,
      );
    expect(seen).toEqual(['/ahead at once', '/ahead later', '/other later']);
  } finally {
    await server.close();
  }
});
suite('node:http', serveNode);
