import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { createTestServers, exchange, implementations, send } from './serve.fixture.ts';
import { type ServeError, type ServeOptions, splitTarget } from './serve.ts';

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

for (const [name, serve] of implementations)
  describe(name, () => {
    const { start, close } = createTestServers(serve);
    afterEach(close);

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

    test('a request with announced trailers has one answer: it is served, and so is the next one, or it is refused before it runs', async () => {
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n';
      const request = `${head}3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n`;
      const paths: string[] = [];
      const { port, host } = await start({
        handler: async ({ path, body }) => {
          paths.push(path);
          return { status: 201, headers: {}, body: await body(100) };
        },
      });
      const last = request.replace('Host: a', 'Host: a\r\nConnection: close');
      for (const sent of [last, `${request}GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`]) {
        const answers = (await exchange({ port, host }, sent)).split(/(?=HTTP\/1\.1 )/);
        const statuses = answers.map((answer) => answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 201'.length));
        const served = paths.splice(0);
        if (served.length === 0) expect(statuses).toEqual(['400']);
        else
          expect([served, statuses]).toEqual(
            sent === last
              ? [['/'], ['201']]
              : [
                  ['/', '/next'],
                  ['201', '201'],
                ],
          );
      }
    });

    test('an empty Host header is accepted', async () => {
      expect(await send(await start(), 'GET /x?y HTTP/1.1\r\nHost:')).toContain('"path":"/x","query":"y"');
    });

    test('an empty response has a content length and no content type', async () => {
      const response = await send(
        await start({ handler: async () => ({ status: 200, headers: { vary: 'Origin' }, body: '' }) }),
        'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0',
      );
      expect(response).toMatch(/\r\ncontent-length: 0\r\n/i);
      expect(response).not.toMatch(/content-type/i);
    });

    test('a response to HEAD has the content length of the omitted body', async () => {
      const response = await send(
        await start({ handler: async () => ({ status: 405, headers: {}, body: 'twelve bytes' }) }),
        'HEAD / HTTP/1.1\r\nHost: a',
      );
      expect(response).toMatch(/\r\ncontent-length: 12\r\n/i);
      expect(response).toEndWith('\r\n\r\n');
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
