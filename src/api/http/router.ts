import { countCalls, handleRpc, type RpcOptions } from '../rpc/json-rpc.ts';
import type { Services } from '../rpc/method.ts';
import { createHostCheck } from './allowed-hosts.ts';
import { findBodyError, toBodyError } from './body-error.ts';
import { corsHeaders, createCors, isPreflight } from './cors.ts';
import type { Handler, HttpRequest, HttpResponse } from './message.ts';
import { ageHeader, heightHeader, limitHeaders, ownHeaders } from './own-headers.ts';
import { cleanPath, decodePath, decodePathText, encodePath, hasMalformedEscape } from './path.ts';

/** A route: JSON-RPC services with an optional handler for GET, or a handler for every HTTP method. */
export type HttpRoute = (
  | {
      readonly services: Services;
      readonly get?: Handler;
      /** The most bytes of a request body; default `defaultMaxBody`. */
      readonly maxBody?: number;
    }
  | { readonly handler: Handler }
) & {
  /** If it returns false, the response is 403. */
  readonly isAllowed?: (request: HttpRequest) => boolean;
  /** The body of that response. */
  readonly refusal?: string;
  /** If it returns a text, the response is 503 with it. */
  readonly unavailable?: (() => string | undefined) | undefined;
  /** AvalancheGo has no such path: pages of other origins may send it what they may send to prefix handlers, such as an API key. */
  readonly isOwn?: true;
};

/** Default limit of a request body, in bytes: 4,096 node IDs or 1,024 addresses fit. */
export const defaultMaxBody = 262_144;

export type HttpRoutes = ReadonlyMap<string, HttpRoute>;

/** Counts the JSON-RPC calls of a request. Returns undefined if the calls may run, else the response in place of theirs. */
export type AdmitCalls = (
  request: HttpRequest,
  calls: number,
) => Promise<{ readonly status: number; readonly message: string; readonly headers: HeaderSet } | undefined>;

/**
 * Creates the handler of all requests of a port. Checks run in AvalancheGo's order; what a handler throws becomes a response here. AvalancheGo:
 * api/server/server.go, wrapHandler; api/server/router.go.
 */
export function createRouter({
  routes,
  prefixHandlers,
  pages,
  nodeID,
  allowedHosts,
  allowedOrigins,
  rpcOptions,
  admitCalls,
}: {
  /** By decoded path, exact and case-sensitive. Looked up for every request, so routes may be added and removed. */
  readonly routes: HttpRoutes;
  /**
   * Handlers of all paths with a given first segment, such as `v1`. They parse the rest of the path themselves, including percent escapes.
   * `createApiHandlers` (app/servers/api.ts) makes those of the Data and Metrics APIs.
   */
  readonly prefixHandlers?: ReadonlyMap<string, Handler>;
  /** Answers paths without a route, for people: returns undefined for those it does not have. */
  readonly pages?: (request: HttpRequest) => Promise<HttpResponse> | undefined;
  readonly nodeID: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly rpcOptions: RpcOptions & { readonly differences: { readonly privateNetwork?: boolean } };
  /** Undefined if JSON-RPC calls have no rate limits. */
  readonly admitCalls?: AdmitCalls | undefined;
}): Handler {
  const isAllowedHost = createHostCheck(allowedHosts);
  const cors = createCors(allowedOrigins, { allowPrivateNetwork: rpcOptions.differences.privateNetwork === true });
  const ownCors = createCors(allowedOrigins, {
    extraHeaders: [...ownHeaders, lastEventHeader],
    extraMethods: ['PATCH', 'DELETE'],
    allowPrivateNetwork: true,
  });
  const plain = createHeaderSets({ 'node-id': nodeID, vary: 'Origin' });
  const headersFor = createOriginHeaders(plain, {});
  const ownHeadersFor = createOriginHeaders(plain, { 'access-control-expose-headers': readHeaders.join(', ') });

  return async (request) => {
    const exactRoute = routes.get(request.path);
    const prefixHandler = exactRoute === undefined ? prefixHandlers?.get(firstSegment(request.path)) : undefined;
    if (exactRoute === undefined && prefixHandler === undefined && hasMalformedEscape(request.path)) return badRequestResponse;
    const isOwn = prefixHandler !== undefined || exactRoute?.isOwn === true;
    const { allowedOrigin, preflightHeaders } = isOwn ? ownCors : cors;
    if (isPreflight(request)) return { status: 200, headers: { ...plain.bare, ...preflightHeaders(request) }, body: '' };
    const origin = allowedOrigin(request);
    const headers = isOwn ? ownHeadersFor(origin) : headersFor(origin);
    if (!isAllowedHost(request.header('host')))
      return prefixHandler === undefined
        ? { status: 403, headers: headers.error, body: 'invalid host specified\n' }
        : { status: 403, headers: headers.json, body: forbiddenHostBody };
    // AvalancheGo routes to some chains by this header; no X-Chain is among them.
    if (prefixHandler === undefined && request.header('avalanche-api-route') !== null)
      return { status: 404, headers: headers.bare, body: '' };

    try {
      const route = exactRoute ?? routes.get(decodePathText(request.path));
      if (route === undefined) {
        const answer = prefixHandler === undefined ? pages?.(request) : prefixHandler(request);
        return headers.addTo(answer === undefined ? notFoundResponse(request, headers) : await answer);
      }
      if (route.isAllowed?.(request) === false)
        return { status: 403, headers: headers.error, body: route.refusal ?? 'this caller is not allowed here\n' };
      const reason = route.unavailable?.();
      if (reason !== undefined) return { status: 503, headers: headers.error, body: `${reason}\n` };
      if ('handler' in route) {
        // Browsers apply CORS to HTTP responses only: a page of any origin could read from a WebSocket.
        if (origin === null && isForeignWebSocket(request)) return { status: 403, headers: headers.error, body: forbiddenOriginBody };
        return headers.addTo(await route.handler(request));
      }
      if (route.get !== undefined && request.method === 'GET') return headers.addTo(await route.get(request));
      return await handleRpcRequest(route, request, { headers, rpcOptions, admitCalls });
    } catch (error) {
      const bodyError = findBodyError(error);
      if (bodyError !== undefined) return { status: bodyError.status, headers: headers.error, body: `${bodyError.message}\n` };
      rpcOptions.onUnexpectedError(error);
      return { status: 500, headers: headers.error, body: 'internal error\n' };
    }
  };
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end < 0 ? path.slice(1) : path.slice(1, end);
}

