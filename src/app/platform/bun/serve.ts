import type { HttpRequest, HttpResponse, WebSocketHandlers } from '../../../api/http/message.ts';
import { type BodyBuffer, createBodyBuffer } from '../body-buffer.ts';
import {
  bodyCutShortError,
  bodyTimeoutError,
  bodyTooLargeError,
  createBodyBudgets,
  defaultBodyTimeout,
  defaultGrace,
  handlerErrorResponse,
  maxSmallBody,
  refuseLarge,
  type Serve,
  ServeError,
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
import { guardConnections } from './connection-guard.ts';
import { createReadWhole } from './read-whole.ts';

/**
 * HTTP server on Bun.serve, called once for each port through `env.serve` (bun/env.ts; node/serve.ts is the same on Node). Clients cannot fill the
 * memory: bodies of requests have budgets and timeouts, and responses that a client does not read are limited and cut off.
 */
export const serve: Serve = async (options) => {
  const { host, port, unix, handler, idleTimeout, reusePort = false, grace = defaultGrace } = options;
  const { readsBodyWhole = () => false, bodyTimeout = defaultBodyTimeout } = options;
  const { small, large } = createBodyBudgets(options.maxBodyMemory);
  const split = createSplitCache();
  const readWhole = createReadWhole(bodyTimeout);
  const { finish, finishOrUpgrade } = createFinish(options, () => server);

  /** Runs the handler, which reads the body when it wants it. `release` returns the body's memory to the budget, once there is a response. */
  const respond = async (
    request: Request,
    target: RequestTarget,
    body: HttpRequest['body'],
    release: () => void,
    streams?: Pick<HttpRequest, 'bodyStream'>,
  ): Promise<Response> => {
    const { path, query } = target;
    const header = (name: string) => request.headers.get(name);
    const headerNames = () => request.headers.keys();
    const caller = () => server.requestIP(request)?.address;
    try {
      const response = await handler({ method: request.method, path, query, header, headerNames, remoteAddress: caller, body, ...streams });
      return finishOrUpgrade(response, request) as Response;
    } finally {
      release();
    }
  };
  /** The body is read in chunks, so that it can be refused while it arrives. */
  const respondInChunks = (request: Request, target: RequestTarget): Promise<Response> => {
    let buffer: BodyBuffer | undefined;
    const body = (max: number): Promise<Uint8Array> => {
      if (Number(request.headers.get('content-length')) > max) return Promise.reject(bodyTooLargeError(max));
      buffer = createBodyBuffer(max, large);
      return readStream(request, buffer, bodyTimeout);
    };
    return respond(request, target, body, () => buffer?.release(), { bodyStream: (max) => streamBody(request, max, bodyTimeout) });
  };
  const fetch = (request: Request): Promise<Response> => {
    const target = split(request.url);
    const length = request.headers.get('content-length');
    const size = Number(length);
    if (length === null && request.headers.has('trailer')) return refuseTrailers(finish);
    // Only a body of known, small size is read whole (a wrong length is NaN), and only while the budget of small bodies has room for it.
    if (length === null || !(size <= maxSmallBody) || !readsBodyWhole(target.path) || !small.tryTake(size))
      return respondInChunks(request, target);
    const body = (max: number) => (size > max ? Promise.reject(bodyTooLargeError(max)) : readWhole(request));
    return respond(request, target, body, () => small.giveBack(size));
  };
  const address = unix === undefined ? { hostname: host, port, reusePort, idleTimeout } : { unix };
  const server = listen(
    () =>
      Bun.serve({
        ...address,
        fetch,
        error: () => finish(handlerErrorResponse),
        // The handler limits bodies, since Bun's own limit would answer without an explanation.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        websocket: webSocketOptions,
      }),
    options,
  );

  const { connectionLimit, trustedProxies = [] } = options;
  const endGuard = connectionLimit && unix === undefined ? guardConnections(server.port ?? 0, connectionLimit, trustedProxies) : undefined;
  const close = async () => {
    endGuard?.();
    server.stop();
    for (let waited = 0; server.pendingRequests > 0 && waited < grace; waited += pollInterval) await Bun.sleep(pollInterval);
    await server.stop(true);
  };
  return { host, port: server.port ?? 0, close };
};

/** Turns responses of handlers into those of Bun. `server` is called only when there is a response, so when the server runs. */
function createFinish({ unread: limits = defaultUnread }: ServeOptions, server: () => Bun.Server<WebSocketHandlers>) {
  const unread = createUnreadResponses({ max: limits.max * (1 - wholeShare), timeout: limits.timeout });
  /**
   * Whether a body may be given to Bun in one piece. Bun does not say when the client has read it, but counts the requests whose responses are not
   * read yet: if each of those had a body of `wholeBody` bytes, they must fit into the share of such bodies.
   */
  const isSentWhole = (size: number): boolean =>
    size <= uncountedBody || (size <= wholeBody && server().pendingRequests * wholeBody <= limits.max * wholeShare);
  const toHeaders = createHeadersCache();

  const finish = (response: HttpResponse, request?: Request): Response => {
    const { status, body, stream } = response;
    // After a timeout the client may still send the body, a byte at a time.
    const init = { status, headers: toHeaders(status === 408 ? { ...response.headers, connection: 'close' } : response.headers) };
    // For a string body, even an empty one, Bun would add a content type.
    if (stream === undefined && (isSentWhole(body.length) || request?.method === 'HEAD'))
      return new Response(body.length === 0 ? null : (body as BodyInit), init);
    // Bun cannot close the connection of a request directly; an idle timeout of one second does.
    const close = () => request !== undefined && server().timeout(request, 1);
    const sent =
      stream === undefined
        ? toReadableStream('', sliceBody(body), { unread, close, bytes: body.length })
        : toReadableStream(body, stream[Symbol.asyncIterator](), { unread, close });
    return sent === undefined ? finish(refuseLarge(response)) : new Response(sent, init);
  };
  return {
    finish,
    /** An undefined response means that the connection is now a WebSocket. */
    finishOrUpgrade: (response: HttpResponse, request: Request): Response | undefined => {
      const { webSocket, headers } = response;
      if (webSocket === undefined) return finish(response, request);
      if (server().upgrade(request, { data: watchWebSocket(webSocket, unread), headers: toHeaders(headers) })) return undefined;
      webSocket.onClose();
      return finish(upgradeFailedResponse);
    },
  };
}

/**
 * Refuses a request that announces trailers, before its handler runs. Bun takes the trailers for a second request, answers that with 400, and closes the
 * connection: before or after the answer to the request itself. In one turn of the event loop Bun handles all bytes that have arrived. So this
 * function waits for a turn: either the trailers were among those bytes, and Bun has answered and closed the connection; or they come after the answer
 * given here, which closes it.
 */
async function refuseTrailers(finish: (response: HttpResponse) => Response): Promise<Response> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  return finish({
    status: 400,
    headers: { 'content-type': 'text/plain', connection: 'close' },
    body: 'trailers after a chunked body are not supported; send the request without them\n',
  });
}

