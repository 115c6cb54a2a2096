import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { echo, exchange, firstChunk } from '../serve.fixture.ts';
import { serve as serveBun } from './serve.ts';

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
});

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
});

test('Bun.serve: a small body is read whole on paths that do so, and in chunks on others', async () => {
  const seen: string[] = [];
  const server = await serveBun({
    host: '127.0.0.1',
    port: 0,
    maxBodyMemory: 1_000_000,
    idleTimeout: 10,
    readsBodyWhole: (path) => path.startsWith('/whole'),
    handler: async (request) => {
      const { length } = await request.body(300_000);
      seen.push(`${request.path} ${request.bodyStream === undefined ? 'whole' : 'in chunks'}`);
      return { status: 200, headers: {}, body: `${length} bytes` };
    },
  });
  try {
    for (const [path, size] of [
      ['/whole', 262_144],
      ['/whole', 262_145],
      ['/other', 10],
    ] as const)
      expect(await firstChunk(server, `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`)).toContain(
        `${size} bytes`,
      );
    expect(seen).toEqual(['/whole whole', '/whole in chunks', '/other in chunks']);
  } finally {
    await server.close();
  }
});
