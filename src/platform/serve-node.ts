import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import type { BodyBudget } from './body-budget.ts';
import { type BodyBuffer, createBodyBuffer } from './body-buffer.ts';
import {
  bodyBrokenOff,
  bodyTimedOut,
  bodyTooLarge,
  broken,
  listenError,
  type Serve,
  splitBudget,
  splitTarget,
  usualBodyTimeout,
  usualGrace,
} from './serve.ts';

/** Milliseconds for a request's headers, and for all of it, to arrive. Peer: config/config.go, 30 s each. */
const readTimeout = 30_000;

/** HTTP on node:http, for the library inside Node. */
export const serve: Serve = async (options) => {
  const { host, port, unix, handler, idleTimeout, reusePort = false, grace = usualGrace, bodyTimeout = usualBodyTimeout } = options;
  // No body is read ahead here, so all are charged as they arrive.
  const { large } = splitBudget(options.maxBodies);
  const connections = createConnections();
  const server = createServer(
    { headersTimeout: readTimeout, requestTimeout: readTimeout, keepAliveTimeout: idleTimeout * 1000, requireHostHeader: false },
    async (incoming, outgoing) => {
      connections.busy(incoming.socket, outgoing);
      let response = broken;
      const body = createBody(incoming, large, bodyTimeout);
      try {
        response = await handler(requestOf(incoming, body.read));
      } catch {
        // A handler reports what it throws; here it only matters that an answer goes out.
      }
      body.release();
      if (response.stream === undefined) send(incoming, outgoing, response);
      else await sendStream(outgoing, response, response.stream);
    },
  );
  server.on('connection', connections.add);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(listenError(cause, options)));
    server.listen(unix === undefined ? { host, port, reusePort } : { path: unix }, resolve);
  });

  const close = () =>
    new Promise<void>((resolve) => {
      const force = setTimeout(connections.closeAll, grace);
      server.close(() => {
        clearTimeout(force);
        resolve();
      });
      connections.closeIdle();
    });
  const address = server.address() as AddressInfo | string | null;
  return { host, port: typeof address === 'object' && address !== null ? address.port : 0, close };
};

/** Which connections are open, and which of them wait for nothing: Node's own count misses those that never asked anything. */
function createConnections() {
  const open = new Set<Socket>();
  const running = new Set<Socket>();
  let isClosing = false;
  const end = (socket: Socket) => {
    running.delete(socket);
    if (isClosing) socket.destroySoon();
  };
  return {
    add(socket: Socket) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    },
    busy(socket: Socket, outgoing: ServerResponse) {
      running.add(socket);
      outgoing.once('close', () => end(socket));
    },
    closeIdle() {
      isClosing = true;
      for (const socket of open) if (!running.has(socket)) socket.destroy();
    },
    closeAll() {
      for (const socket of open) socket.destroy();
    },
  };
}

function requestOf(incoming: IncomingMessage, body: HttpRequest['body']): HttpRequest {
  const { path, query } = splitTarget(incoming.url ?? '/');
  return {
    method: incoming.method ?? '',
    path,
    query,
    caller: () => incoming.socket.remoteAddress,
    header: (name) => {
      const value = incoming.headers[name];
      return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
    },
    body,
  };
}

/** A body whose length is announced is refused before it is read, any other as soon as it is too long. */
function createBody(incoming: IncomingMessage, budget: BodyBudget, timeout: number) {
  let buffer: BodyBuffer | undefined;
  return {
    read: (max: number): Promise<Uint8Array> => {
      if (Number(incoming.headers['content-length'] ?? 0) > max) return Promise.reject(bodyTooLarge(max));
      buffer = createBodyBuffer(max, budget);
      return readInto(buffer, incoming, timeout);
    },
    release: () => buffer?.release(),
  };
}

function readInto(buffer: BodyBuffer, incoming: IncomingMessage, timeout: number): Promise<Uint8Array> {
  return new Promise<Uint8Array>((resolve, reject) => {
    const refuse = (reason: unknown) => {
      clearTimeout(timer);
      incoming.off('data', add);
      incoming.pause();
      reject(reason);
    };
    const add = (chunk: Uint8Array) => {
      try {
        buffer.add(chunk);
      } catch (error) {
        refuse(error);
      }
    };
    const timer = setTimeout(() => refuse(bodyTimedOut()), timeout);
    incoming.on('data', add);
    incoming.once('end', () => {
      clearTimeout(timer);
      resolve(buffer.whole());
    });
    incoming.once('error', () => refuse(bodyBrokenOff()));
    incoming.once('close', () => refuse(bodyBrokenOff()));
  });
}

/** Sends chunks as they are ready, each after the client has taken the one before. */
async function sendStream(
  outgoing: ServerResponse,
  { status, headers, body }: HttpResponse,
  stream: AsyncIterable<Uint8Array>,
): Promise<void> {
  const chunks = stream[Symbol.asyncIterator]();
  const end = Promise.withResolvers<undefined>();
  let wake = (): void => {};
  outgoing.on('drain', () => wake());
  outgoing.once('close', () => {
    end.resolve(undefined);
    wake();
    void chunks.return?.();
  });
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  if (body.length > 0) outgoing.write(body);
  try {
    while (!outgoing.closed) {
      const next = await Promise.race([end.promise, chunks.next()]);
      if (next === undefined || next.done) break;
      if (outgoing.write(next.value)) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    outgoing.end();
  } catch {
    // The status is already sent: cutting the connection is the only way left to say that the body is not whole.
    outgoing.destroy();
  }
}

/** An answer to a request whose body was not wanted also ends the connection: nobody will read the rest. */
function send(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body }: HttpResponse): void {
  const length = { 'content-length': Buffer.byteLength(body) };
  outgoing.writeHead(status, status === 413 ? { ...headers, ...length, connection: 'close' } : { ...headers, ...length });
  outgoing.end(body);
  if (!incoming.complete) incoming.resume();
}