/** The WebSockets of the event stream. Bun's own limit of unsent bytes is higher than what the handlers send before they wait, so it is never reached. */
const webSocketOptions: Bun.WebSocketHandler<WebSocketHandlers> = {
  maxPayloadLength: 1024,
  idleTimeout: 60,
  open: (socket) =>
    // A result below 1 means that the bytes wait in this process: -1, or that the connection is closed: 0.
    socket.data.onOpen({
      send: (text) => socket.send(text) > 0,
      close: () => socket.close(1000),
      terminate: () => socket.terminate(),
    }),
  message: () => {},
  drain: (socket) => socket.data.onDrain(),
  close: (socket) => socket.data.onClose(),
};

/**
 * The most bytes of a body that is given to Bun in one piece while few responses are unread: sending it in slices takes twice the time. Bun closes
 * the connection of a client that does not read it after the idle timeout.
 */
const wholeBody = 262_144;
/** The share of the limit of unread bytes (`limits.max`) that bodies in one piece may take; slices and streams have the rest. */
const wholeShare = 0.25;

type Chunks = {
  readonly next: () => IteratorResult<Uint8Array, unknown> | Promise<IteratorResult<Uint8Array, unknown>>;
  readonly return?: () => unknown;
};

/**
 * A response body whose chunks are pulled one at a time, as fast as the client reads them. Undefined if there is no room for it. If the client
 * reads nothing for some time, the chunks end and the connection is closed.
 */
