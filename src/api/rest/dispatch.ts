import { Fault } from '../../base/fault.ts';
import type { AccessDecision, AccessRequest, Gate } from '../access/gate.ts';
import type { DevAccess } from '../http/dev-access.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';
import { ageHeader, apiKeyOf, heightHeader, minHeightHeader } from '../http/own-headers.ts';
import { ApiError, apiError, invalidParams } from './api-error.ts';
import type { DataAge } from './data-age.ts';
import { createPageSeal, type OpenedToken } from './page-token.ts';
import type { ParamContext } from './param.ts';
import type { ReadConsistency } from './read-consistency.ts';
import type { ParsedRequest } from './read-params.ts';
import { createRequestReader, type MatchedRoute } from './request-reader.ts';
import { apiErrorResponse, errorResponse, jsonHeaders, renderJson } from './response.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';
import type { ApiRoute, PageCursor, Paging } from './route.ts';
import { RouteTreeError } from './route-tree.ts';

/** A route with its dependencies. */
export type BoundRoute = { readonly api: 'data' | 'metrics'; readonly route: ApiRoute<unknown>; readonly deps: unknown };

export const bindRoutes = <Deps>(api: BoundRoute['api'], routes: readonly ApiRoute<Deps>[], deps: Deps): BoundRoute[] =>
  routes.map((route) => ({ api, route: route as ApiRoute<unknown>, deps }));

/** What makes the response of a route. */
type ResponderOptions = {
  /** Without a cache the route runs for every request. */
  readonly cache?: ResponseCache;
  /** Secret of the page tokens. Must be the same in all processes that serve the same lists. */
  readonly sealKey: Uint8Array;
  /** How often the chain was reverted. A revert invalidates all page tokens. */
  readonly epoch: () => number;
  /** Unix seconds. */
  readonly now: () => number;
  /** `http://host:port` as the caller reached this server. */
  readonly origin: (request: HttpRequest) => string;
  /** Only where an index is read from several servers. */
  readonly consistency?: ReadConsistency;
};

export type ApiOptions = ResponderOptions & {
  /** The routes of one API, or of both if they share a port. */
  readonly routes: readonly BoundRoute[];
  readonly gate: Pick<Gate, 'admit'>;
  readonly context: ParamContext;
  /** IP address of the caller, for the rate limits. */
  readonly caller: (request: HttpRequest) => string;
  /** Called with errors whose details are not shown to the caller. */
  readonly onUnexpectedError: (error: unknown) => void;
  readonly observer?: ResponseObserver;
  /** Who may use the routes that manage this server; undefined: nobody. */
  readonly operators?: DevAccess | undefined;
  /** Only where blocks come from another node or process. */
  readonly dataAge?: Pick<DataAge, 'seconds'> | undefined;
};

/** Observes every response, for metrics. `route` is undefined if the path has no route. */
export type ResponseObserver = {
  /** Seconds of a monotonic clock. */
  readonly now: () => number;
  readonly onResponse: (route: BoundRoute | undefined, status: number, seconds: number) => void;
};

type Headers = Readonly<Record<string, string>>;
type Match = MatchedRoute<BoundRoute>;

/**
 * The handler of the Data and Metrics APIs. It finds the route, checks access (before the parameters are read), reads the parameters, then
 * returns a cached response or runs the route. It responds synchronously if nothing has to be awaited.
 */
