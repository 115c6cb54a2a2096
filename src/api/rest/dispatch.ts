import type { AccessDecision, AccessRequest, Gate } from '../access/gate.ts';
import type { DevAccess } from '../http/dev-access.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';
import { ageHeader, apiKeyOf, heightHeader } from '../http/own-headers.ts';
import { ApiError, apiError } from './api-error.ts';
import type { DataAge } from './data-age.ts';
import type { ParamContext } from './param.ts';
import { createRequestReader } from './request-reader.ts';
import { jsonHeaders, toErrorResponse } from './response.ts';
import type { BoundRoute } from './route.ts';
import { createRouteRunner, type RouteRunnerOptions } from './route-runner.ts';

/** Observes every response, for metrics. `route` is undefined if the path has no route. */
export type ResponseObserver = {
  /** Seconds of a monotonic clock. */
  readonly now: () => number;
  readonly onResponse: (route: BoundRoute | undefined, status: number, seconds: number) => void;
};

type Headers = Readonly<Record<string, string>>;

/**
 * The handler of the Data and Metrics APIs, which the router calls for paths below `/v1` and `/v2`. It finds the route, asks the gate for access
 * (before a body is read), reads the parameters, then takes the response from the cache or runs the route.
 */
export function createApi(
  options: RouteRunnerOptions & {
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
  },
): Handler {
  const { routes, gate, caller, operators, dataAge, consistency, observer, onUnexpectedError } = options;
  const findRoute = createRequestReader(routes, ({ route }) => route, options.context);
  const runRoute = createRouteRunner(options);
  const headersFor = createHeaderCache();

  /** What the gate needs to know. A path without a route is counted too: for the API that its version suggests. */
  const accessRequest = (request: HttpRequest, bound: BoundRoute | undefined): AccessRequest => ({
    api: bound?.api ?? apiOfUnknownPath(routes, request.path),
    route: bound?.route.id,
    isPublic: bound?.route.isPublic === true || (bound?.route.isOperator === true && apiKeyOf(request) === undefined),
    key: apiKeyOf(request),
    // A getter, because reading the address needs a system call. It is read only if callers are counted.
    get caller() {
      return caller(request);
    },
  });

  return async (request) => {
    const startedAt = observer?.now() ?? 0;
    const match = findRoute(request);
    const bound = match instanceof ApiError ? undefined : match.target;
    let decision: AccessDecision | undefined;
    /** The age is that of the data which an answer was made from, so a refusal has none. */
    const headersAt = (height?: number): Headers => {
      const age = bound !== undefined && decision?.admitted ? dataAge?.seconds() : undefined;
      return headersFor(decision?.headers ?? noHeaders, { route: bound?.route.headers, height, age });
    };
    let response: HttpResponse;
    try {
      decision = await gate.admit(accessRequest(request, bound));
      // A path without a route gets 404 whatever key was sent, but too many such requests are refused.
      if (match instanceof ApiError) throw isLimited(decision) ? refusalOf(decision) : match;
      if (!decision.admitted) throw refusalOf(decision);
      const { route } = match.target;
      // Whoever sends a key acts for the key; without a valid one it must be the operator.
      if (route.isOperator && decision.keyID === undefined && operators?.isAllowed(request) !== true)
        throw apiError(403, operators?.refusal.trim() ?? 'this server is managed elsewhere');
      const parsed = await match.parse(request);
      const body = await runRoute(request, match.target, parsed, decision.keyID);
      response = { status: route.status ?? 200, headers: headersAt(consistency?.height()), body };
    } catch (error) {
      response = toErrorResponse(error, headersAt(), onUnexpectedError);
    }
    observer?.onResponse(bound, response.status, observer.now() - startedAt);
    return response;
  };
}

type Refusal = Extract<AccessDecision, { readonly admitted: false }>;

const isLimited = (decision: AccessDecision): decision is Refusal => !decision.admitted && decision.status === 429;

const refusalOf = ({ status, message }: Refusal): ApiError => apiError(status, message);

/** The API that a path without a route is counted for: the one its version suggests, or the only one on this port. */
function apiOfUnknownPath(routes: readonly BoundRoute[], path: string): BoundRoute['api'] {
  const suggested = path.startsWith('/v2/') ? 'metrics' : 'data';
  return routes.some(({ api }) => api === suggested) ? suggested : (routes[0]?.api ?? suggested);
}

const noHeaders: Headers = {};

/** What the headers of a response depend on beside the access decision: those of its route, the height that was served, the age of the data. */
type HeaderValues = { readonly route?: Headers | undefined; readonly height?: number | undefined; readonly age?: number | undefined };

/**
 * Returns a function that builds the headers of a response. The same input gives the same object until height or age change, so that the server
 * can cache its encoded form.
 */
function createHeaderCache(): (decision: Headers, values: HeaderValues) => Headers {
  const cache = new WeakMap<Headers, { readonly height: number | undefined; readonly age: number | undefined; readonly made: Headers }>();
  return (decision, { route, height, age }) => {
    const seconds = age === undefined ? undefined : Math.floor(age);
    const cached = route === undefined ? cache.get(decision) : undefined;
    if (cached !== undefined && cached.height === height && cached.age === seconds) return cached.made;
    const made: Record<string, string> = { ...jsonHeaders, ...route };
    if (height !== undefined) made[heightHeader] = String(height);
    if (seconds !== undefined) made[ageHeader] = String(seconds);
    Object.assign(made, decision);
    if (route === undefined) cache.set(decision, { height, age: seconds, made });
    return made;
  };
}
