import { createLruMap } from '../bytes/lru-map.ts';
import type { CachePolicy, Cursor } from './route.ts';

/**
 * Rendered answers, kept as long as a fresh run would give the same, bounded by their bytes; those not asked for longest go first.
 * One request has one place: what has become old is replaced, not piled up.
 */
export type ResponseCache = {
  /** The answer to a request, made if none is kept. */
  readonly answer: (wanted: Wanted) => CachedResponse | Promise<CachedResponse>;
};

export type Wanted = {
  /** All that the answer depends on in the request. */
  readonly key: string;
  readonly keep: CachePolicy;
  /** The request carries a page token. */
  readonly pinned: boolean;
  readonly make: () => Promise<CachedResponse>;
  readonly seal: (cursor: Cursor, now: number) => string;
};

export type CachedResponse = {
  readonly body: Uint8Array;
  /** The page token in the body. It tells when it was made, so a kept one is made anew as the clock goes on. */
  readonly token: TokenInside | undefined;
};

export type TokenInside = { readonly at: number; readonly made: number; readonly cursor: Cursor };

/**
 * What answers depend on beside the request and the clock, as texts that change when it does.
 * tip:  the last block of every chain, and whatever else goes with time: whether a followed node answers.
 * past: what is known of the blocks up to there: changes only where an old network is followed and its past is filled in.
 */
export type ChainVersion = { readonly tip: string; readonly past: string };

export type AnswerCacheOptions = {
  readonly maxBytes: number;
  /** Asked for every request: must be cheap. A run that begins after it was told must not see less than it tells. */
  readonly stamp: () => ChainVersion | Promise<ChainVersion>;
  /** Unix seconds. */
  readonly now: () => number;
  /** Where other processes keep theirs. */
  readonly shared?: SharedResponseCache;
};

/** A stamp and second, with what the answer does not depend on left out. */
export type Held = { readonly tip: string | undefined; readonly past: string; readonly second: number | undefined };

/** Answers that other processes made. The key tells all that they depend on, so whoever finds one may give it. */
export type SharedResponseCache = {
  readonly find: (key: string, held: Held) => Promise<CachedResponse | undefined>;
  /** Nobody waits for it. */
  readonly put: (key: string, held: Held, answer: CachedResponse) => void;
};

export function createResponseCache({ maxBytes, stamp, now, shared }: AnswerCacheOptions): ResponseCache {
  const kept = createLruMap<{ readonly answer: CachedResponse; readonly held: Held }>();
  const running = new Map<string, { readonly answer: Promise<CachedResponse>; readonly held: Held }>();
  let bytes = 0;

  const drop = (key: string, answer: CachedResponse): void => {
    kept.delete(key);
    bytes -= weight(key, answer);
  };
  const put = (key: string, answer: CachedResponse, held: Held): void => {
    const before = kept.get(key);
    if (before !== undefined) drop(key, before.answer);
    // One giant must not push out everything else.
    if (weight(key, answer) * 8 > maxBytes) return;
    kept.set(key, { answer, held });
    bytes += weight(key, answer);
    for (let oldest = kept.oldest(); bytes > maxBytes && oldest !== undefined; oldest = kept.oldest())
      drop(oldest.key, oldest.value.answer);
  };

  const find = ({ key, seal }: Wanted, held: Held): CachedResponse | undefined => {
    const found = kept.get(key);
    if (found === undefined || !isSame(found.held, held)) return undefined;
    const answer = withFreshToken(found.answer, seal, now());
    if (answer !== found.answer) kept.set(key, { answer, held });
    return answer;
  };

  const makeOrFetch = async ({ key, make, seal }: Wanted, held: Held): Promise<CachedResponse> => {
    // Within one second few others ask the same.
    const isShared = shared !== undefined && held.second === undefined;
    const theirs = isShared ? await shared.find(key, held) : undefined;
    const answer = theirs === undefined ? await make() : withFreshToken(theirs, seal, now());
    if (isShared && theirs === undefined) shared.put(key, held, answer);
    put(key, answer, held);
    return answer;
  };

  /** Who asks while the same is being made waits for it: that run began with the stamp of now, so it sees all that this one would. */
  const join = (wanted: Wanted, held: Held): Promise<CachedResponse> => {
    const { key, seal } = wanted;
    const other = running.get(key);
    if (other !== undefined && isSame(other.held, held)) return other.answer.then((made) => withFreshToken(made, seal, now()));
    const answer = makeOrFetch(wanted, held).finally(() => {
      if (running.get(key) === entry) running.delete(key);
    });
    const entry = { answer, held };
    running.set(key, entry);
    return answer;
  };

  return {
    answer: (wanted) => {
      if (wanted.keep === 'never') return wanted.make();
      const go = (at: ChainVersion) => {
        const held = heldBy(at, wanted, now);
        return find(wanted, held) ?? join(wanted, held);
      };
      const at = stamp();
      return at instanceof Promise ? at.then(go) : go(at);
    },
  };
}

const heldBy = ({ tip, past }: ChainVersion, { keep, pinned }: Wanted, now: () => number): Held => {
  const isPinned = pinned && (keep === 'pin' || keep === 'pin-tip');
  return { tip: isPinned ? undefined : tip, past, second: keep === 'tip' || (keep === 'pin-tip' && !pinned) ? now() : undefined };
};

const isSame = (a: Held, b: Held): boolean => a.tip === b.tip && a.past === b.past && a.second === b.second;

/** The body is never changed in place: it may be on its way out. */
function withFreshToken(answer: CachedResponse, seal: Wanted['seal'], now: number): CachedResponse {
  const { body, token } = answer;
  if (token === undefined || token.made === now) return answer;
  const copy = Buffer.from(body);
  copy.write(seal(token.cursor, now), token.at, 'latin1');
  return { body: copy, token: { ...token, made: now } };
}

/** Bytes of an entry, with what the map around it takes. */
const weight = (key: string, { body }: CachedResponse): number => body.length + key.length + 400;
