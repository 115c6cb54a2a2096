import { countCalls, handleRpc, type RpcOptions } from '../rpc/json-rpc.ts';
import type { RpcResponse, Services } from '../rpc/method.ts';
import { createHostCheck } from './allowed-hosts.ts';
import { findBodyError } from './body-error.ts';
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
};

/** Default limit of a request body, in bytes: 4,096 node IDs or 1,024 addresses fit. */
export const defaultMaxBody = 262_144;

export type HttpRoutes = ReadonlyMap<string, HttpRoute>;

export type RouterOptions = {
  /** By decoded path, exact and case-sensitive. Looked up for every request, so routes may be added and removed. */
  readonly routes: HttpRoutes;
  /** Handlers of all paths with a given first segment, such as `v1`. They parse the rest of the path themselves, including percent escapes. */
  readonly prefixHandlers?: ReadonlyMap<string, Handler>;
  /** Answers paths without a route, for people: returns undefined for those it does not have. */
  readonly pages?: (request: HttpRequest) => HttpResponse | Promise<HttpResponse> | undefined;
  readonly nodeID: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly rpcOptions: RpcOptions & { readonly differences: { readonly privateNetwork?: boolean } };
  /** Counts the JSON-RPC calls of a request for the rate limits; undefined if they are not limited. */
  readonly admitCalls?: AdmitCalls | undefined;
};

/** Returns undefined if the calls may run, else the response in place of theirs. */
export type AdmitCalls = (request: HttpRequest, calls: number) => RefusedCalls | undefined | Promise<RefusedCalls | undefined>;
type RefusedCalls = { readonly status: number; readonly message: string; readonly headers: Readonly<Record<string, string>> };

/** Creates the handler of all requests. Checks run in AvalancheGo's order. AvalancheGo: api/server/server.go, wrapHandler; api/server/router.go. */
export function createRouter(options: RouterOptions): Handler {
  const { routes, prefixHandlers, pages, nodeID, allowedHosts, allowedOrigins, rpcOptions, admitCalls } = options;
  const isAllowedHost = createHostCheck(allowedHosts);
  const cors = createCors(allowedOrigins, { allowPrivateNetwork: rpcOptions.differences.privateNetwork === true });
  const prefixCors = createCors(allowedOrigins, { extraHeaders: ownHeaders, allowPrivateNetwork: true });
  const plain = createHeaderSets({ 'node-id': nodeID, vary: 'Origin' });
  const headersFor = createOriginHeaders(plain, {});
  const prefixHeadersFor = createOriginHeaders(plain, { 'access-control-expose-headers': readHeaders.join(', ') });

  return (request) => {
    const prefixHandler = prefixHandlers?.get(firstSegment(request.path));
    if (prefixHandler === undefined && hasMalformedEscape(request.path)) return badRequestResponse;
    if (isPreflight(request)) {
      const preflightHeaders = (prefixHandler === undefined ? cors : prefixCors).preflightHeaders(request);
      return { status: 200, headers: { ...plain.bare, ...preflightHeaders }, body: '' };
    }
    const origin = cors.allowedOrigin(request);
    const headers = prefixHandler === undefined ? headersFor(origin) : prefixHeadersFor(origin);
    if (!isAllowedHost(request.header('host')))
      return prefixHandler === undefined
        ? { status: 403, headers: headers.error, body: 'invalid host specified\n' }
        : { status: 403, headers: headers.json, body: forbiddenHostBody };
    // AvalancheGo routes to some chains by this header; no X-Chain is among them.
    if (prefixHandler === undefined && request.header('avalanche-api-route') !== null)
      return { status: 404, headers: headers.bare, body: '' };

    const route = routes.get(request.path) ?? routes.get(decodePathText(request.path));
    if (route === undefined) {
      if (prefixHandler !== undefined) return runHandler(prefixHandler, request, headers, rpcOptions);
      return runHandler((unrouted) => pages?.(unrouted) ?? notFoundResponse(unrouted, headers), request, headers, rpcOptions);
    }
    if (route.isAllowed?.(request) === false)
      return { status: 403, headers: headers.error, body: route.refusal ?? 'this caller is not allowed here\n' };
    const reason = route.unavailable?.();
    if (reason !== undefined) return { status: 503, headers: headers.error, body: `${reason}\n` };
    if ('handler' in route) {
      // Browsers apply CORS to HTTP responses only: a page of any origin could read from a WebSocket.
      if (origin === null && isForeignWebSocket(request)) return { status: 403, headers: headers.error, body: forbiddenOriginBody };
      return runHandler(route.handler, request, headers, rpcOptions);
    }
    if (route.get !== undefined && request.method === 'GET') return runHandler(route.get, request, headers, rpcOptions);
    return handleRpcRequest(route, request, headers, rpcOptions, admitCalls);
  };
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end < 0 ? path.slice(1) : path.slice(1, end);
}

