import type { AnySchema, Fields } from './schema.ts';

/** A route of the Data, Metrics or explorer API. The dispatcher, the OpenAPI document and the types of handlers and pages follow from it. */
export type RouteRow<P extends Fields = Fields, R extends AnySchema = AnySchema> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path parameters are written as `{name}`. A `:verb` at the end is literal text. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** A longer text for the OpenAPI document. */
  readonly description?: string;
  /** A parameter whose name is in the path is there. The others are in the query, except those that say that they are in the body. */
  readonly params: P;
  readonly response: R;
  /** Schemas of error bodies that have more properties than the standard error body, by status. */
  readonly errorSchemas?: { readonly [status: number]: AnySchema };
  readonly cachePolicy: CachePolicy;
  /** The list of outputs in a response: once all of them are spent, no later block changes it. */
  readonly settledWhenSpent?: 'emittedUtxos';
  /** Status of a response without an error; default 200. */
  readonly status?: 201;
  /** Media type of such a response; default JSON. */
  readonly contentType?: 'text/event-stream';
  /** Additional headers of every response of this route. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The route needs no API key, even where keys are required, and is not rate limited. */
  readonly isPublic?: true;
  /**
   * The route manages this server: the operator may use it, that is the callers of `/ext/dev` (api/http/dev-access.ts), without limits; and callers
   * with an API key, for what is the key's own. It runs once per request, because it may change something.
   */
  readonly isOperator?: true;
};

/** Routes by their `operationId` in the OpenAPI document, which is also their name in rate limit plans and key grants. */
export type RouteRows = { readonly [id: string]: RouteRow };

/**
 * How long a response may be cached:
 * `final`                  until a revert, or a backfill: no later block changes the response.
 * `block`                  until the next block.
 * `block-and-second`       until the next block or the next second, because the response depends on the clock.
 * `pinned-page`            a page requested with a token stays valid, because it is read as of the token's height; the first page like `block`.
 * `pinned-page-or-second`  a page with a token like `pinned-page`, the first page like `block-and-second`, because other chains can change
 *                          what is listed between two blocks of this chain.
 * `never`                  not cached.
 * The time in a page token is ignored here: tokens in cached responses are renewed.
 */
export type CachePolicy = 'final' | 'block' | 'block-and-second' | 'pinned-page' | 'pinned-page-or-second' | 'never';

/** What the routes of each tag are about. */
export const tagDescriptions: { readonly [tag: string]: string } = {
  Addresses: 'Activity of addresses.',
  Assets: 'Assets and their supply.',
  Balances: 'Balances of addresses, now or at an earlier time.',
  Blockchains: 'The blockchains of the network.',
  Blocks: 'Accepted blocks.',
  'Chain metrics': 'Counts and rates of a chain over time.',
  Chains: 'The chains of this server.',
  Events: 'Blocks, transactions and more as they happen.',
  Explorer: 'What the explorer shows beside the Data API; routes of this server only.',
  Health: 'Whether the API and what it depends on work.',
  'Not served here': 'Operations of other servers that need data this server does not have.',
  Transactions: 'Accepted transactions.',
  UTXOs: 'Outputs, spent or unspent.',
  Vertices: 'What the X-Chain had before it was linearized.',
  Webhooks: 'Signed requests to a URL about the transactions of addresses or of an asset; managed by the operator.',
};

export const route = <P extends Fields, R extends AnySchema>(row: RouteRow<P, R>): RouteRow<P, R> => row;
