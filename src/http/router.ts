import { Fault } from '../fault.ts';
import { answer, type Mode } from '../rpc/envelope.ts';
import type { Reply, Services } from '../rpc/method.ts';
import { hostCheck } from './allowed-hosts.ts';
import { corsHeaders, createCors, isPreflight } from './cors.ts';
import type { Handler, HttpRequest, HttpResponse } from './message.ts';
import { cleanPath, decodePath, encodePath, isMalformed, readPath } from './path.ts';

/** What a path leads to: JSON-RPC services (and perhaps something else for GET), or a handler for every method. */
export type Route = (
  | { readonly services: Services; readonly get?: Handler /** Bytes; `usualMaxBody` without it. */; readonly maxBody?: number }
  | { readonly handler: Handler }
) & {
  /** Requests for which this is false are answered with 403. */
  readonly allows?: (request: HttpRequest) => boolean;
};

/** Bytes of a body that a call may have where nothing else is said: 4,096 node IDs or 1,024 addresses fit. */
export const usualMaxBody = 262_144;

export type Routes = ReadonlyMap<string, Route>;

export type RouterOptions = {
  /** By path, decoded: exact, case-sensitive. Looked up anew for every request, so that routes may come and go. */
  readonly routes: Routes;
  /** Whole trees of paths by their first segment, `v1`: they find their own way below it, percent signs and all. */
  readonly under?: ReadonlyMap<string, Handler>;
  readonly nodeID: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly mode: Mode & { readonly differences: { readonly privateNetwork?: boolean } };
};

/** AvalancheGo's way from request to response, in its order. Peer: api/server/server.go, wrapHandler; api/server/router.go. */
export function createRouter({ routes, under, nodeID, allowedHosts, allowedOrigins, mode }: RouterOptions): Handler {
  const isAllowedHost = hostCheck(allowedHosts);
  const cors = createCors(allowedOrigins, { privateNetwork: mode.differences.privateNetwork === true });
  const treeCors = createCors(allowedOrigins, { headers: keyHeaders, privateNetwork: true });
  const plain = headerSets({ 'node-id': nodeID, vary: 'Origin' });
  const headersFor = originHeaders(plain, {});
  const treeHeadersFor = originHeaders(plain, { 'access-control-expose-headers': limitHeaders.join(', ') });

  return (request) => {
    const tree = under?.get(firstSegment(request.path));
    if (tree === undefined && isMalformed(request.path)) return badRequest;
    if (isPreflight(request)) {
      const answered = (tree === undefined ? cors : treeCors).preflight(request);
      return { status: 200, headers: { ...plain.bare, ...answered }, body: '' };
    }
    const origin = cors.allowed(request);
    const headers = tree === undefined ? headersFor(origin) : treeHeadersFor(origin);
    if (!isAllowedHost(request.header('host')))
      return tree === undefined
        ? { status: 403, headers: headers.error, body: 'invalid host specified\n' }
        : { status: 403, headers: headers.json, body: foreignHost };
    // Chains reached by this header exist in the peer, none of them is an X-Chain.
    if (tree === undefined && request.header('avalanche-api-route') !== null) return { status: 404, headers: headers.bare, body: '' };

    const found = routes.get(request.path) ?? routes.get(readPath(request.path));
    if (found === undefined) return tree === undefined ? notFound(request, headers) : run(tree, request, headers, mode);
    if (found.allows?.(request) === false) return { status: 403, headers: headers.error, body: 'this caller is not allowed here\n' };
    if ('handler' in found) return run(found.handler, request, headers, mode);
    if (found.get !== undefined && request.method === 'GET') return run(found.get, request, headers, mode);
    return callServices(found, request, headers, mode);
  };
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end < 0 ? path.slice(1) : path.slice(1, end);
}

/** Headers in every combination an answer needs, made once and shared: a request only chooses among them. */
type HeaderSet = Readonly<Record<string, string>>;
type HeaderSets = Readonly<Record<'bare' | 'called' | 'json' | 'jsonCalled' | 'text' | 'error', HeaderSet>> & {
  /** Beside those a handler gives; the same object for the same one, so that a server knows it again. */
  readonly with: (own: HeaderSet) => HeaderSet;
};

/** The sets for an allowed origin; those for every origin are made once. `more`: what only answers to an allowed origin carry. */
function originHeaders(plain: HeaderSets, more: HeaderSet): (origin: string | null) => HeaderSets {
  const setsFor = (origin: string): HeaderSets => headerSets({ ...plain.bare, ...corsHeaders(origin), ...more });
  const anyOrigin = setsFor('*');
  return (origin) => (origin === null ? plain : origin === '*' ? anyOrigin : setsFor(origin));
}