export function createApi(options: ApiOptions): Handler {
  const { gate, caller, onUnexpectedError, observer } = options;
  const find = createRequestReader(options.routes, ({ route }) => route, options.context);
  const respondFromRoute = createResponder(options);
  const headersFor = createHeaderCache();

  const errorToResponse = (error: unknown, headers: Headers): HttpResponse => {
    if (error instanceof ApiError) return apiErrorResponse(error, headers);
    const expected = error instanceof Fault ? faultResponses.get(error.fault.code) : undefined;
    const { status, message, isReported } = expected ?? internalError;
    if (isReported) onUnexpectedError(error);
    return errorResponse(message, { status }, headers);
  };

  const respondIfAdmitted = (request: HttpRequest, match: Match, decision: AccessDecision): HttpResponse | Promise<HttpResponse> => {
    const { route } = match.target;
    const headersAt = (height?: number): Headers =>
      headersFor(decision.headers, { route: route.headers, height, age: options.dataAge?.seconds() });
    if (!decision.admitted) return errorResponse(decision.message, decision, headersFor(decision.headers, { route: route.headers }));
    // Whoever sends a key acts for the key; without a valid one it must be the operator.
    if (route.isOperator && decision.keyID === undefined && options.operators?.isAllowed(request) !== true)
      return apiErrorResponse(apiError(403, options.operators?.refusal.trim() ?? 'this server is managed elsewhere'), headersAt());
    return runThen(
      () => respondFromRoute(request, match, decision.keyID),
      ({ body }): HttpResponse => ({ status: route.status ?? 200, headers: headersAt(options.consistency?.height()), body }),
      (error) => errorToResponse(error, headersAt()),
    );
  };

  const accessRequest = (request: HttpRequest, api: BoundRoute['api'], route: BoundRoute['route'] | undefined): AccessRequest => ({
    api,
    route: route?.id,
    isPublic: route?.isPublic === true || (route?.isOperator === true && apiKeyOf(request) === undefined),
    key: apiKeyOf(request),
    // A getter, because reading the address needs a system call. It is read only if callers are counted.
    get caller() {
      return caller(request);
    },
  });

  /** A path without a route is counted too. The response is the error, or 429 if the rate limit is reached. */
  const respondWithoutRoute = (request: HttpRequest, error: unknown): HttpResponse | Promise<HttpResponse> =>
    runThen(
      () => gate.admit(accessRequest(request, apiOfUnknownPath(options.routes, request.path), undefined)),
      (decision) => {
        const headers = headersFor(decision.headers);
        const isLimited = !decision.admitted && decision.status === 429;
        return isLimited ? errorResponse(decision.message, decision, headers) : errorToResponse(error, headers);
      },
      (gateError) => errorToResponse(gateError, jsonHeaders),
    );

  const respond = (request: HttpRequest, match: Match): HttpResponse | Promise<HttpResponse> => {
    const { api, route } = match.target;
    return runThen(
      () => gate.admit(accessRequest(request, api, route)),
      (decision) => respondIfAdmitted(request, match, decision),
      (error) => errorToResponse(error, headersFor(noHeaders, { route: route.headers })),
    );
  };

  return (request) => {
    const start = observer?.now() ?? 0;
    let route: BoundRoute | undefined;
    const observe = (response: HttpResponse): HttpResponse => {
      observer?.onResponse(route, response.status, observer.now() - start);
      return response;
    };
    const findAndRespond = (): HttpResponse | Promise<HttpResponse> => {
      let match: Match;
      try {
        match = find(request);
      } catch (error) {
        return respondWithoutRoute(request, error instanceof RouteTreeError ? invalidParams([error.message]) : error);
      }
      route = match.target;
      return respond(request, match);
    };
    const response = findAndRespond();
    return response instanceof Promise ? response.then(observe) : observe(response);
  };
}

/** The API that a path without a route is counted for: the one its version suggests, or the only one on this port. */
function apiOfUnknownPath(routes: ApiOptions['routes'], path: string): BoundRoute['api'] {
  const suggested = path.startsWith('/v2/') ? 'metrics' : 'data';
  return routes.some(({ api }) => api === suggested) ? suggested : (routes[0]?.api ?? suggested);
}

/** The response to a fault. `isReported`: the operator must act, and no other part says so. */
type FaultResponse = { readonly status: 500 | 502 | 503; readonly message: string; readonly isReported: boolean };

const internalError: FaultResponse = { status: 500, message: 'Internal server error', isReported: true };

const reported = (status: 502 | 503, message: string): FaultResponse => ({ status, message, isReported: true });

/** The response to an outage or overload. Whoever notices that it begins or ends writes it to the log once: callers decide how many requests fail. */
const outage = (message: string): FaultResponse => ({ status: 503, message, isReported: false });

