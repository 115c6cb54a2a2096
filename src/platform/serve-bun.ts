import {
  bodyBrokenOff,
  bodyTooLarge,
  broken,
  grace,
  listenError,
  type Serve,
  type ServeOptions,
  type ServeRequest,
  type ServeResponse,
  splitTarget,
} from './serve.ts';

/** HTTP on Bun's own server. */
export const serve: Serve = async (options) => {
  const { host, port, unix, handler, maxBody, idleTimeout, reusePort = false } = options;
  const headersOf = rememberedHeaders();
  let running = 0;
  let idle: (() => void) | undefined;

  const finish = (response: ServeResponse): Response => {
    running--;
    if (running === 0) idle?.();
    const { status, body } = response;
    // A string, even an empty one, would bring a content type of Bun's choice.
    return new Response(body.length === 0 ? null : body, { status, headers: headersOf(response.headers) });
  };
  const respond = (request: Request, body: ServeRequest['body']): Response | Promise<Response> => {
    const response = handler(requestOf(request, body));
    return response instanceof Promise ? response.then(finish, () => finish(broken)) : finish(response);
  };
  const fetch = (request: Request): Response | Promise<Response> => {
    running++;
    const length = request.headers.get('content-length');
    if (length === null) return respond(request, () => readStream(request, maxBody));
    if (!(Number(length) <= maxBody)) return respond(request, () => Promise.reject(bodyTooLarge(maxBody)));
    // A body of known size is read before the handler is called, which then can answer at once: promises cost more than the call.
    return request.bytes().then(
      (body) => respond(request, () => body),
      () => respond(request, () => Promise.reject(bodyBrokenOff())),
    );
  };
  // The limit on bodies is ours: Bun's own would answer without a word.
  const common = { fetch, maxRequestBodySize: Number.MAX_SAFE_INTEGER, development: false } as const;
  const server = listen(
    () => Bun.serve(unix === undefined ? { ...common, hostname: host, port, reusePort, idleTimeout } : { ...common, unix }),
    options,
  );

  const close = async () => {
    server.stop();
    const ended = new Promise<void>((resolve) => {
      idle = resolve;
    });
    if (running > 0) await Promise.race([ended, Bun.sleep(grace)]);
    await server.stop(true);
  };
  return { host, port: server.port ?? 0, close };
};

/** Most answers share a few sets of headers; made into Headers once, a set costs half as much to send. */
function rememberedHeaders(): (set: ServeResponse['headers']) => Headers {
  const known = new WeakMap<object, Headers>();
  return (set) => {
    const before = known.get(set);
    if (before !== undefined) return before;
    const made = new Headers(set);
    known.set(set, made);
    return made;
  };
}

function listen<S>(start: () => S, options: ServeOptions): S {
  try {
    return start();
  } catch (cause) {
    throw listenError(cause, options);
  }
}

function requestOf(request: Request, body: ServeRequest['body']): ServeRequest {
  const { path, query } = splitTarget(request.url);
  return { method: request.method, path, query, header: (name) => request.headers.get(name), body };
}

/** A body of unknown size is refused as soon as it is too long. */
async function readStream({ body }: Request, max: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > max) throw bodyTooLarge(max);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
