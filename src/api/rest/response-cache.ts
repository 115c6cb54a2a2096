import { type Cache, type CacheVersion, createCache } from '../../base/cache/cache.ts';
import type { CacheBudget } from '../../base/cache/cache-budget.ts';
import type { CachePolicy } from '../contract/route.ts';
import type { PageCursor } from './route.ts';

export type ResponseCache = ReturnType<typeof createResponseCache>;

export type CacheRequest = {
  /** Everything in the request that the response depends on. */
  readonly key: string;
  readonly policy: CachePolicy;
  readonly hasPageToken: boolean;
  /** Runs the route. */
  readonly make: () => Promise<CachedResponse>;
  /** Creates a page token, see `PageSeal`. */
  readonly seal: (cursor: PageCursor, now: number) => string;
};

export type CachedResponse = {
  readonly body: Uint8Array;
  /** The page token in the body. It contains the time it was made at, so it is renewed when a cached response is used later. */
  readonly token: EmbeddedToken | undefined;
};

/** `offset`: its position in the body, in bytes. `madeAt`: Unix seconds. */
type EmbeddedToken = { readonly offset: number; readonly madeAt: number; readonly cursor: PageCursor };

/**
 * What responses depend on, besides the request and the clock, as texts that change with it.
 * tip:  the last block of every chain, and other state of the moment, such as whether a followed node answers.
 * past: what is known about the blocks up to the tip. Changes only if an existing network is followed and facts about its past are backfilled.
 */
export type ChainVersion = { readonly tip: string; readonly past: string };

/** The chain version and second that a response was made at; parts that it does not depend on are undefined. */
type EntryVersion = { readonly tip: string | undefined; readonly past: string; readonly second: number | undefined };

/** Responses made by any process. The key and version contain everything a response depends on, so every process may use it. */
export type SharedResponseCache = (key: string, version: EntryVersion) => SharedResponse;

type SharedResponse = {
  readonly find: () => Promise<CachedResponse | undefined>;
  /** Stores in the background. */
  readonly put: (response: CachedResponse) => void;
};

type Entry = { readonly response: CachedResponse; readonly second: number | undefined };

/**
 * A cache of rendered responses. An entry is used as long as running the route again would give the same response: until the next block, or,
 * where no later block changes it, until a revert.
 */
