import type { Admission, Gate, Visit } from '../access/gate.ts';
import { Fault } from '../fault.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';
import { createPageSeal, type Opened } from './page-token.ts';
import type { ParamContext } from './param.ts';
import type { Asked } from './read-params.ts';
import { invalid, Refusal } from './refusal.ts';
import { createRequestReader, type Lead } from './request-reader.ts';
import { errorResponse, jsonHeaders, refusalResponse, renderJson } from './response.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';
import type { Cursor, Pages, Route } from './route.ts';
import { RouteTreeError } from './route-tree.ts';

/** A row with what it runs on. */
export type BoundRoute = { readonly api: 'data' | 'metrics'; readonly row: Route<unknown>; readonly deps: unknown };

export const bind = <Deps>(api: BoundRoute['api'], rows: readonly Route<Deps>[], deps: Deps): BoundRoute[] =>
  rows.map((row) => ({ api, row: row as Route<unknown>, deps }));

export type ApiOptions = {
  /** Of one interface, or of both if they share a port. */
  readonly routes: readonly BoundRoute[];
  readonly gate: Gate;
  readonly context: ParamContext;
  /** Without one every request is answered anew. */
  readonly cache?: ResponseCache;
  /** Secret of the page tokens: the same in all processes that serve the same lists. */
  readonly sealKey: Uint8Array;
  /** How often the chain was reverted: page tokens do not outlive it. */
  readonly epoch: () => number;
  /** Unix seconds. */
  readonly now: () => number;
  /** Address of who asks, for the rate limits. */
  readonly caller: (request: HttpRequest) => string;
  /** `http://host:port` as the caller reached this server. */
  readonly origin: (request: HttpRequest) => string;
  /** What no caller is told: unexpected errors. */
  readonly report: (error: unknown) => void;
  readonly observer?: Observer;
};

/** Told of every answer, and how long it took. `route` is undefined if the path led nowhere. */
export type Observer = {
  /** Seconds from any point. */
  readonly now: () => number;
  readonly answered: (route: BoundRoute | undefined, status: number, seconds: number) => void;
};

type Headers = Readonly<Record<string, string>>;
type Found = Lead<BoundRoute>;

/**
 * From request to answer: the row of the path, the caller's right to ask (before anything of the request is judged), the parameters, then
 * a kept answer or a run. Answers at once where nothing has to be waited for.
 */
export function createApi(options: ApiOptions): Handler {
  const { gate, caller, report, observer } = options;
  const find = createRequestReader(options.routes, ({ row }) => row, options.context);
  const answer = answerer(options);
  const headersFor = headerSets();

  const failed = (error: unknown, headers: Headers): HttpResponse => {
    if (error instanceof Refusal) return refusalResponse(error, headers);
    report(error);
    const [status, message] = (error instanceof Fault ? troubles.get(error.fault.code) : undefined) ?? [500, 'Internal server error'];
    return errorResponse(message, { status }, headers);
  };

  const admitted = (request: HttpRequest, found: Found, admission: Admission): HttpResponse | Promise<HttpResponse> => {
    const headers = headersFor(admission.headers, found.target.row.headers);
    if (!admission.admitted) return errorResponse(admission.message, admission, headers);
    return settle(
      () => answer(request, found),
      ({ body }): HttpResponse => ({ status: 200, headers, body }),
      (error) => failed(error, headers),
    );
  };

  const visitOf = (request: HttpRequest, api: BoundRoute['api'], row: BoundRoute['row'] | undefined): Visit => ({
    api,
    route: row?.id,
    open: row?.open === true,
    key: request.header('x-service-api-key') ?? request.header('x-glacier-api-key') ?? undefined,
    // Asked for only where callers are counted: the system has to be asked too.
    get caller() {
      return caller(request);
    },
  });

  /** A path without a route counts like any other; only too many of them change the answer. */
  const lost = (request: HttpRequest, error: unknown): HttpResponse | Promise<HttpResponse> =>
    settle(
      () => gate.admit(visitOf(request, lostApi(options.routes, request.path), undefined)),
      (admission) => {
        const headers = headersFor(admission.headers, undefined);
        const tooMany = !admission.admitted && admission.status === 429;
        return tooMany ? errorResponse(admission.message, admission, headers) : failed(error, headers);
      },
      (trouble) => failed(trouble, jsonHeaders),
    );

  const respond = (request: HttpRequest, found: Found): HttpResponse | Promise<HttpResponse> => {
    const { api, row } = found.target;
    return settle(
      () => gate.admit(visitOf(request, api, row)),
      (admission) => admitted(request, found, admission),
      (error) => failed(error, headersFor(none, row.headers)),
    );
  };

  return (request) => {
    const start = observer?.now() ?? 0;
    let route: BoundRoute | undefined;
    const watched = (response: HttpResponse): HttpResponse => {
      observer?.answered(route, response.status, observer.now() - start);
      return response;
    };
    const answered = (): HttpResponse | Promise<HttpResponse> => {
      let found: Found;
      try {
        found = find(request);
      } catch (error) {
        return lost(request, error instanceof RouteTreeError ? invalid([error.message]) : error);
      }
      route = found.target;
      return respond(request, found);
    };
    const response = answered();
    return response instanceof Promise ? response.then(watched) : watched(response);
  };
}

