import { Fault } from '../../base/fault.ts';
import type { HttpRequest } from '../http/message.ts';
import { minHeightHeader } from '../http/own-headers.ts';
import { ApiError, apiError, invalidParams } from './api-error.ts';
import { createPageSeal, type OpenedToken, type PageSeal } from './page-token.ts';
import type { ReadConsistency } from './read-consistency.ts';
import type { ParsedRequest } from './read-params.ts';
import { renderJson } from './response.ts';
import { type CachedResponse, isSettledPolicy, type ResponseCache } from './response-cache.ts';
import type { BoundRoute, PageCursor, Paging } from './route.ts';

/** What the answers of routes depend on, beside the routes. */
export type RouteRunnerOptions = {
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

/**
 * Returns a function from a route and the parameters of a request to the body of the response: it opens the page token, then takes the body
 * from the cache or runs the route. `keyID`: the API key of the caller. createApi (dispatch.ts) calls it when access is granted.
 */
export function createRouteRunner({ cache, sealKey, epoch, now, origin, consistency }: RouteRunnerOptions) {
  const seal = createPageSeal(sealKey, epoch);
  const openToken = createTokenOpener(seal.open, epoch, now);

  const cursorOf = (parsed: ParsedRequest): PageCursor | undefined => {
    if (parsed.pageToken === undefined) return undefined;
    const opened = openToken(parsed, parsed.pageToken);
    if (opened === 'other-query') throw invalidParams(['pageToken belongs to another query']);
    return opened === 'unknown' ? undefined : opened.cursor;
  };

  /** Runs a route that manages this server: once, because it changes something. The answer is not cached. */
  const runOnce = async (request: HttpRequest, { route, deps }: BoundRoute, parsed: ParsedRequest, keyID: string | undefined) => {
    const paging: Paging = { cursor: cursorOf(parsed), nextPageToken: (to) => seal.seal(to, parsed.listKey(), now()) };
    return renderJson(await route.run(deps, parsed.values as never, { origin: origin(request), paging, keyID }));
  };

  /** Runs a route that reads, and again if its reads may not agree: the chain was reverted meanwhile, or another server was read. */
  const run = async (bound: BoundRoute, parsed: ParsedRequest, cursor: PageCursor | undefined, from: string): Promise<CachedResponse> => {
    const { route, deps } = bound;
    const [madeAt, startEpoch] = [now(), epoch()];
    for (let attempt = 1; ; attempt++) {
      const startChanges = consistency?.changes();
      let next: { readonly cursor: PageCursor; readonly token: string } | undefined;
      const paging: Paging = {
        cursor,
        nextPageToken: (to) => {
          next = { cursor: to, token: seal.seal(to, parsed.listKey(), madeAt) };
          return next.token;
        },
      };
      try {
        const body = renderJson(await route.run(deps, parsed.values as never, { origin: from, paging }));
        if (consistency?.changes() === startChanges) {
          // A cursor from before the revert has no meaning after it, so the token is opened again.
          if (epoch() !== startEpoch) return run(bound, parsed, cursorOf(parsed), from);
          return { body, token: findToken(body, next, madeAt) };
        }
      } catch (error) {
        if (error instanceof ApiError || attempt === maxAttempts || consistency?.changes() === startChanges) throw error;
      }
      if (attempt === maxAttempts) throw apiError(503, 'The servers of the database are changing; try again');
    }
  };

  const runAsServed = async (request: HttpRequest, bound: BoundRoute, parsed: ParsedRequest): Promise<Uint8Array> => {
    // The header and the page token name heights that the caller has seen.
    if (consistency !== undefined) await consistency.atLeast(Math.max(minHeightOf(request), cursorOf(parsed)?.height ?? 0));
    const cursor = cursorOf(parsed);
    const from = origin(request);
    const make = () => run(bound, parsed, cursor, from);
    if (cache === undefined) return (await make()).body;
    const page = cursor === undefined ? '' : `${cursor.height} ${cursor.after}`;
    const { body } = await cache.getOrMake({
      key: `${from}\n${parsed.responseKey}\n${parsed.pageSize}\n${page}`,
      policy: bound.route.cachePolicy,
      hasPageToken: cursor !== undefined,
      make,
      seal: (to, later) => seal.seal(to, parsed.listKey(), later),
    });
    return body;
  };

  /**
   * The response from a database that lacks blocks which were served, if no later block changes it; otherwise throws `behind`. Neither the floor nor
   * the height that the caller names matters then. What is not found may be in a block that is missing.
   */
  const runSettled = async (request: HttpRequest, bound: BoundRoute, parsed: ParsedRequest, behind: unknown): Promise<Uint8Array> => {
    const { route, settledDeps } = bound;
    const cursor = cursorOf(parsed);
    const isSettled = isSettledPolicy(route.cachePolicy, cursor !== undefined);
    if (settledDeps === undefined || !(isSettled || route.settledWhenSpent !== undefined)) throw behind;
    try {
      await consistency?.settledAt(cursor?.height ?? 0);
      const { body } = await run({ ...bound, deps: settledDeps }, parsed, cursor, origin(request));
      if (isSettled || areSpent(body, route.settledWhenSpent)) return body;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
    throw behind;
  };

  return async (request: HttpRequest, bound: BoundRoute, parsed: ParsedRequest, keyID: string | undefined): Promise<Uint8Array> => {
    if (bound.route.isOperator) return runOnce(request, bound, parsed, keyID);
    try {
      return await runAsServed(request, bound, parsed);
    } catch (error) {
      if (error instanceof Fault && error.fault.code === 'DATABASE_BEHIND') return runSettled(request, bound, parsed, error);
      throw error;
    }
  };
}

/** Whether all outputs of a list in a response are spent. */
function areSpent(body: Uint8Array, list: string | undefined): boolean {
  const response = JSON.parse(Buffer.from(body).toString()) as {
    readonly [name: string]: readonly { readonly consumingTxHash?: string }[];
  };
  return response[list ?? '']?.every(({ consumingTxHash }) => consumingTxHash !== undefined) === true;
}

/** Runs of a route before its request fails because the server that is read has changed each time. */
const maxAttempts = 3;

/** Returns a function that opens page tokens. The result is cached, because it stays the same within one second and one epoch. */
function createTokenOpener(open: PageSeal['open'], epoch: () => number, now: () => number) {
  const cache = new WeakMap<ParsedRequest, { readonly second: number; readonly epoch: number; readonly opened: OpenedToken }>();
  return (parsed: ParsedRequest, token: string): OpenedToken => {
    const [second, currentEpoch] = [now(), epoch()];
    const cached = cache.get(parsed);
    if (cached?.second === second && cached.epoch === currentEpoch) return cached.opened;
    const opened = open(token, parsed.listKey(), second);
    cache.set(parsed, { second, epoch: currentEpoch, opened });
    return opened;
  };
}

/** Where the token of the next page is in a body; undefined if the body has none. */
function findToken(
  body: Buffer,
  next: { readonly cursor: PageCursor; readonly token: string } | undefined,
  madeAt: number,
): CachedResponse['token'] {
  const offset = next === undefined ? -1 : body.indexOf(next.token, 0, 'latin1');
  return next === undefined || offset < 0 ? undefined : { offset, madeAt, cursor: next.cursor };
}

/** The height that a caller has seen, from its header; 0 if it names none. */
function minHeightOf(request: HttpRequest): number {
  const text = request.header(minHeightHeader);
  if (text === null || text === undefined) return 0;
  if (!/^\d{1,15}$/.test(text)) throw invalidParams([`the header ${minHeightHeader} must be a height, such as 1024`]);
  return Number(text);
}