function toReadableStream(
  head: string | Uint8Array,
  chunks: Chunks,
  {
    unread,
    close,
    bytes = 0,
  }: {
    readonly unread: UnreadResponses;
    /** Closes the connection soon. */
    readonly close: () => void;
    /** The size of a body that is in memory until all of it was read. Left out for a stream: of that, only the last chunk is in memory. */
    readonly bytes?: number;
  },
) {
  let fail = (): void => {};
  const response = unread.tryAdd(bytes, () => {
    fail();
    close();
    void chunks.return?.();
  });
  if (response === undefined) return undefined;
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      fail = () => controller.error(new ServeError('the client does not read the response', { code: 'RESPONSE_UNREAD' }));
      if (head.length > 0) controller.enqueue(Buffer.from(head as string));
    },
    // Called when the client has read what was enqueued. `progress` restarts its time limit, and says how many bytes wait for it now.
    pull: (controller) => {
      response.progress(bytes);
      const put = ({ done, value }: IteratorResult<Uint8Array, unknown>): void => {
        if (done) {
          response.end();
          controller.close();
        } else {
          controller.enqueue(value);
          response.progress(bytes || value.length);
        }
      };
      const next = chunks.next();
      return next instanceof Promise ? next.then(put) : put(next);
    },
    cancel: async () => {
      response.end();
      await chunks.return?.();
    },
  });
}

/** Milliseconds between two checks for running requests while closing. */
const pollInterval = 5;

/** Caches the Headers of each header set. Most responses share a few sets; with a cached object, sending costs half as much. */
function createHeadersCache(): (set: HttpResponse['headers']) => Headers {
  const cache = new WeakMap<object, Headers>();
  return (set) => {
    const cached = cache.get(set);
    if (cached !== undefined) return cached;
    const headers = new Headers(set);
    cache.set(set, headers);
    return headers;
  };
}

type RequestTarget = ReturnType<typeof splitTarget>;

/** Caches the last split URL. Clients repeat the same URL, and the router finds the route of the same string object faster than of an equal one. */
function createSplitCache(): typeof splitTarget {
  let url = '';
  let parts = splitTarget(url);
  return (target) => {
    if (target !== url) {
      parts = splitTarget(target);
      url = target;
    }
    return parts;
  };
}

function listen<S>(start: () => S, options: ServeOptions): S {
  try {
    return start();
  } catch (cause) {
    throw toListenError(cause, options);
  }
}

/** Reads a body chunk by chunk, without holding it. */
async function* streamBody({ body }: Request, max: number, timeout: number): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    yield* streamChunks(async () => (await reader.read()).value, max, timeout);
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Reads a body into a buffer until it ends, exceeds a limit of the buffer, or times out. */
async function readStream({ body }: Request, buffer: BodyBuffer, timeout: number): Promise<Uint8Array> {
  if (body === null) return buffer.toBytes();
  const reader = body.getReader();
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    void reader.cancel().catch(() => undefined);
  }, timeout);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isTimedOut) throw bodyTimeoutError();
      if (done) return buffer.toBytes();
      buffer.add(value);
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error instanceof ServeError ? error : bodyCutShortError();
  } finally {
    clearTimeout(timer);
  }
}
