import { createServer, type IncomingMessage, type Server as NodeServer, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Handler, HttpRequest, HttpResponse, WebSocketHandlers } from '../../../api/http/message.ts';
import { parseIp } from '../../../base/bytes/ip-address.ts';
import type { BodyBudget } from '../body-budget.ts';
import { type BodyBuffer, createBodyBuffer } from '../body-buffer.ts';
import { addressGroup, isProxy } from '../connection-limit.ts';
import {
  bodyCutShortError,
  bodyTimeoutError,
  bodyTooLargeError,
  createBodyBudgets,
  defaultBodyTimeout,
  defaultGrace,
  handlerErrorResponse,
  refuseLarge,
  type Serve,
  type ServeOptions,
  splitTarget,
  streamChunks,
  toListenError,
  upgradeFailedResponse,
} from '../serve.ts';
import {
  createUnreadResponses,
  defaultUnread,
  sliceBody,
  type UnreadResponses,
  uncountedBody,
  watchWebSocket,
} from '../unread-responses.ts';
import { acceptKey, asksForWebSocket, openWebSocket } from '../web-socket.ts';

/** Timeout in milliseconds of a request's headers, and of the whole request. AvalancheGo: config/config.go, 30 s each. */
const readTimeout = 30_000;

/** HTTP server on node:http, for the library in Node, and for the program where bin/launcher.js finds no Bun. */
export const serve: Serve = async (options) => {
  const { host, port, unix, handler, idleTimeout, reusePort = false, grace = defaultGrace, bodyTimeout = defaultBodyTimeout } = options;
  // No body is read whole here, so only the budget of large bodies is used.
  const { large } = createBodyBudgets(options.maxBodyMemory);
  const unread = createUnreadResponses(options.unread ?? defaultUnread);
  const connections = createConnections(options);
  const server = createServer(
    { headersTimeout: readTimeout, requestTimeout: readTimeout, keepAliveTimeout: idleTimeout * 1000, requireHostHeader: false },
    async (incoming, outgoing) => {
      connections.busy(incoming.socket, outgoing);
      let response = handlerErrorResponse;
      const body = createBodyReader(incoming, large, bodyTimeout);
      try {
        const bodyStream = (max: number) => streamBody(incoming, max, bodyTimeout);
        response = await handler({ ...toHttpRequest(incoming), body: body.read, bodyStream });
      } catch {
        // The handler has reported the error itself; the client gets status 500.
      }
      body.release();
      if (response.webSocket !== undefined) response = refuseUpgrade(response.webSocket);
      send(incoming, outgoing, response, unread);
    },
  );
  server.on('connection', connections.add);
  server.on('upgrade', (incoming, socket: Socket, head) => {
    // Two responses cannot be written to one connection, and Node orders only those of its own requests.
    if (connections.isBusy(socket)) return void socket.destroy();
    if (!asksForWebSocket(incoming)) return dropUpgrade(server, incoming, socket, head);
    connections.upgraded(socket);
    respondToUpgrade(handler, incoming, socket, head, unread).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(toListenError(cause, options)));
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

/** Tracks open connections and which of them have a running request. Node's own list of idle connections misses those that never sent a request. */
function createConnections({ connectionLimit, trustedProxies = [] }: ServeOptions) {
  /** Those without a request for longest come first. */
  const open = new Set<Socket>();
  const ofGroup = new Map<string, Set<Socket>>();
  const running = new Set<Socket>();
  let isClosing = false;
  const end = (socket: Socket) => {
    running.delete(socket);
    if (isClosing) socket.destroySoon();
    for (const sockets of [open, ofGroup.get(groupOf(socket))]) if (sockets?.delete(socket)) sockets.add(socket);
  };
  /** Closes a connection that waits for a request, or the new one if all of them answer one. */
  const closeOne = (sockets: ReadonlySet<Socket>, added: Socket): void => {
    let tries = maxTries;
    for (const socket of sockets) {
      if (tries-- === 0) break;
      if (!running.has(socket)) return void socket.destroy();
    }
    added.destroy();
  };
  const closeExcess = (added: Socket, sameGroup: ReadonlySet<Socket>): void => {
    if (connectionLimit === undefined) return;
    const address = parseIp(added.remoteAddress ?? '');
    if (address !== undefined && sameGroup.size > connectionLimit.maxPerAddress && !isProxy(address, trustedProxies)) {
      connectionLimit.count({ address });
      closeOne(sameGroup, added);
    } else if (open.size > connectionLimit.max) {
      connectionLimit.count('all');
      closeOne(open, added);
    }
  };
  return {
    add(socket: Socket) {
      const group = groupOf(socket);
      const sameGroup = ofGroup.get(group) ?? new Set();
      ofGroup.set(group, sameGroup);
      sameGroup.add(socket);
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        if (sameGroup.delete(socket) && sameGroup.size === 0) ofGroup.delete(group);
      });
      closeExcess(socket, sameGroup);
    },
    busy(socket: Socket, outgoing: ServerResponse) {
      running.add(socket);
      outgoing.once('close', () => end(socket));
    },
    /** Whether an earlier request of the connection is not yet answered. */
    isBusy: (socket: Socket): boolean => running.has(socket),
    /** A WebSocket runs until it is closed. */
    upgraded(socket: Socket) {
      running.add(socket);
      socket.once('close', () => running.delete(socket));
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

const groupOf = ({ remoteAddress = '' }: Socket): string => addressGroup(parseIp(remoteAddress) ?? new Uint8Array(4));

/** Connections that are looked at for one to close. */
const maxTries = 64;

/** Answers a request for a WebSocket, which has no body. */
async function respondToUpgrade(
  handler: Handler,
  incoming: IncomingMessage,
  socket: Socket,
  head: Uint8Array,
  unread: UnreadResponses,
): Promise<void> {
  // Node has removed its own listeners; an error without a listener would end the program.
  socket.on('error', () => socket.destroy());
  let response = handlerErrorResponse;
  try {
    response = await handler({ ...toHttpRequest(incoming), body: async () => new Uint8Array(0) });
  } catch {
    // The handler has reported the error itself; the client gets status 500.
  }
  const { webSocket: handlers, headers } = response;
  const key = acceptKey(incoming);
  if (socket.destroyed) return handlers?.onClose();
  if (handlers !== undefined && key !== undefined)
    return openWebSocket(socket, head, { key, headers, handlers: watchWebSocket(handlers, unread) });
  const outgoing = new ServerResponse(incoming);
  outgoing.shouldKeepAlive = false;
  outgoing.assignSocket(socket);
  outgoing.once('finish', () => socket.end());
  send(incoming, outgoing, handlers === undefined ? response : refuseUpgrade(handlers), unread);
}

function refuseUpgrade(handlers: WebSocketHandlers): HttpResponse {
  handlers.onClose();
  return upgradeFailedResponse;
}

/**
 * Gives the connection of a request for another protocol, such as HTTP/2, back to the server, without the headers that ask for it: a server
 * need not change the protocol, but Node does not pass such requests to the handler.
 */
function dropUpgrade(
  server: NodeServer,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Socket,
  head: Uint8Array,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!/^(?:upgrade|connection|http2-settings)$/i.test(rawHeaders[i] ?? '')) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  socket.unshift(head);
  socket.unshift(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  server.emit('connection', socket);
}

function toHttpRequest(incoming: IncomingMessage): Omit<HttpRequest, 'body'> {
  const { path, query } = splitTarget(incoming.url ?? '/');
  return {
    method: incoming.method ?? '',
    path,
    query,
    remoteAddress: () => incoming.socket.remoteAddress,
    headerNames: () => Object.keys(incoming.headers),
    header: (name) => {
      const value = incoming.headers[name];
      return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
    },
  };
}

/** Reads a body. One with a Content-Length above the limit is rejected before it is read, any other as soon as it exceeds the limit. */
function createBodyReader(incoming: IncomingMessage, budget: BodyBudget, timeout: number) {
  let buffer: BodyBuffer | undefined;
  return {
    read: (max: number): Promise<Uint8Array> => {
      if (Number(incoming.headers['content-length'] ?? 0) > max) return Promise.reject(bodyTooLargeError(max));
      buffer = createBodyBuffer(max, budget);
      return readInto(buffer, incoming, timeout);
    },
    release: () => buffer?.release(),
  };
}

async function* streamBody(incoming: IncomingMessage, max: number, timeout: number): AsyncGenerator<Uint8Array> {
  const chunks = incoming[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  yield* streamChunks(async () => (await chunks.next()).value, max, timeout);
  if (!incoming.complete) throw bodyCutShortError();
}

function readInto(buffer: BodyBuffer, incoming: IncomingMessage, timeout: number): Promise<Uint8Array> {
  return new Promise<Uint8Array>((resolve, reject) => {
    const fail = (reason: unknown) => {
      clearTimeout(timer);
      incoming.off('data', add);
      incoming.pause();
      reject(reason);
    };
    const add = (chunk: Uint8Array) => {
      try {
        buffer.add(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const timer = setTimeout(() => fail(bodyTimeoutError()), timeout);
    incoming.on('data', add);
    incoming.once('end', () => {
      clearTimeout(timer);
      resolve(buffer.toBytes());
    });
    incoming.once('error', () => fail(bodyCutShortError()));
    incoming.once('close', () => fail(bodyCutShortError()));
  });
}

type Chunks = {
  readonly next: () => IteratorResult<Uint8Array, unknown> | Promise<IteratorResult<Uint8Array, unknown>>;
  readonly return?: () => unknown;
};

/**
 * Sends chunks when they are ready, each after the client has read the previous one. `bytes`: what is in memory until all were read; else the
 * last chunk is. Returns false if there is no room for it. A client that reads nothing for some time is cut off.
 */
function sendChunks(outgoing: ServerResponse, start: () => void, chunks: Chunks, unread: UnreadResponses, bytes = 0): boolean {
  const response = unread.tryAdd(bytes, () => void outgoing.destroy());
  if (response === undefined) return false;
  const end = Promise.withResolvers<undefined>();
  let wake = (): void => {};
  outgoing.on('drain', () => wake());
  outgoing.once('close', () => {
    response.end();
    end.resolve(undefined);
    wake();
    void chunks.return?.();
  });
  const sendAll = async (): Promise<void> => {
    while (!outgoing.closed) {
      response.progress(bytes);
      const next = await Promise.race([end.promise, chunks.next()]);
      if (next === undefined || next.done) break;
      if (outgoing.write(next.value)) continue;
      response.progress(bytes || next.value.length);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    outgoing.end();
  };
  start();
  // The status is already sent, so closing the connection is the only way to show that the body is incomplete.
  sendAll().catch(() => outgoing.destroy());
  return true;
}

/** Sends a response. After status 408 and 413 the connection is closed, since the rest of the request body will not be read. */
function send(incoming: IncomingMessage, outgoing: ServerResponse, response: HttpResponse, unread: UnreadResponses): void {
  const { status, headers, body, stream } = response;
  if (stream !== undefined) {
    const start = () => {
      outgoing.writeHead(status, headers);
      outgoing.flushHeaders();
      if (body.length > 0) outgoing.write(body);
    };
    sendChunks(outgoing, start, stream[Symbol.asyncIterator](), unread);
    return;
  }
  const length = { 'content-length': Buffer.byteLength(body) };
  const isLast = status === 408 || status === 413;
  const writeHead = () => outgoing.writeHead(status, { ...headers, ...length, ...(isLast && { connection: 'close' }) });
  if (body.length <= uncountedBody || incoming.method === 'HEAD') {
    writeHead();
    outgoing.end(body);
  } else if (!sendChunks(outgoing, writeHead, sliceBody(body), unread, body.length)) {
    send(incoming, outgoing, refuseLarge(response), unread);
  }
  if (!incoming.complete) incoming.resume();
}
