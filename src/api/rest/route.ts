import type { RouteRow, RouteRows } from '../contract/route.ts';
import type { AnySchema } from '../contract/schema.ts';
import type { Answer, JsonOf, ValuesOf } from '../contract/views.ts';
import type { RawJson } from '../rpc/write-json.ts';

/** A route of the contract with its handler. */
export type ApiRoute<Deps> = RouteRow & {
  /** Its `operationId` in the OpenAPI document, and its name in rate limit plans and key grants. */
  readonly id: string;
  readonly run: Run<Deps, never, unknown>;
};

/**
 * Returns the body of a response, and throws an `ApiError` for an error status. The result is written as JSON: undefined properties are
 * omitted and bigints are written as numbers. A `RawJson` is sent unchanged.
 */
type Run<Deps, Values, Result> = (deps: Deps, values: Values, call: RouteRequest) => Promise<Result>;

type RunOf<Deps, R> =
  R extends RouteRow<infer P, infer S extends AnySchema> ? Run<Deps, ValuesOf<P>, RawJson | Answer<JsonOf<S>, never>> : never;

/** A route with its dependencies, and the API that its requests are counted for. */
export type BoundRoute = {
  readonly api: 'data' | 'metrics';
  readonly route: ApiRoute<unknown>;
  readonly deps: unknown;
  /** The same over a database that may lack blocks which were served, for answers that no later block changes. */
  readonly settledDeps?: unknown;
};

export const bindRoutes = <Deps>(
  api: BoundRoute['api'],
  routes: readonly ApiRoute<Deps>[],
  deps: Deps,
  settledDeps?: Deps | undefined,
): BoundRoute[] => routes.map((route) => ({ api, route: route as ApiRoute<unknown>, deps, settledDeps }));

/** What a route gets of the request, in addition to its parameters. */
type RouteRequest = {
  /** `http://host:port` as the caller reached this server, for URLs in responses. */
  readonly origin: string;
  readonly paging: Paging;
  /** The API key of the caller, on routes that manage this server; undefined: the operator. */
  readonly keyID?: string | undefined;
};

/** Reads and creates page tokens for one query (the route and its parameters without the paging ones). route-runner.ts encrypts them. */
export type Paging = {
  /** Start of the requested page. Undefined for the first page, and if the token has expired or was made with another secret. */
  readonly cursor: PageCursor | undefined;
  /** Creates the token of the next page. Call it at most once, and only if the token goes into the response. */
  readonly nextPageToken: (cursor: PageCursor) => string;
};

/**
 * The number of the last item of the page before (`after`), and the height that all pages of the listing are read at. Limits of a page token: the
 * height is below 2^32, `after` is an integer from -2^52 to below 2^52.
 */
export type PageCursor = { readonly height: number; readonly after: number };

/**
 * Adds the handlers to rows of the contract. A missing or an extra handler, or one with other parameters or another answer than its row, does
 * not compile.
 */
export const implementRoutes =
  <Deps>() =>
  <R extends RouteRows>(rows: R, handlers: { readonly [Id in keyof R]: RunOf<Deps, R[Id]> }): readonly ApiRoute<Deps>[] =>
    Object.entries(rows).map(([id, row]) => ({ ...row, id, run: handlers[id] as ApiRoute<Deps>['run'] }));
