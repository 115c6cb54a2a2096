import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  bodyBrokenOff,
  bodyTooLarge,
  broken,
  listenError,
  type Serve,
  type ServeRequest,
  type ServeResponse,
  splitTarget,
  usualGrace,
} from './serve.ts';

/** Milliseconds for a request's headers, and for all of it, to arrive. Peer: config/config.go, 30 s each. */
const readTimeout = 30_000;

/** HTTP on node:http, for the library inside Node. */
export const serve: Serve = async (options) => {
  const { host, port, unix, handler, maxBody, idleTimeout, reusePort = false, grace = usualGrace } = options;
  const connections = createConnections();
  const server = createServer(
    { headersTimeout: readTimeout, requestTimeout: readTimeout, keepAliveTimeout: idleTimeout * 1000, requireHostHeader: false },
    async (incoming, outgoing) => {
      connections.busy(incoming.socket, outgoing);
      let response = broken;
      try {
        response = await handler(requestOf(incoming, maxBody));
      } catch {
        // A handler reports what it throws; here it only matters that an answer goes out.
      }
      send(incoming, outgoing, response);
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

function requestOf(incoming: IncomingMessage, maxBody: number): ServeRequest {
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
    body: () => readBody(incoming, maxBody),
  };
}

/** A body whose length is announced is refused before it is read, any other as soon as it is too long. */
function readBody(incoming: IncomingMessage, max: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (Number(incoming.headers['content-length'] ?? 0) > max) return reject(bodyTooLarge(max));
    const chunks: Uint8Array[] = [];
    let size = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size > max) {
        incoming.pause();
        reject(bodyTooLarge(max));
      } else chunks.push(chunk);
    });
    incoming.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)));
    incoming.once('error', () => reject(bodyBrokenOff()));
    incoming.once('close', () => reject(bodyBrokenOff()));
  });
}

/** An answer to a request whose body was not wanted also ends the connection: nobody will read the rest. */
function send(incoming: IncomingMessage, outgoing: ServerResponse, { status, headers, body }: ServeResponse): void {
  const length = { 'content-length': Buffer.byteLength(body) };
  outgoing.writeHead(status, status === 413 ? { ...headers, ...length, connection: 'close' } : { ...headers, ...length });
  outgoing.end(body);
  if (!incoming.complete) incoming.resume();
}
