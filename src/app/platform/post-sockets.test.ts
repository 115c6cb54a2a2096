import { afterAll, expect, test } from 'bun:test';
import { createServer, type Socket } from 'node:net';
import { postSockets } from './post-sockets.ts';

const servers: { close: () => void }[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** A server that answers every connection with `answer`. */
function listen(answer: (socket: Socket, request: string) => void): Promise<number> {
  const server = createServer((socket) => {
    let request = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1');
      if (request.includes('\r\n\r\n') && request.endsWith('}')) answer(socket, request);
    });
  });
  servers.push(server);
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)));
}

const post = (port: number, more: { signal?: AbortSignal; scheme?: string } = {}) =>
  postSockets
    .post({
      url: new URL(`${more.scheme ?? 'http'}://receiver.example:${port}/hook?a=1`),
      address: '127.0.0.1',
      headers: { 'x-signature': 'abc' },
      body: '{"ä":1}',
      signal: more.signal ?? AbortSignal.timeout(5000),
      maxResponseBytes: 1024,
    })
    .catch((error: Error) => error.message);

test('sends the request to the given address and reads the status', async () => {
  let seen = '';
  const port = await listen((socket, request) => {
    seen = request;
    socket.end('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n');
  });
  expect(await post(port)).toBe(202);
  expect(seen).toStartWith(`POST /hook?a=1 HTTP/1.1\r\nhost: receiver.example:${port}\r\nconnection: close\r\n`);
  expect(seen).toContain('\r\ncontent-length: 8\r\n');
});

test('a response without an end of its head, silence, a closed connection and an abort are failures', async () => {
  const endless = await listen((socket) => {
    const send = (): void => {
      if (!socket.destroyed) socket.write('x'.repeat(500), () => setTimeout(send, 1));
    };
    send();
  });
  expect(await post(endless)).toBe('the response has no status in its first bytes');
  const silent = await listen(() => {});
  const closing = await listen((socket) => void socket.destroy());
  expect(typeof (await post(closing))).toBe('string');
  const aborting = new AbortController();
  setTimeout(() => aborting.abort(new Error('too late')), 20);
  expect(await post(silent, { signal: aborting.signal })).toBe('too late');
  expect(await post(silent, { signal: aborting.signal })).toBe('too late');
  expect(typeof (await post(1))).toBe('string');
});

test('garbage is no status, and https needs TLS', async () => {
  const garbage = await listen((socket) => void socket.end('SSH-2.0-x\r\n\r\n'));
  expect(await post(garbage)).toBe(0);
  expect(typeof (await post(garbage, { scheme: 'https', signal: AbortSignal.timeout(500) }))).toBe('string');
});
