import type { AnySchema } from '../contract/schema.ts';
import type { ErrorStatus } from './api-error.ts';
import type { Params, ValuesOf } from './param.ts';

/** A route of the Data or Metrics API. The dispatcher, the OpenAPI document and the contract tests all use this description. */
export type ApiRoute<Deps, P extends Params = Params> = {
  readonly method: 'GET' | 'POST';
  /** Path parameters are written as `{name}`. A `:verb` at the end is literal text. */
  readonly path: string;
  /** Its `operationId` in the OpenAPI document, and its name in rate limit plans and key grants. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** A longer text for the OpenAPI document. */
  readonly description?: string;
  readonly params: P;
  readonly response: AnySchema;
  /** Schemas of error bodies that have more properties than the standard error body. */
  readonly errorSchemas?: Readonly<Partial<Record<ErrorStatus, AnySchema>>>;
  readonly cachePolicy: CachePolicy;
  /** Media type of a 200 response; default JSON. */
  readonly contentType?: 'text/event-stream';
  /** Additional headers of every response of this route. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The route needs no API key, even where keys are required, and is not rate limited. */
  readonly isPublic?: true;
  /**
   * Returns the body of a 200 response, and throws an `ApiError` for any other status. The result is written as JSON: undefined properties
   * are omitted and bigints are written as numbers. A `RenderedJson` is sent unchanged.
   */
  readonly run: (deps: Deps, values: ValuesOf<P>, call: RouteRequest) => Promise<unknown>;
};

/**
 * How long a response may be cached:
 * `block`                  until the next block.
 * `block-and-second`       until the next block or the next second, because the response depends on the clock.
 * `pinned-page`            a page requested with a token stays valid, because it is read as of the token's height; the first page like `block`.
 * `pinned-page-or-second`  a page with a token like `pinned-page`, the first page like `block-and-second`, because other chains can change
 *                          what is listed between two blocks of this chain.
 * `never`                  not cached.
 * The time in a page token is ignored here: tokens in cached responses are renewed.
 */
export type CachePolicy = 'block' | 'block-and-second' | 'pinned-page' | 'pinned-page-or-second' | 'never';

/** What a route gets of the request, in addition to its parameters. */
export type RouteRequest = {
  /** `http://host:port` as the caller reached this server, for URLs in responses. */
  readonly origin: string;
  readonly paging: Paging;
};

/** Reads and creates page tokens for one query (the route and its parameters without the paging ones). The dispatcher encrypts them. */
export type Paging = {
  /** Start of the requested page. Undefined for the first page, and if the token has expired or was made with another secret. */
  readonly cursor: PageCursor | undefined;
  /** Creates the token of the next page. Call it at most once, and only if the token goes into the response. */
  readonly nextPageToken: (cursor: PageCursor) => string;
};

/**
 * The last item of the page before (`after`), and the height that all pages of the listing are read at. Both below 2^33; `after` may be
 * negative.
 */
export type PageCursor = { readonly height: number; readonly after: number };

/** Returns a function that defines a route of an API, with `run` typed by the parameters of that route. */
export const routeDefiner =
  <Deps>() =>
  <P extends Params>(route: ApiRoute<Deps, P>): ApiRoute<Deps> =>
    route as unknown as ApiRoute<Deps>;