/** Sets of response headers, created once and shared by responses. */
type HeaderSet = Readonly<Record<string, string>>;
type HeaderSets = Readonly<Record<'bare' | 'noSniff' | 'json' | 'jsonNoSniff' | 'text' | 'error', HeaderSet>> & {
  /** Adds the headers of a handler. Returns the same object for the same `own`, so that the server can cache it. */
  readonly mergeWith: (own: HeaderSet) => HeaderSet;
};

/** Header sets by allowed origin; those for `*` are created once. `more`: further headers for allowed origins only. */
function createOriginHeaders(plain: HeaderSets, more: HeaderSet): (origin: string | null) => HeaderSets {
  const setsFor = (origin: string): HeaderSets => createHeaderSets({ ...plain.bare, ...corsHeaders(origin), ...more });
  const anyOrigin = setsFor('*');
  return (origin) => (origin === null ? plain : origin === '*' ? anyOrigin : setsFor(origin));
}

/** Headers that pages may read from prefix handlers: rate limits, a height, the age of the data. AvalancheGo has no such paths, so this also applies with `--strict`. */
const readHeaders = [...limitHeaders, heightHeader, ageHeader];

function createHeaderSets(bare: Readonly<Record<string, string>>): HeaderSets {
  const noSniff = { ...bare, 'x-content-type-options': 'nosniff' };
  const json = { 'content-type': 'application/json; charset=utf-8' };
  const text = { 'content-type': 'text/plain; charset=utf-8' };
  const mergedHeaders = new WeakMap<HeaderSet, HeaderSet>();
  return {
    mergeWith: (own) => {
      const merged = mergedHeaders.get(own) ?? { ...bare, ...own };
      mergedHeaders.set(own, merged);
      return merged;
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
function handleRpcRequest(
  { services, maxBody = defaultMaxBody }: Extract<HttpRoute, { services: Services }>,
  request: HttpRequest,
  headers: HeaderSets,
  options: RpcOptions,
  admitCalls: AdmitCalls | undefined,
): HttpResponse | Promise<HttpResponse> {
  if (request.method !== 'POST')
    return { status: 405, headers: headers.text, body: `rpc: POST method required, received ${request.method}` };
  const type = request.header('content-type') ?? '';
  if (type !== 'application/json' && !(type === '' && options.differences.missingContentType)) {
    const mediaType = type.split(';', 1)[0] ?? '';
    if (mediaType.toLowerCase() !== 'application/json')
      return { status: 415, headers: headers.text, body: `rpc: unrecognized Content-Type: ${mediaType}` };
  }
  const respond = ({ body, methodRan, isUnavailable }: RpcResponse): HttpResponse => {
    const set = body.length === 0 ? (methodRan ? headers.noSniff : headers.bare) : methodRan ? headers.jsonNoSniff : headers.json;
    return isUnavailable ? { status: 503, headers: { ...set, 'retry-after': '1' }, body } : { status: 200, headers: set, body };
  };
  const run = (body: Uint8Array): HttpResponse | Promise<HttpResponse> => {
    const response = handleRpc(services, body, options);
    return response instanceof Promise ? response.then(respond) : respond(response);
  };
  const refuse = ({ status, message, headers: more }: RefusedCalls): HttpResponse => ({
    status,
    headers: { ...headers.error, ...more },
    body: `${message}\n`,
  });
  const call = (body: Uint8Array): HttpResponse | Promise<HttpResponse> => {
    const refused = admitCalls?.(request, countCalls(body, options));
    if (refused instanceof Promise) return refused.then((found) => (found === undefined ? run(body) : refuse(found)));
    return refused === undefined ? run(body) : refuse(refused);
  };
  const body = request.body(maxBody);
  return body instanceof Promise ? body.then(call, (error: unknown) => bodyErrorResponse(error, headers)) : call(body);
}

function bodyErrorResponse(error: unknown, headers: HeaderSets): HttpResponse {
  const { status, message } = findBodyError(error) ?? { status: 400, message: 'request body could not be read' };
  return { status, headers: headers.error, body: `${message}\n` };
}

/** Runs a handler and adds the common headers. Unexpected errors are reported and answered with 500. A synchronous response stays synchronous. */
function runHandler(
  handler: Handler,
  request: HttpRequest,
  headers: HeaderSets,
  options: RpcOptions,
): HttpResponse | Promise<HttpResponse> {
  const sent = (response: HttpResponse): HttpResponse => ({ ...response, headers: headers.mergeWith(response.headers) });
  const failed = (error: unknown): HttpResponse => {
    if (findBodyError(error) !== undefined) return bodyErrorResponse(error, headers);
    options.onUnexpectedError(error);
    return { status: 500, headers: headers.error, body: 'internal error\n' };
  };
  try {
    const response = handler(request);
    return response instanceof Promise ? response.then(sent).catch(failed) : sent(response);
  } catch (error) {
    return failed(error);
  }
}