/** The interface that a path without a route counts for: the only one here, or the one its version suggests. */
function lostApi(routes: ApiOptions['routes'], path: string): BoundRoute['api'] {
  const suggested = path.startsWith('/v2/') ? 'metrics' : 'data';
  return routes.some(({ api }) => api === suggested) ? suggested : (routes[0]?.api ?? suggested);
}

/** Faults of what this server stands on: it works again when they do. */
const troubles: ReadonlyMap<string, readonly [status: 502 | 503, message: string]> = new Map([
  ['STORE_FAILED', [503, 'The database does not answer']],
  ['STORE_DAMAGED', [503, 'The database is damaged']],
  ['STATE_DAMAGED', [503, 'The database is damaged']],
  ['DATABASE_DOWN', [503, 'The database does not answer']],
  ['INDEX_NOT_MADE', [503, 'The index is not there yet']],
  ['INDEX_EMPTY', [503, 'The index is not there yet']],
  ['REDIS_UNREACHABLE', [503, 'The cache does not answer']],
  ['REDIS_TOO_SLOW', [503, 'The cache does not answer']],
  ['RELAY_BUSY', [503, 'The node is too busy to take this call now']],
  ['FOLLOW_SILENT', [503, 'The followed node does not answer']],
  ['FOLLOW_NONSENSE', [502, 'The followed node answers nonsense']],
]);

/** The way from a found row to the bytes of its answer. */
function answerer({ cache, sealKey, epoch, now, origin }: ApiOptions) {
  const seal = createPageSeal(sealKey, epoch);
  const openedNow = new WeakMap<Asked, { readonly second: number; readonly epoch: number; readonly opened: Opened }>();

  /** Within one second and one epoch a token opens to the same. */
  const opening = (asked: Asked, token: string): Opened => {
    const [second, currentEpoch] = [now(), epoch()];
    const before = openedNow.get(asked);
    if (before?.second === second && before.epoch === currentEpoch) return before.opened;
    const opened = seal.open(token, asked.list(), second);
    openedNow.set(asked, { second, epoch: currentEpoch, opened });
    return opened;
  };

  const open = (asked: Asked): Cursor | undefined => {
    if (asked.pageToken === undefined) return undefined;
    const opened = opening(asked, asked.pageToken);
    if (opened === 'other-query') throw invalid(['pageToken belongs to another query']);
    return opened === 'unknown' ? undefined : opened.cursor;
  };

  const run = async ({ row, deps }: BoundRoute, asked: Asked, cursor: Cursor | undefined, from: string): Promise<CachedResponse> => {
    const made = now();
    let next: { readonly cursor: Cursor; readonly token: string } | undefined;
    const pages: Pages = {
      asked: cursor,
      next: (to) => {
        next = { cursor: to, token: seal.seal(to, asked.list(), made) };
        return next.token;
      },
    };
    const body = renderJson(await row.run(deps, asked.values as never, { origin: from, pages }));
    const at = next === undefined ? -1 : body.indexOf(next.token, 0, 'latin1');
    return { body, token: next === undefined || at < 0 ? undefined : { at, made, cursor: next.cursor } };
  };

  const reply = (request: HttpRequest, bound: BoundRoute, asked: Asked): CachedResponse | Promise<CachedResponse> => {
    const cursor = open(asked);
    const from = origin(request);
    const make = () => run(bound, asked, cursor, from);
    if (cache === undefined) return make();
    const page = cursor === undefined ? '' : `${cursor.height} ${cursor.after}`;
    return cache.answer({
      key: `${from}\n${asked.query}\n${asked.pageSize}\n${page}`,
      keep: bound.row.keep,
      pinned: cursor !== undefined,
      make,
      seal: (to, later) => seal.seal(to, asked.list(), later),
    });
  };

  return (request: HttpRequest, { target, asked }: Found): CachedResponse | Promise<CachedResponse> => {
    const read = asked(request);
    return read instanceof Promise ? read.then((late) => reply(request, target, late)) : reply(request, target, read);
  };
}

const none: Headers = {};

/** Headers of an answer. The same set gives the same object: what is made of it once need not be made again. */
function headerSets(): (admission: Headers, row: Headers | undefined) => Headers {
  const known = new WeakMap<Headers, Headers>();
  return (admission, row) => {
    if (row !== undefined) return { ...jsonHeaders, ...row, ...admission };
    const before = known.get(admission);
    if (before !== undefined) return before;
    const made = { ...jsonHeaders, ...admission };
    known.set(admission, made);
    return made;
  };
}

/** `await` that does not wait for what is there already. */
function settle<T, R>(start: () => T | Promise<T>, then: (value: T) => R | Promise<R>, failed: (error: unknown) => R): R | Promise<R> {
  try {
    const value = start();
    return value instanceof Promise ? value.then(then).catch(failed) : then(value);
  } catch (error) {
    return failed(error);
  }
}
