import {
  bodyBrokenOff,
  bodyTooLarge,
  broken,
  listenError,
  type Serve,
  type ServeOptions,
  type ServeRequest,
  type ServeResponse,
  splitTarget,
  usualGrace,
} from './serve.ts';

/** HTTP on Bun's own server. */
export const serve: Serve = async (options) => {
  const { host, port, unix, handler, maxBody, idleTimeout, reusePort = false, grace = usualGrace } = options;
  const headersOf = rememberedHeaders();
  const split = rememberedSplit();

  const finish = (response: ServeResponse): Response => {
    const { status, body } = response;
    // A string, even an empty one, would bring a content type of Bun's choice.
    return new Response(body.length === 0 ? null : body, { status, headers: headersOf(response.headers) });
  };
  const respond = (request: Request, body: ServeRequest['body']): Response | Promise<Response> => {
    const { path, query } = split(request.url);
    const header = (name: string) => request.headers.get(name);
    const caller = () => server.requestIP(request)?.address;
    const response = handler({ method: request.method, path, query, header, caller, body });
    return response instanceof Promise ? response.then(finish) : finish(response);
  };
  const fetch = (request: Request): Response | Promise<Response> => {
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

/** Milliseconds between two looks at what is still running. */
const step = 5;

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
