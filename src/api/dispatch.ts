import type { Admission, Gate } from '../access/gate.ts';
import { Fault } from '../fault.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';
import { errorResponse, jsonHeaders, refusalResponse, renderJson } from './answer.ts';
import type { Answer, AnswerCache, TokenInside } from './answer-cache.ts';
import { createPageSeal } from './page-token.ts';
import type { ParamContext } from './param.ts';
import { type Asked, readParams, type TextsOf } from './read-params.ts';
import { invalid, notFound, Refusal } from './refusal.ts';
import { bodyTexts, bodyTooLarge, queryTexts } from './request-texts.ts';
import type { Cursor, Pages, Route } from './route.ts';
import { createRouteTree, pathNames, RouteTreeError } from './route-tree.ts';

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
  readonly cache?: AnswerCache;
  /** Secret of the page tokens: the same in all processes that serve the same lists. */
  readonly sealKey: Uint8Array;
  /** Unix seconds. */
  readonly now: () => number;
  /** Address of who asks, for the rate limits. */
  readonly caller: (request: HttpRequest) => string;
  /** `http://host:port` as the caller reached this server. */
  readonly origin: (request: HttpRequest) => string;
  /** What no caller is told: unexpected errors. */
  readonly report: (error: unknown) => void;
  /** Told of every answer: the route's id, or undefined if there is none. */
  readonly observe?: (route: string | undefined, status: number) => void;
};

type Headers = Readonly<Record<string, string>>;
/** A row with what is known of it before any request. */
type Prepared = BoundRoute & { readonly pathNames: readonly string[]; readonly bodyNames: ReadonlySet<string> };
type Found = { readonly bound: Prepared; readonly texts: readonly string[] };

/**
 * From request to answer: the row of the path, the caller's right to ask (before anything of the request is judged), the parameters, then
 * a kept answer or a run. Answers at once where nothing has to be waited for.
 */
export function createApi(options: ApiOptions): Handler {
  const { gate, caller, report, observe } = options;
  const tree = createRouteTree(options.routes.map(prepared), ({ row }) => row);
  const answer = answerer(options);
  const headersFor = headerSets();

  const failed = (error: unknown, headers: Headers): HttpResponse => {
    if (error instanceof Refusal) return refusalResponse(error, headers);
    report(error);
    if (error instanceof Fault && downCodes.has(error.fault.code))
      return errorResponse('The database does not answer', { status: 503 }, headers);
    return errorResponse('Internal server error', { status: 500 }, headers);
  };

  const admitted = (request: HttpRequest, found: Found, admission: Admission): HttpResponse | Promise<HttpResponse> => {
    const headers = headersFor(admission.headers, found.bound.row.headers);
    if (!admission.admitted) return errorResponse(admission.message, admission, headers);
    return settle(
      () => answer(request, found),
      ({ body }) => ({ status: 200, headers, body }),
      (error) => failed(error, headers),
    );
  };

  const respond = (request: HttpRequest, found: Found): HttpResponse | Promise<HttpResponse> => {
    const { api, row } = found.bound;
    const key = request.header('x-service-api-key') ?? request.header('x-glacier-api-key') ?? undefined;
    const visit = { api, route: row.id, open: row.open === true, key, caller: caller(request) };
    return settle(
      () => gate.admit(visit),
      (admission) => admitted(request, found, admission),
      (error) => failed(error, headersFor(none, row.headers)),
    );
  };

  const watched = (route: string | undefined, response: HttpResponse): HttpResponse => {
    observe?.(route, response.status);
    return response;
  };

  return (request) => {
    // The server sends no body for HEAD, whatever the handler gave.
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    let id: string | undefined;
    try {
      const found = tree.find(method, request.path);
      if (found === undefined) throw notFound(`Cannot ${request.method.slice(0, 20)} ${request.path.slice(0, 200)}`);
      id = found.row.row.id;
      const response = respond(request, { bound: found.row, texts: found.texts });
      return response instanceof Promise ? response.then((sent) => watched(id, sent)) : watched(id, response);
    } catch (error) {
      const shown = error instanceof RouteTreeError ? invalid([error.message]) : error;
      return watched(id, failed(shown, jsonHeaders));
    }
  };
}

const prepared = (bound: BoundRoute): Prepared => ({
  ...bound,
  pathNames: pathNames(bound.row.path),
  bodyNames: new Set(Object.entries(bound.row.params).flatMap(([name, param]) => (param.in === 'body' ? [name] : []))),
});

/** Faults that mean: the database is not there now, ask again later. */
const downCodes: ReadonlySet<string> = new Set(['STORE_FAILED', 'DATABASE_DOWN', 'SQL_DOWN', 'INDEX_DOWN']);

/** The way from a found row to the bytes of its answer. */
function answerer({ cache, context, sealKey, now, origin }: ApiOptions) {
  const seal = createPageSeal(sealKey);

  const open = ({ pageToken, query }: Asked): Cursor | undefined => {
    if (pageToken === undefined) return undefined;
    const opened = seal.open(pageToken, query, now());
    if (opened === 'other-query') throw invalid(['pageToken belongs to another query']);
    return opened === 'unknown' ? undefined : opened.cursor;
  };

  const run = async ({ row, deps }: BoundRoute, asked: Asked, cursor: Cursor | undefined, from: string): Promise<Answer> => {
    const second = now();
    let given: { readonly token: string; readonly seal: TokenInside['seal'] } | undefined;
    const pages: Pages = {
      asked: cursor,
      next: (to) => {
        const sealTo = (at: number) => seal.seal(to, asked.query, at);
        given = { token: sealTo(second), seal: sealTo };
        return given.token;
      },
    };
    const body = renderJson(await row.run(deps, asked.values as never, { origin: from, pages }));
    const at = given === undefined ? -1 : body.indexOf(given.token, 0, 'latin1');
    return { body, token: given === undefined || at < 0 ? undefined : { at, made: second, seal: given.seal } };
  };

  const reply = (request: HttpRequest, bound: BoundRoute, asked: Asked): Answer | Promise<Answer> => {
    const cursor = open(asked);
    const from = origin(request);
    const make = () => run(bound, asked, cursor, from);
    if (cache === undefined) return make();
    const page = cursor === undefined ? '' : `${cursor.height} ${cursor.after}`;
    const key = `${from}\n${asked.query}\n${asked.pageSize}\n${page}`;
    return cache.answer(key, bound.row.keep, cursor !== undefined, make);
  };

  return (request: HttpRequest, { bound, texts }: Found): Answer | Promise<Answer> => {
    const { id, params, method } = bound.row;
    const inPath = new Map(bound.pathNames.map((name, at) => [name, [texts[at] as string]]));
    const inQuery = queryTexts(request.query);
    const read = (inBody: ReadonlyMap<string, readonly string[]> | undefined): Answer | Promise<Answer> => {
      const places = { path: inPath, query: inQuery, body: inBody };
      const textsOf: TextsOf = (place, name) => places[place]?.get(name);
      return reply(request, bound, readParams(id, params, textsOf, context));
    };
    if (method !== 'POST') return read(undefined);
    return bodyOf(request).then((body) => read(bodyTexts(body, bound.bodyNames)));
  };
}

async function bodyOf(request: HttpRequest): Promise<Uint8Array> {
  try {
    return await request.body();
  } catch (error) {
    if (error instanceof Fault && error.fault.code === 'BODY_TOO_LARGE') throw bodyTooLarge();
    throw invalid(['body could not be read']);
  }
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
