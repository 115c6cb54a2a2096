import { afterEach, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { createTestServers, firstChunk, implementations, openConnection, send, until } from './serve.fixture.ts';
import type { ServeError, Server } from './serve.ts';

for (const [name, serve] of implementations)
  describe(name, () => {
    const { start, close } = createTestServers(serve);
    afterEach(close);

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
      const server = await start({ handler: async () => ({ status: 401, headers: {}, body: 'no key' }) });
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

    for (const isReadWhole of [true, false])
      for (const [length, byte] of [
        ['Content-Length: 1000', 'x'],
        ['Transfer-Encoding: chunked', '1\r\nx\r\n'],
      ] as const)
        test(`a body that arrives byte by byte gets 408, and its connection is closed (${length}, read whole: ${isReadWhole})`, async () => {
          let calls = 0;
          const handler = async (request: HttpRequest): Promise<HttpResponse> => {
            calls++;
            const code = await Promise.resolve(request.body(1000)).catch((error: ServeError) => error.fault.code);
            return { status: code === 'BODY_TIMEOUT' ? 408 : 200, headers: { 'x-code': `${code}` }, body: 'slow' };
          };
          const server = await start({ handler, bodyTimeout: 200, readsBodyWhole: () => isReadWhole, maxBodyMemory: 2000 });
          const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
          socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${length}\r\n\r\n`);
          const sending = setInterval(() => socket.write(byte), 20);
          let answer = '';
          socket.on('data', (chunk) => {
            answer += chunk.toString('latin1');
          });
          await Promise.race([once(socket, 'close'), Bun.sleep(3000)]);
          clearInterval(sending);
          expect([answer, socket.destroyed]).toEqual([expect.stringMatching(/^HTTP\/1\.1 408 .*\r\n\r\nslow$/s), true]);
          expect(answer).toMatch(/\r\nconnection: close\r\n/i);
          // The memory is free again, and a body that arrives later is not passed to the handler.
          const whole = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(1000)}`;
          expect(await firstChunk(server, whole)).toStartWith('HTTP/1.1 200 ');
          expect(calls).toBe(2);
        });

    test('small bodies that are announced but not sent do not block other requests', async () => {
      const { codes, handler } = createReadingHandler(20_000);
      const server = await start({ handler, maxBodyMemory: 80_000, readsBodyWhole: () => true });
      const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n';
      const unsent = await Promise.all(Array.from({ length: 30 }, () => openConnection(server, head)));
      expect(await firstChunk(server, head + 'x'.repeat(10_000))).toContain('10000 bytes');
      for (const { destroy } of unsent) destroy();
      expect(new Set(codes)).not.toContain('BODY_OVER_BUDGET');
    });
  });

for (const [name, serve] of implementations)
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