export function createResponseCache({
  version: readVersion,
  now,
  shared,
  budget,
}: {
  /** Called for every request, so it must be cheap. A route that starts after this call must see at least the state that it returned. */
  readonly version: () => Promise<ChainVersion>;
  /** Unix seconds. */
  readonly now: () => number;
  /** A second cache, shared with other processes. */
  readonly shared?: SharedResponseCache;
  readonly budget?: CacheBudget;
}) {
  let current: ChainVersion = { tip: '', past: '' };
  let commit = '';
  const untilCommit = createCache<string, Entry>('responses', { size: entrySize, version: () => commit, budget });
  const untilRevert = createCache<string, Entry>('finalResponses', { size: entrySize, version: () => current.past, budget });
  const requested = createCache<number, true>('requestedKeys', { size: 40, budget });
  const running = new Map<string, { readonly response: Promise<CachedResponse>; readonly version: EntryVersion }>();

  const cacheFor = ({ tip }: EntryVersion): Cache<string, Entry> => (tip === undefined ? untilRevert : untilCommit);
  /** Whether a request was made before. Two requests may be taken for the same one, which does no harm. */
  const isRepeated = (key: string): boolean => {
    const hash = hashText(key);
    const isKnown = requested.get(hash) === true;
    if (!isKnown) requested.set(hash, true);
    return isKnown;
  };
  const put = (
    key: string,
    response: CachedResponse,
    { second }: EntryVersion,
    cache: Cache<string, Entry>,
    madeAt: CacheVersion,
  ): void => {
    // A large page that is requested once is garbage at once. In the cache it would outlive many collections, and only a full one frees it.
    if (response.body.length > maxAdmittedAtOnce && !isRepeated(key)) return;
    cache.set(key, { response, second }, madeAt);
  };

  const find = ({ key, seal }: CacheRequest, version: EntryVersion): CachedResponse | undefined => {
    const cache = cacheFor(version);
    const found = cache.get(key);
    if (found === undefined || found.second !== version.second) return undefined;
    const response = withFreshToken(found.response, seal, now());
    if (response !== found.response) cache.set(key, { ...found, response });
    return response;
  };

  const makeOrFetch = async ({ key, policy, make, seal }: CacheRequest, version: EntryVersion): Promise<CachedResponse> => {
    // A response that is valid for one second only is rarely requested by other processes. A final one is read with a statement or two, which cost
    // no more than to look for it in the shared cache and to store it there.
    const inShared = version.second === undefined && policy !== 'final' ? shared?.(key, version) : undefined;
    const cache = cacheFor(version);
    const madeAt = cache.version();
    const fetched = inShared && (await inShared.find());
    const response = fetched === undefined ? await make() : withFreshToken(fetched, seal, now());
    if (fetched === undefined && inShared !== undefined) void share(inShared, response, version);
    put(key, response, version, cache, madeAt);
    return response;
  };
  /**
   * Puts a response into the shared cache. One that may show more than its version is left out: another process that has only this version would
   * answer with it, and then with less.
   */
  const share = async (to: SharedResponse, response: CachedResponse, { tip, past }: EntryVersion): Promise<void> => {
    const latest = await readVersion().catch(() => undefined);
    if (latest?.past === past && (tip === undefined || latest.tip === tip)) to.put(response);
  };

  return {
    /** Returns the cached response to a request, or makes and caches it. */
    getOrMake: async (request: CacheRequest): Promise<CachedResponse> => {
      const { key, seal } = request;
      if (request.policy === 'never') return request.make();
      const latest = await readVersion();
      if (latest.tip !== current.tip || latest.past !== current.past) {
        current = latest;
        commit = `${latest.tip}\n${latest.past}`;
      }
      const version = entryVersion(latest, request, now);
      const cached = find(request, version);
      if (cached !== undefined) return cached;
      // Concurrent equal requests share one run. It started at the same version, so it sees everything that a new run would see.
      const other = running.get(key);
      if (other !== undefined && isSameVersion(other.version, version)) return withFreshToken(await other.response, seal, now());
      const own = { response: makeOrFetch(request, version), version };
      running.set(key, own);
      try {
        return await own.response;
      } finally {
        if (running.get(key) === own) running.delete(key);
      }
    },
  };
}

/** Whether no later block changes a response: it is final, or a page that is read as of the height of its token. */
export const isSettledPolicy = (policy: CachePolicy, hasPageToken: boolean): boolean =>
  policy === 'final' || (hasPageToken && (policy === 'pinned-page' || policy === 'pinned-page-or-second'));

const entryVersion = ({ tip, past }: ChainVersion, { policy, hasPageToken }: CacheRequest, now: () => number): EntryVersion => ({
  tip: isSettledPolicy(policy, hasPageToken) ? undefined : tip,
  past,
  second: policy === 'block-and-second' || (policy === 'pinned-page-or-second' && !hasPageToken) ? now() : undefined,
});

const isSameVersion = (a: EntryVersion, b: EntryVersion): boolean => a.tip === b.tip && a.past === b.past && a.second === b.second;

/** Returns the response with a new page token. Copies the body, because the old one may still be being sent. */
function withFreshToken(response: CachedResponse, seal: CacheRequest['seal'], now: number): CachedResponse {
  const { body, token } = response;
  if (token === undefined || token.madeAt === now) return response;
  const copy = Buffer.from(body);
  copy.write(seal(token.cursor, now), token.offset, 'latin1');
  return { body: copy, token: { ...token, madeAt: now } };
}

/** Bytes. A larger response is cached when its request is repeated. */
const maxAdmittedAtOnce = 16_384;

/** Bytes of an entry, including an estimated overhead of 400. */
const entrySize = (key: string, { response: { body } }: Entry): number => body.length + key.length + 400;

/** FNV-1a, 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
