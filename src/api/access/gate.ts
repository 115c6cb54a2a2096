import { clientOfAddress, networkOfAddress, networkShare } from './client-address.ts';
import type { KeyFinder } from './key-finder.ts';
import { type ApiKey, allows, stateOf } from './keys.ts';
import { type ApiName, limitsOf, type Plans, weightOf } from './plans.ts';
import { type CountedRequest, rateHeaders } from './rate-headers.ts';
import { type Limiter, type Limits, limitDecision } from './rate-limit.ts';
import { keyExpiredOrRevoked, keyMissing, keysUnavailable, keyUnknown, routeNotAllowed, tooManyRequests } from './refusals.ts';

export type AccessRequest = {
  readonly api: ApiName;
  /** The route's id, see rest/route.ts. Undefined if the path has no route. */
  readonly route: string | undefined;
  /** True for health routes: they need no key and are not counted. */
  readonly isPublic: boolean;
  /** How many calls the request makes; default 1. */
  readonly calls?: number;
  readonly key: string | undefined;
  /** IP address of the caller. The request is counted for it if there is no valid key. */
  readonly caller: string;
};

/** `headers`: rate limit headers for the response, also if the request is refused. `keyID`: the valid API key that was sent. */
export type AccessDecision =
  | { readonly admitted: true; readonly headers: Readonly<Record<string, string>>; readonly keyID?: string }
  | {
      readonly admitted: false;
      readonly status: 401 | 403 | 429 | 503;
      readonly message: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/**
 * Decides whether a request may be answered: checks the API key and the rate limits. The dispatcher of the Data and Metrics APIs asks it once per
 * request, before the route runs; the event stream and the limits of the Node RPC ask it too. Keys are in a database, counts in memory or in Redis.
 */
export type Gate = ReturnType<typeof createGate>;

/**
 * The Data API takes keys, the others ignore them. A key that is sent must be valid, even where no key is required. A request with an
 * invalid key counts for the caller's address, so that guessing keys is rate limited; an expired or revoked key is always told so. A request
 * with a valid key counts for the key, any other for the caller's address.
 */
export function createGate({
  keys,
  limiter,
  plans,
  requireKey,
  now,
}: {
  readonly keys: KeyFinder;
  /** Undefined if requests are not counted. Responses to a valid key still have the limits of its plan in their headers. */
  readonly limiter: Limiter | undefined;
  readonly plans: Plans;
  /** The Data API refuses requests without a key, except on public routes. */
  readonly requireKey: boolean;
  /** Unix seconds. */
  readonly now: () => number;
}) {
  const uncountedDecision = createUncountedDecisions();
  const count = async (client: string, weight: number, limits: Limits): Promise<CountedRequest> => {
    if (limiter === undefined) return uncountedDecision(limits);
    const decision = await limiter.take(client, weight, limits);
    return { decision, headers: rateHeaders(limits, decision) };
  };

  const countForCaller = async (request: AccessRequest): Promise<CountedRequest | undefined> => {
    // Reading the caller's address has a cost (see `caller` in api/rest/dispatch.ts), so it is skipped if requests are not counted.
    if (limiter === undefined) return undefined;
    const { api, route, caller, calls = 1 } = request;
    const weight = calls * weightOf(plans[api], route);
    const limits = plans[api].anonymous;
    const ofClient = await count(`${api}:${clientOfAddress(caller)}`, weight, limits);
    const network = networkOfAddress(caller);
    // What one client of a network is refused does not count for the others.
    if (network === undefined || isRefused(ofClient)) return ofClient;
    const ofAll = { perMinute: networkShare * limits.perMinute, perDay: networkShare * limits.perDay };
    return fewestLeft(ofClient, { ...(await count(`${api}:${network}`, weight, ofAll)), network });
  };

  const countForKey = ({ api }: AccessRequest, { id, plan }: ApiKey, weight: number): Promise<CountedRequest> =>
    count(`${api}:key:${id}`, weight, limitsOf(plans[api], plan));

  const decideWithoutKey = async (request: AccessRequest): Promise<AccessDecision> => {
    const counted = await countForCaller(request);
    return isRefused(counted) ? tooManyRequests(counted, request.api === 'data') : admitted(counted);
  };

  const decideInvalidKey = async (request: AccessRequest, key: ApiKey | undefined): Promise<AccessDecision> => {
    const counted = await countForCaller(request);
    // Whoever has a key that was valid guesses nothing, and waiting would not help.
    if (key !== undefined) return keyExpiredOrRevoked(key, counted?.headers);
    return isRefused(counted) ? tooManyRequests(counted, true) : keyUnknown(counted?.headers);
  };

  const decideValidKey = async (request: AccessRequest, key: ApiKey): Promise<AccessDecision> => {
    const counted = await countForKey(request, key, weightOf(plans[request.api], request.route));
    if (request.route !== undefined && !allows(key, request.api, request.route))
      return routeNotAllowed(key, request.route, counted.headers);
    return isRefused(counted) ? tooManyRequests(counted, false) : { admitted: true, headers: counted.headers, keyID: key.id };
  };

  const isActive = (key: ApiKey | undefined): key is ApiKey => key !== undefined && stateOf(key, now()) === 'active';

  const findKey = (text: string): Promise<ApiKey | undefined | LookupFailed> => keys.find(text).catch(() => lookupFailed);

  const decideWithKey = async (request: AccessRequest, text: string): Promise<AccessDecision> => {
    const key = await findKey(text);
    const isValid = key !== lookupFailed && isActive(key);
    // A public route is always admitted. With a valid key the response still reports its limits.
    if (request.isPublic) return admitted(isValid ? await countForKey(request, key, 0) : undefined);
    if (key === lookupFailed) return keysUnavailable;
    return isValid ? decideValidKey(request, key) : decideInvalidKey(request, key);
  };

  return {
    admit: async (request: AccessRequest): Promise<AccessDecision> => {
      const takesKeys = request.api === 'data';
      if (takesKeys && request.key) return decideWithKey(request, request.key);
      if (request.isPublic) return admitted(undefined);
      // A path without a route gets 404 with or without a key, but it is counted.
      if (takesKeys && requireKey && request.route !== undefined) return keyMissing;
      return limiter === undefined ? admitted(undefined) : decideWithoutKey(request);
    },
    /** Whether a key that was admitted is neither revoked nor expired since, for a connection that stays open. Counts nothing; true if it cannot be looked up. */
    stillAdmits: async (key: string): Promise<boolean> => {
      const found = await findKey(key);
      return found === lookupFailed || isActive(found);
    },
  };
}

/** Marks a key that could not be looked up because the key store failed. */
const lookupFailed = 'lookup-failed';
type LookupFailed = typeof lookupFailed;

/** Of the counts of a request for a client and for its network, the one that refuses it, or else the one with less left. */
const fewestLeft = (ofClient: CountedRequest, ofNetwork: CountedRequest): CountedRequest =>
  isRefused(ofNetwork) || ofNetwork.decision.remaining < ofClient.decision.remaining ? ofNetwork : ofClient;

type Refused = CountedRequest & { readonly decision: { readonly admitted: false } };

const isRefused = (counted: CountedRequest | undefined): counted is Refused => counted?.decision.admitted === false;

/**
 * Returns the decision for a plan while requests are not counted. Returns the same object for the same plan, so its headers are built once.
 */
function createUncountedDecisions(): (limits: Limits) => CountedRequest {
  const cached = new WeakMap<Limits, CountedRequest>();
  return (limits) => {
    const existing = cached.get(limits);
    if (existing !== undefined) return existing;
    const decision = limitDecision(limits, { minute: limits.perMinute, day: limits.perDay }, { admitted: true, wait: 0, lockedOut: false });
    const counted = { decision, headers: rateHeaders(limits, decision) };
    cached.set(limits, counted);
    return counted;
  };
}

/** Always the same object: the server caches the encoded form of a headers object by its identity. */
const noHeaders: AccessDecision['headers'] = {};

const admitted = (counted: CountedRequest | undefined): AccessDecision => ({ admitted: true, headers: counted?.headers ?? noHeaders });
