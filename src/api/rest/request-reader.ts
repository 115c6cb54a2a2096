import { createCache } from '../../base/cache/cache.ts';
import type { CacheBudget } from '../../base/cache/cache-budget.ts';
import { copyText } from '../../base/cache/copy-text.ts';
import { memoize } from '../../base/cache/memoize.ts';
import { Fault } from '../../base/fault.ts';
import type { HttpRequest } from '../http/message.ts';
import { ApiError, apiError, invalidParams, notFound } from './api-error.ts';
import type { ParamContext, Params } from './param.ts';
import { compileRouteParams } from './params.ts';
import { type ParsedRequest, readParams } from './read-params.ts';
import { apiBodyTooLarge, bodyTexts, maxBody, queryTexts } from './request-texts.ts';
import type { ApiRoute } from './route.ts';
import { createRouteTree, pathNames } from './route-tree.ts';

/** The route of a request, and a function that reads the parameters. */
type MatchedRoute<R> = { readonly target: R; readonly parse: (request: HttpRequest) => Promise<ParsedRequest> };

/**
 * Returns a function that finds the route of a request. Routes and parameters depend only on the path and query, and many requests repeat, so
 * the results are cached. Returns the error to answer, 404 or 400, if there is no such route.
 */
export function createRequestReader<R>(
  routes: readonly R[],
  routeOf: (route: R) => ApiRoute<unknown>,
  context: ParamContext,
  budget?: CacheBudget,
): (request: HttpRequest) => MatchedRoute<R> | ApiError {
  const tree = createRouteTree(routes, routeOf);
  const namesOf = new Map(routes.map((route) => [route, pathNames(routeOf(route).path)]));
  /** Parameters are compiled when their route is first requested: a program starts sooner. */
  const paramsOf = memoize((route: R): RouteParams => describeParams(compileRouteParams(routeOf(route))));
  const cache = createCache<string, MatchedRoute<R>>('requests', { size: (key) => key.length * 4 + entryOverhead, budget });

  const match = (
    method: string,
    { method: originalMethod, path, query }: Pick<HttpRequest, 'method' | 'path' | 'query'>,
  ): MatchedRoute<R> | ApiError => {
    const found = tree.find(method, path);
    if (found === 'malformed') return invalidParams(['path is not valid percent-encoding']);
    if (found === undefined) return notFound(`Cannot ${originalMethod.slice(0, 20)} ${path.slice(0, 200)}`);
    const { id } = routeOf(found.route);
    const { params, bodyNames } = paramsOf(found.route);
    const names = namesOf.get(found.route) as readonly string[];
    const pathTexts = (name: string): readonly string[] | undefined => {
      const at = names.indexOf(name);
      return at < 0 ? undefined : [found.texts[at] as string];
    };
    const read = (bodyValues?: Texts): ParsedRequest => {
      const places = { query: queryTexts(query), body: bodyValues };
      return readParams(id, params, (place, name) => (place === 'path' ? pathTexts(name) : places[place]?.get(name)), context);
    };
    if (bodyNames.size > 0) return { target: found.route, parse: async (request) => read(bodyTexts(await readBody(request), bodyNames)) };
    let parsed: ParsedRequest | undefined;
    return {
      target: found.route,
      parse: async () => {
        parsed ??= read();
        return parsed;
      },
    };
  };

  return (request) => {
    // HEAD is handled like GET; the server omits the body.
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    if (method !== 'GET' || request.path.length + request.query.length > maxCachedLength) return match(method, request);
    const key = `${request.path}?${request.query}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    // Path and query may be slices of a longer string. Copying them avoids keeping all of it in memory.
    const matched = match(method, { method: request.method, path: copyText(request.path), query: copyText(request.query) });
    if (!(matched instanceof ApiError)) cache.set(key, matched);
    return matched;
  };
}

/** The parameters of a route; of those in the body, whether each is JSON. */
type RouteParams = { readonly params: Params; readonly bodyNames: ReadonlyMap<string, boolean> };

const describeParams = (params: Params): RouteParams => ({
  params,
  bodyNames: new Map(Object.entries(params).flatMap(([name, param]) => (param.in === 'body' ? [[name, param.isJson === true]] : []))),
});

type Texts = ReadonlyMap<string, readonly string[]>;

/** Bytes of an entry beside its texts: about 30 objects (measured). */
const entryOverhead = 3072;

/** Characters. Longer requests are not cached; 64 addresses fit. */
const maxCachedLength = 4096;

async function readBody(request: HttpRequest): Promise<Uint8Array> {
  try {
    return await request.body(maxBody);
  } catch (error) {
    if (error instanceof Fault && error.fault.code === 'BODY_TOO_LARGE') throw apiBodyTooLarge();
    if (error instanceof Fault && error.fault.code === 'BODY_OVER_BUDGET') throw apiError(503, error.message);
    if (error instanceof Fault && error.fault.code === 'BODY_TIMEOUT') throw apiError(408, error.message);
    throw invalidParams(['body could not be read']);
  }
}