/** Responses to faults of the database, cache or followed node. They are temporary or need the operator. */
const faultResponses: ReadonlyMap<string, FaultResponse> = new Map([
  ['STORE_FAILED', reported(503, 'The database does not answer')],
  ['STORE_DAMAGED', reported(503, 'The database is damaged')],
  ['STATE_DAMAGED', reported(503, 'The database is damaged')],
  [
    'INDEX_NEWER_SCHEMA',
    reported(503, 'The database was migrated to a version that this server cannot read; start the newer version of serac api'),
  ],
  ['FOLLOW_NONSENSE', reported(502, 'The followed node sent an invalid response')],
  ['DATABASE_DOWN', outage('The database does not answer')],
  ['DATABASE_BEHIND', outage('The database does not have yet what was served before; the indexer is catching up')],
  ['INDEX_NOT_MADE', outage('The index has not been created yet')],
  ['INDEX_EMPTY', outage('The index has no blocks yet')],
  ['REDIS_UNREACHABLE', outage('The cache does not answer')],
  ['REDIS_TOO_SLOW', outage('The cache does not answer')],
  ['RELAY_BUSY', outage('The node is too busy to take this call now')],
  ['RECOVERY_BUSY', outage('The node has too many transactions with many signatures to verify now')],
  ['NODE_STOPPING', outage('The node is stopping')],
  ['FOLLOW_SILENT', outage('The followed node does not answer')],
]);

/** Returns a function that reads the parameters of a request and returns the response of its route, from the cache or by running it. */
function createResponder({ cache, sealKey, epoch, now, origin, consistency }: ResponderOptions) {
  const seal = createPageSeal(sealKey, epoch);
  const openedTokens = new WeakMap<ParsedRequest, { readonly second: number; readonly epoch: number; readonly opened: OpenedToken }>();

  /** Opens a token. The result is cached, because it stays the same within one second and one epoch. */
  const openToken = (parsed: ParsedRequest, token: string): OpenedToken => {
    const [second, currentEpoch] = [now(), epoch()];
    const cached = openedTokens.get(parsed);
    if (cached?.second === second && cached.epoch === currentEpoch) return cached.opened;
    const opened = seal.open(token, parsed.listKey(), second);
    openedTokens.set(parsed, { second, epoch: currentEpoch, opened });
    return opened;
  };

  const cursorOf = (parsed: ParsedRequest): PageCursor | undefined => {
    if (parsed.pageToken === undefined) return undefined;
    const opened = openToken(parsed, parsed.pageToken);
    if (opened === 'other-query') throw invalidParams(['pageToken belongs to another query']);
    return opened === 'unknown' ? undefined : opened.cursor;
  };

  const run = async (bound: BoundRoute, parsed: ParsedRequest, cursor: PageCursor | undefined, from: string): Promise<CachedResponse> => {
    const { route, deps } = bound;
    const [madeAt, startEpoch] = [now(), epoch()];
    let next: { readonly cursor: PageCursor; readonly token: string } | undefined;
    const paging: Paging = {
      cursor,
      nextPageToken: (to) => {
        next = { cursor: to, token: seal.seal(to, parsed.listKey(), madeAt) };
        return next.token;
      },
    };
    const runOnce = async () => renderJson(await route.run(deps, parsed.values as never, { origin: from, paging }));
    const body = await runConsistently(consistency, runOnce);
    // After a revert meanwhile, the response may mix two histories.
    if (epoch() !== startEpoch) return run(bound, parsed, cursorOf(parsed), from);
    const offset = next === undefined ? -1 : body.indexOf(next.token, 0, 'latin1');
    return { body, token: next === undefined || offset < 0 ? undefined : { offset, madeAt, cursor: next.cursor } };
  };

  const reply = (request: HttpRequest, bound: BoundRoute, parsed: ParsedRequest): CachedResponse | Promise<CachedResponse> => {
    const cursor = cursorOf(parsed);
    const from = origin(request);
    const make = () => run(bound, parsed, cursor, from);
    if (cache === undefined) return make();
    const page = cursor === undefined ? '' : `${cursor.height} ${cursor.after}`;
    return cache.respond({
      key: `${from}\n${parsed.responseKey}\n${parsed.pageSize}\n${page}`,
      policy: bound.route.cachePolicy,
      hasPageToken: cursor !== undefined,
      make,
      seal: (to, later) => seal.seal(to, parsed.listKey(), later),
    });
  };

  /** A page token and a header name heights that the caller has seen. */
  const replyAtLeast = (request: HttpRequest, bound: BoundRoute, parsed: ParsedRequest): CachedResponse | Promise<CachedResponse> => {
    if (consistency === undefined) return reply(request, bound, parsed);
    const waiting = consistency.atLeast(Math.max(minHeightOf(request), cursorOf(parsed)?.height ?? 0));
    return waiting === undefined ? reply(request, bound, parsed) : waiting.then(() => reply(request, bound, parsed));
  };

  /** Runs a route that manages this server: once, and what it answers is not cached. */
  const manage = async (request: HttpRequest, bound: BoundRoute, parsed: ParsedRequest, keyID?: string): Promise<CachedResponse> => {
    const paging: Paging = { cursor: cursorOf(parsed), nextPageToken: (to) => seal.seal(to, parsed.listKey(), now()) };
    const body = renderJson(await bound.route.run(bound.deps, parsed.values as never, { origin: origin(request), paging, keyID }));
    return { body, token: undefined };
  };

  return (request: HttpRequest, { target, parse }: Match, keyID?: string): CachedResponse | Promise<CachedResponse> => {
    const parsed = parse(request);
    const respond = (value: ParsedRequest) =>
      target.route.isOperator ? manage(request, target, value, keyID) : replyAtLeast(request, target, value);
    return parsed instanceof Promise ? parsed.then(respond) : respond(parsed);
  };
}

