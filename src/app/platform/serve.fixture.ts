import { connect, type NetConnectOpts } from 'node:net';
import type { HttpRequest, HttpResponse } from '../../api/http/message.ts';
import { serve as serveBun } from './bun/serve.ts';
import { serve as serveNode } from './node/serve.ts';
import type { Serve, ServeOptions, Server } from './serve.ts';

/** Sends a request and returns all bytes received until the connection is closed. */
export const exchange = (to: NetConnectOpts, request: string) =>
  new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(to, () => socket.write(request, 'latin1'));
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)));
  });

/** Opens a connection and sends part of a request; `finish` sends the rest and returns the first received chunk. */
export const openConnection = (server: Server, sent: string) =>
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

export const firstChunk = async (server: Server, sent: string): Promise<string> => (await openConnection(server, sent)).finish('');

/** Waits until a condition is met, at most five seconds. */
export async function until(isMet: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await isMet()) return;
    await Bun.sleep(10);
  }
  throw new Error('the condition was never met');
}

/** Answers with what it received. */
export const echo = async (request: HttpRequest): Promise<HttpResponse> => {
  const { method, path, query } = request;
  const seen = { method, path, query, host: request.header('host'), none: request.header('x-none') };
  const body = Buffer.from(await request.body(1000)).toString('hex');
  return { status: 201, headers: { 'x-seen': 'yes', 'content-type': 'text/x' }, body: JSON.stringify({ ...seen, body }) };
};

/** The implementations, by name. */
export const implementations: readonly (readonly [name: string, serve: Serve])[] = [
  ['Bun.serve', serveBun],
  ['node:http', serveNode],
];

/** Starts servers with an echo handler; `close` closes all that were started. */
export function createTestServers(serve: Serve) {
  const open: Server[] = [];
  return {
    start: async (options: Partial<ServeOptions> = {}): Promise<Server> => {
      const server = await serve({ host: '127.0.0.1', port: 0, handler: echo, maxBodyMemory: 65_536, idleTimeout: 10, ...options });
      open.push(server);
      return server;
    },
    close: async (): Promise<void> => {
      await Promise.all(open.splice(0).map((server) => server.close()));
    },
  };
}

/** Sends a request on a connection of its own and returns the response. */
export const send = (server: Server, head: string, body = '') =>
  exchange({ host: '127.0.0.1', port: server.port }, `${head}\r\nConnection: close\r\n\r\n${body}`);
