import type { HttpRequest, HttpResponse } from '../http/message.ts';
import { type BodyBuffer, createBodyBuffer } from './body-buffer.ts';
import {
  bodyBrokenOff,
  bodyTimedOut,
  bodyTooLarge,
  broken,
  listenError,
  type Serve,
  ServeError,
  type ServeOptions,
  smallBody,
  splitBudget,
  splitTarget,
  usualBodyTimeout,
  usualGrace,
} from './serve.ts';

/** HTTP on Bun's own server. */
export const serve: Serve = async (options) => {
  const { host, port, unix, handler, idleTimeout, reusePort = false, grace = usualGrace } = options;
  const { readsAhead = () => false, bodyTimeout = usualBodyTimeout } = options;
  const { small, large } = splitBudget(options.maxBodies);
  const headersOf = rememberedHeaders();
  const split = rememberedSplit();

  const finish = (response: HttpResponse): Response => {
    const { status, body, stream } = response;
    if (stream !== undefined) return new Response(readableOf(body, stream), { status, headers: headersOf(response.headers) });
    // A string, even an empty one, would bring a content type of Bun's choice.
    return new Response(body.length === 0 ? null : body, { status, headers: headersOf(response.headers) });
  };
  /** `release` gives back what the body took of a budget, once there is an answer. */
  const respond = (request: Request, target: Target, body: HttpRequest['body'], release: () => void): Response | Promise<Response> => {
    const { path, query } = target;
    const header = (name: string) => request.headers.get(name);
    const caller = () => server.requestIP(request)?.address;
    let isLate = false;
    try {
      const response = handler({ method: request.method, path, query, header, caller, body });
      if (!(response instanceof Promise)) return finish(response);
      isLate = true;
      return response.then(finish).finally(release);
    } finally {
      if (!isLate) release();
    }
  };
  const respondUnread = (request: Request, target: Target): Response | Promise<Response> => {
    let buffer: BodyBuffer | undefined;
    const body = (max: number): Promise<Uint8Array> => {
      if (Number(request.headers.get('content-length')) > max) return Promise.reject(bodyTooLarge(max));
      buffer = createBodyBuffer(max, large);
      return readStream(request, buffer, bodyTimeout);
    };
    return respond(request, target, body, () => buffer?.release());
  };
  const fetch = (request: Request): Response | Promise<Response> => {
    const target = split(request.url);
    const length = request.headers.get('content-length');
    const size = Number(length);
    if (length === null || !(size <= smallBody) || !readsAhead(target.path) || !small.take(size)) return respondUnread(request, target);
    const release = () => small.give(size);
    return request.bytes().then(
      (body) => respond(request, target, (max) => (size > max ? Promise.reject(bodyTooLarge(max)) : body), release),
      () => respond(request, target, () => Promise.reject(bodyBrokenOff()), release),
    );
  };
  // The limits on bodies are the handler's: Bun's own would answer without a word.
  const common = { fetch, error: () => finish(broken), maxRequestBodySize: Number.MAX_SAFE_INTEGER, development: false } as const;
  const server = listen(
    () => Bun.serve(unix === undefined ? { ...common, hostname: host, port, reusePort, idleTimeout } : { ...common, unix }),
    options,
  );

  const close = async () => {
    server.stop();
    for (let waited = 0; server.pendingRequests > 0 && waited < grace; waited += step) await Bun.sleep(step);
    await server.stop(true);
  };
  return { host, port: server.port ?? 0, close };
};

/** A body whose chunks are pulled one at a time, as the client takes them. */
function readableOf(head: string | Uint8Array, stream: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]();
  return new ReadableStream({
    start: (controller) => {
      if (head.length > 0) controller.enqueue(Buffer.from(head as string));
    },
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await chunks.return?.()),
  });
}

/** Milliseconds between two looks at what is still running. */
const step = 5;

/** Most answers share a few sets of headers; made into Headers once, a set costs half as much to send. */
function rememberedHeaders(): (set: HttpResponse['headers']) => Headers {
  const known = new WeakMap<object, Headers>();
  return (set) => {
    const before = known.get(set);
    if (before !== undefined) return before;
    const made = new Headers(set);
    known.set(set, made);
    return made;
  };
}

type Target = ReturnType<typeof splitTarget>;

/** Callers keep asking the same URL, and a path that was looked up before is found faster than an equal one. */
function rememberedSplit(): typeof splitTarget {
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
    throw listenError(cause, options);
  }
}

/** Reads a body into a buffer until it ends, the buffer refuses it, or its time is over. */
async function readStream({ body }: Request, buffer: BodyBuffer, timeout: number): Promise<Uint8Array> {
  if (body === null) return buffer.whole();
  const reader = body.getReader();
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    void reader.cancel().catch(() => undefined);
  }, timeout);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isTimedOut) throw bodyTimedOut();
      if (done) return buffer.whole();
      buffer.add(value);
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error instanceof ServeError ? error : bodyBrokenOff();
  } finally {
    clearTimeout(timer);
  }
}