/** The height that a caller has seen, from its header; 0 if it names none. */
function minHeightOf(request: HttpRequest): number {
  const text = request.header(minHeightHeader);
  if (text === null || text === undefined) return 0;
  if (!/^\d{1,15}$/.test(text)) throw invalidParams([`the header ${minHeightHeader} must be a height, such as 1024`]);
  return Number(text);
}

/** Attempts before a request fails because the server that is read has changed each time. */
const maxAttempts = 3;

/** Runs `work` again if its reads were made on several servers, or if the server that it read has failed and another one answers. */
async function runConsistently<T>(consistency: ReadConsistency | undefined, work: () => Promise<T>): Promise<T> {
  if (consistency === undefined) return work();
  for (let attempt = 1; ; attempt++) {
    const before = consistency.changes();
    const isLast = attempt === maxAttempts;
    try {
      const result = await work();
      if (consistency.changes() === before) return result;
      if (isLast) throw apiError(503, 'The servers of the database are changing; try again');
    } catch (error) {
      if (error instanceof ApiError || isLast || consistency.changes() === before) throw error;
    }
  }
}

const noHeaders: Headers = {};

/** What the headers of a response depend on beside the access decision: those of its route, the height that was served, the age of the data. */
type HeaderValues = { readonly route?: Headers | undefined; readonly height?: number | undefined; readonly age?: number | undefined };

/**
 * Returns a function that builds the headers of a response. The same input gives the same object until height or age change, so that the server
 * can cache its encoded form.
 */
function createHeaderCache(): (decision: Headers, values?: HeaderValues) => Headers {
  const cache = new WeakMap<Headers, Pick<HeaderValues, 'height' | 'age'> & { readonly made: Headers }>();
  return (decision, { route, height, age } = {}) => {
    const seconds = age === undefined ? undefined : Math.floor(age);
    const cached = route === undefined ? cache.get(decision) : undefined;
    if (cached !== undefined && cached.height === height && cached.age === seconds) return cached.made;
    const made = {
      ...jsonHeaders,
      ...route,
      ...(height !== undefined && { [heightHeader]: String(height) }),
      ...(seconds !== undefined && { [ageHeader]: String(seconds) }),
      ...decision,
    };
    if (route === undefined) cache.set(decision, { height, age: seconds, made });
    return made;
  };
}

/** Like `await` with `catch`, but synchronous if `start` returns no promise. */
function runThen<T, R>(start: () => T | Promise<T>, then: (value: T) => R | Promise<R>, failed: (error: unknown) => R): R | Promise<R> {
  try {
    const value = start();
    return value instanceof Promise ? value.then(then).catch(failed) : then(value);
  } catch (error) {
    return failed(error);
  }
}
