import type { Params, ValuesOf } from './param.ts';
import type { RefusalStatus } from './refusal.ts';
import type { Schema } from './schema.ts';

/** An operation of the Data or the Metrics interface as a row: the dispatcher, the OpenAPI document and the contract tests read the same one. */
export type Route<Deps, P extends Params = Params> = {
  readonly method: 'GET' | 'POST';
  /** With `{name}` for path parameters; a `:verb` at the end is literal text. */
  readonly path: string;
  /** Its name in the document, and in flags and key privileges. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** More than a line about it, for the document. */
  readonly description?: string;
  readonly params: P;
  readonly response: Schema;
  /** Bodies of other statuses that say more than every error does. */
  readonly failures?: Readonly<Partial<Record<RefusalStatus, Schema>>>;
  readonly keep: CachePolicy;
  /** Further headers of every answer of this route. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Answered without a key even where keys are required. */
  readonly open?: true;
  /**
   * Throws a `Refusal` for every answer but 200. The result is written as JSON: undefined properties are left out, bigints are bare digits;
   * or it is JSON already (raw.ts).
   */
  readonly run: (deps: Deps, values: ValuesOf<P>, call: Call) => Promise<unknown>;
};

/**
 * How long an answer may be kept, since it would be given again:
 * `tip`       while the last block and the second stay the same: it looks at the clock;
 * `tip-only`  while the last block stays the same;
 * `pin`       the same, but a page that was asked for with a token is good whatever comes after: it is answered as of the token's height;
 * `pin-tip`   a page with a token as `pin`, the first one as `tip`: other chains, too, change what is listed, between two blocks of this one;
 * `never`     not at all.
 * What a page token says of the clock does not count: tokens in kept answers are made anew.
 */
export type CachePolicy = 'tip' | 'tip-only' | 'pin' | 'pin-tip' | 'never';

/** What a route may know of the request beyond its parameters. */
export type Call = {
  /** Where the caller reached this server, `http://host:port`: for URLs in answers. */
  readonly origin: string;
  readonly pages: Pages;
};

/** Page tokens of this one query (route and parameters without paging): sealed and opened by the dispatcher's key. */
export type Pages = {
  /** The page asked for; undefined for the first one, also if the token has expired or is of another key. */
  readonly asked: Cursor | undefined;
  /** The token of the page after this one, for `nextPageToken`: asked for once, and only if it goes into the answer. */
  readonly next: (cursor: Cursor) => string;
};

/** Where a listing goes on, and the height at which it began. Both below 2^33; `after` may be negative. */
export type Cursor = { readonly height: number; readonly after: number };

/** Rows of one interface; keeps each row's own parameter types while they are written. */
export const route =
  <Deps>() =>
  <P extends Params>(row: Route<Deps, P>): Route<Deps> =>
    row as unknown as Route<Deps>;