/** Sets of response headers, created once and shared by responses. */
type HeaderSet = Readonly<Record<string, string>>;
type HeaderSets = ReturnType<typeof createHeaderSets>;

/** Header sets by allowed origin; those for `*` are created once. `more`: further headers for allowed origins only. */
function createOriginHeaders(plain: HeaderSets, more: HeaderSet): (origin: string | null) => HeaderSets {
  const setsFor = (origin: string): HeaderSets => createHeaderSets({ ...plain.bare, ...corsHeaders(origin), ...more });
  const anyOrigin = setsFor('*');
  return (origin) => (origin === null ? plain : origin === '*' ? anyOrigin : setsFor(origin));
}

/** A header of event streams, which a program sends itself if it reads them with `fetch`. */
const lastEventHeader = 'last-event-id';

/** Headers that pages may read from prefix handlers: rate limits, a height, the age of the data. AvalancheGo has no such paths, so this also applies with `--strict`. */
const readHeaders = [...limitHeaders, heightHeader, ageHeader];

function createHeaderSets(bare: HeaderSet) {
  const noSniff = { ...bare, 'x-content-type-options': 'nosniff' };
  const json = { 'content-type': 'application/json; charset=utf-8' };
  const text = { 'content-type': 'text/plain; charset=utf-8' };
  const mergedHeaders = new WeakMap<HeaderSet, HeaderSet>();
  return {
    /** Adds the common headers to a response. The same headers of a handler give the same object, so that the server can cache it. */
    addTo: (response: HttpResponse): HttpResponse => {
      const { headers } = response;
      const merged = mergedHeaders.get(headers) ?? { ...bare, ...headers };
      mergedHeaders.set(headers, merged);
      return { ...response, headers: merged };
    },
    bare,
    noSniff,
    json: { ...bare, ...json },
    jsonNoSniff: { ...noSniff, ...json },
    text: { ...bare, ...text },
    error: { ...noSniff, ...text },
  };
}

/** Whether a page asks for a WebSocket. Programs other than browsers send no `Origin`. */
const isForeignWebSocket = (request: HttpRequest): boolean => request.header('upgrade') !== null && (request.header('origin') ?? '') !== '';

const forbiddenOriginBody = 'this origin is not allowed here; see --http-allowed-origins\n';

/** The 403 response of prefix handlers, whose clients expect JSON. */
const forbiddenHostBody = JSON.stringify({
  statusCode: 403,
  message: 'This host name is not allowed here; see --http-allowed-hosts',
  error: 'Forbidden',
});

/** Go's server rejects a malformed request line before any handler runs. */
const badRequestResponse: HttpResponse = { status: 400, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '400 Bad Request' };

function notFoundResponse(request: HttpRequest, headers: HeaderSets): HttpResponse {
  const path = decodePath(request.path);
  const clean = cleanPath(path);
  if (clean === path) return { status: 404, headers: headers.error, body: '404 page not found\n' };
  const location = encodePath(clean) + (request.query === '' ? '' : `?${request.query}`);
  return { status: 301, headers: { ...headers.bare, location }, body: '' };
}

/** Checks the method, then the content type, then the body. AvalancheGo: gorilla/rpc/v2/server.go, ServeHTTP. */
async function handleRpcRequest(
  { services, maxBody = defaultMaxBody }: Extract<HttpRoute, { services: Services }>,
  request: HttpRequest,
  {
    headers,
    rpcOptions,
    admitCalls,
  }: { readonly headers: HeaderSets; readonly rpcOptions: RpcOptions; readonly admitCalls: AdmitCalls | undefined },
): Promise<HttpResponse> {
  if (request.method !== 'POST')
    return { status: 405, headers: headers.text, body: `rpc: POST method required, received ${request.method}` };
  const type = request.header('content-type') ?? '';
  if (type !== 'application/json' && !(type === '' && rpcOptions.differences.missingContentType)) {
    const mediaType = type.split(';', 1)[0] ?? '';
    if (mediaType.toLowerCase() !== 'application/json')
      return { status: 415, headers: headers.text, body: `rpc: unrecognized Content-Type: ${mediaType}` };
  }
  let received: Uint8Array;
  try {
    received = await request.body(maxBody);
  } catch (error) {
    throw toBodyError(error);
  }
  const refused = admitCalls && (await admitCalls(request, countCalls(received, rpcOptions)));
  if (refused !== undefined)
    return { status: refused.status, headers: { ...headers.error, ...refused.headers }, body: `${refused.message}\n` };
  const { body, methodRan, isUnavailable } = await handleRpc(services, received, rpcOptions);
  const set = body.length === 0 ? (methodRan ? headers.noSniff : headers.bare) : methodRan ? headers.jsonNoSniff : headers.json;
  return isUnavailable ? { status: 503, headers: { ...set, 'retry-after': '1' }, body } : { status: 200, headers: set, body };
}
