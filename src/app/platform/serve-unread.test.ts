import { afterEach, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import type { WebSocketHandlers } from '../../api/http/message.ts';
import { createTestServers, implementations, until } from './serve.fixture.ts';
import type { Server } from './serve.ts';

/** Larger than the buffers of the operating system for one connection. */
const large = Buffer.alloc(24_000_000, 'a');
/** Pairs of surrogates at every boundary of slices. */
const text = `${'a'.repeat(65_535)}${'😀'.repeat(200_000)}`;

const handler = async ({ path }: { readonly path: string }) => ({
  status: 200,
  headers: {},
  body: { '/large': large, '/text': text, '/middle': large.subarray(0, 250_000) }[path] ?? 'small',
});

/** Sends a request and reads nothing until the socket is resumed. */
const openUnread = (server: Server, path = '/large', headers = 'Accept: */*'): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: server.port }, () => {
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n`);
      resolve(socket);
    });
    socket.on('error', () => undefined);
  });

/** Reads to the end of the connection. */
const readRest = (socket: Socket): Promise<number> =>
  new Promise((resolve) => {
    let size = 0;
    socket.on('data', (chunk) => {
      size += chunk.length;
    });
    socket.on('close', () => resolve(size));
    socket.resume();
  });

for (const [name, serve] of implementations)
  describe(name, () => {
    const { start, close } = createTestServers(serve);
    afterEach(close);
    const get = (server: Server, path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);

    test('large bodies arrive complete, as bytes and as text', async () => {
      const server = await start({ handler });
      expect(Buffer.from(await (await get(server, '/large')).arrayBuffer()).equals(large)).toBe(true);
      expect(await (await get(server, '/text')).text()).toBe(text);
      const head = await fetch(`http://127.0.0.1:${server.port}/large`, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    });

    test('while unread bodies use up the memory, large ones get 503 and small ones are answered; then the one that waits longest gives way', async () => {
      const server = await start({ handler, unread: { max: 30_000_000, timeout: 60_000 } });
      const unread = await openUnread(server);
      await until(async () => (await get(server, '/large')).status === 503);
      expect(await (await get(server, '/')).text()).toBe('small');
      await until(async () => {
        const response = await get(server, '/large');
        return response.status === 200 && (await response.arrayBuffer()).byteLength === large.length;
      });
      expect(await readRest(unread)).toBeLessThan(large.length);
    });

    test('a client that reads nothing for some time is cut off; one that reads slowly gets everything', async () => {
      const server = await start({ handler, unread: { max: 100_000_000, timeout: 1000 } });
      const unread = await openUnread(server);
      const slow = await openUnread(server);
      let received = 0;
      slow.on('data', (chunk) => {
        received += chunk.length;
        slow.pause();
        setTimeout(() => slow.resume(), 1);
      });
      slow.resume();
      await Bun.sleep(3000);
      expect(await readRest(unread)).toBeLessThan(large.length);
      await until(async () => received >= large.length);
      slow.destroy();
    });

    test('a stream whose client does not read ends', async () => {
      const left = Promise.withResolvers<void>();
      const chunk = new Uint8Array(1_000_000);
      const stream = {
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false as const, value: chunk }),
          return: async () => {
            left.resolve();
            return { done: true as const, value: undefined };
          },
        }),
      };
      const server = await start({
        handler: async () => ({ status: 200, headers: {}, body: '', stream }),
        unread: { max: 100_000_000, timeout: 500 },
      });
      const socket = await openUnread(server);
      await left.promise;
      expect(await readRest(socket)).toBeGreaterThan(0);
    });

    test('a WebSocket whose client does not read is closed', async () => {
      const left = Promise.withResolvers<void>();
      const message = 'x'.repeat(100_000);
      const webSocket: WebSocketHandlers = {
        onOpen: (peer) => {
          while (peer.send(message));
        },
        onDrain: () => undefined,
        onClose: left.resolve,
      };
      const server = await start({
        handler: async () => ({ status: 101, headers: {}, body: '', webSocket }),
        unread: { max: 100_000_000, timeout: 500 },
      });
      const upgrade =
        'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
      const socket = await openUnread(server, '/', upgrade);
      await left.promise;
      socket.destroy();
    });
  });

test('Bun.serve sends a body of 250 KB as it is, but counts it while other clients do not read', async () => {
  const { start, close } = createTestServers(
    (implementations.find(([name]) => name === 'Bun.serve') as (typeof implementations)[number])[1],
  );
  // A quarter of it is enough for one such body.
  const server = await start({ handler, unread: { max: 1_100_000, timeout: 60_000 } });
  const sizeOfMiddle = async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}/middle`);
    await response.arrayBuffer();
    return response.status === 200 ? response.headers.get('content-length') : response.status;
  };
  expect(await sizeOfMiddle()).toBe('250000');
  const unread = await openUnread(server);
  await until(async () => (await sizeOfMiddle()) === 503);
  unread.destroy();
  await until(async () => (await sizeOfMiddle()) === '250000');
  await close();
});