/** What pages send to trees of paths: API keys. And what they read there: rate limits. Trees are not AvalancheGo's, so both hold in strict mode. */
const keyHeaders = ['X-Service-Api-Key', 'X-Glacier-Api-Key'];
const limitHeaders = ['RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After'];

function headerSets(bare: Readonly<Record<string, string>>): HeaderSets {
  const called = { ...bare, 'x-content-type-options': 'nosniff' };
  const json = { 'content-type': 'application/json; charset=utf-8' };
  const text = { 'content-type': 'text/plain; charset=utf-8' };
  const joined = new WeakMap<HeaderSet, HeaderSet>();
  return {
    with: (own) => {
      const known = joined.get(own) ?? { ...bare, ...own };
      joined.set(own, known);
      return known;
    },
    bare,
    called,
    json: { ...bare, ...json },
    jsonCalled: { ...called, ...json },
    text: { ...bare, ...text },
    error: { ...called, ...text },
  };
}

/** Trees of paths are not the peer's: their callers read JSON. */
const foreignHost = JSON.stringify({
  statusCode: 403,
  message: 'This host name is not allowed here; see --http-allowed-hosts',
  error: 'Forbidden',
});

/** Go's server refuses a malformed request line before any handler sees it. */
const badRequest: HttpResponse = { status: 400, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '400 Bad Request' };

function notFound(request: HttpRequest, headers: HeaderSets): HttpResponse {
  const path = decodePath(request.path);
  const clean = cleanPath(path);
  if (clean === path) return { status: 404, headers: headers.error, body: '404 page not found\n' };
  const location = encodePath(clean) + (request.query === '' ? '' : `?${request.query}`);
  return { status: 301, headers: { ...headers.bare, location }, body: '' };
}

/** Peer: gorilla/rpc/v2/server.go, ServeHTTP: first the method, then the content type, then the body. */
function callServices(
  { services, maxBody = usualMaxBody }: Extract<Route, { services: Services }>,
  request: HttpRequest,
  headers: HeaderSets,
  mode: Mode,
): HttpResponse | Promise<HttpResponse> {
  if (request.method !== 'POST')
    return { status: 405, headers: headers.text, body: `rpc: POST method required, received ${request.method}` };
  const type = request.header('content-type') ?? '';
  if (type !== 'application/json' && !(type === '' && mode.differences.missingContentType)) {
    const cut = type.split(';', 1)[0] ?? '';
    if (cut.toLowerCase() !== 'application/json')
      return { status: 415, headers: headers.text, body: `rpc: unrecognized Content-Type: ${cut}` };
  }
  const respond = ({ body, called, isUnavailable }: Reply): HttpResponse => {
    const set = body.length === 0 ? (called ? headers.called : headers.bare) : called ? headers.jsonCalled : headers.json;
    return { status: isUnavailable ? 503 : 200, headers: set, body };
  };
  const call = (body: Uint8Array): HttpResponse | Promise<HttpResponse> => {
    const reply = answer(services, body, mode);
    return reply instanceof Promise ? reply.then(respond) : respond(reply);
  };
  const body = request.body(maxBody);
  return body instanceof Promise ? body.then(call, (error: unknown) => unreadable(error, headers)) : call(body);
}

function unreadable(error: unknown, headers: HeaderSets): HttpResponse {
  const fault = error instanceof Fault ? error : undefined;
  const status = bodyFaults.get(fault?.fault.code ?? '');
  if (status !== undefined) return { status, headers: headers.error, body: `${fault?.message}\n` };
  return { status: 400, headers: headers.error, body: 'request body could not be read\n' };
}

/** Faults of reading a body that the caller is told of, and their statuses. */
const bodyFaults: ReadonlyMap<string, number> = new Map([
  ['BODY_TOO_LARGE', 413],
  ['BODY_FRAGMENTED', 400],
  ['BODY_TIMEOUT', 408],
  ['BODY_OVER_BUDGET', 503],
]);

/** A handler's own headers stand beside those of every answer. What it throws is reported, not shown. What is there at once is not waited for. */
function run(handler: Handler, request: HttpRequest, headers: HeaderSets, mode: Mode): HttpResponse | Promise<HttpResponse> {
  const sent = (response: HttpResponse): HttpResponse => ({ ...response, headers: headers.with(response.headers) });
  const failed = (error: unknown): HttpResponse => {
    if (error instanceof Fault && bodyFaults.has(error.fault.code)) return unreadable(error, headers);
    mode.report(error);
    return { status: 500, headers: headers.error, body: 'internal error\n' };
  };
  try {
    const response = handler(request);
    return response instanceof Promise ? response.then(sent).catch(failed) : sent(response);
  } catch (error) {
    return failed(error);
  }
}
