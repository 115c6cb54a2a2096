import { describe, expect, test } from 'bun:test';
import type { HttpResponse } from '../../api/http/message.ts';
import { serve as serveBun } from './bun/serve.ts';
import { serve as serveNode } from './node/serve.ts';
import type { ServeOptions } from './serve.ts';

describe('WebSocket', () => {
  const handlers: string[] = [];
  const handler = async (): Promise<HttpResponse> => ({
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

  test('a request that is not a valid upgrade is refused, and the handler is closed', async () => {
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
