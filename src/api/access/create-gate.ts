import { andThen, type MaybePromise } from '../../base/timing/promise.ts';
import { clientOfAddress, networkOfAddress, networkShare } from './client-address.ts';
import type { AccessDecision, AccessRequest, Gate } from './gate.ts';
import type { KeyFinder } from './key-finder.ts';
import { type ApiKey, allows, stateOf } from './keys.ts';
import { type ApiName, limitsOf, type Plans, weightOf } from './plans.ts';
import { type CountedRequest, rateHeaders } from './rate-headers.ts';
import { type Limiter, type Limits, limitDecision } from './rate-limit.ts';
import { keyExpiredOrRevoked, keyMissing, keysUnavailable, keyUnknown, routeNotAllowed, tooManyRequests } from './refusals.ts';

export type GateOptions = {
  readonly keys: KeyFinder;
  /** Undefined if requests are not counted. Responses to a valid key still have the limits of its plan in their headers. */
  readonly limiter: Limiter | undefined;
  readonly plans: Plans;
  /** The Data API refuses requests without a key, except on public routes. */
  readonly requireKey: boolean;
  /** Unix seconds. */
  readonly now: () => number;
};

/**
 * The Data API takes keys, the others ignore them. A key that is sent must be valid, even where no key is required. A request with an
 * invalid key counts for the caller's address, so that guessing keys is rate limited; an expired or revoked key is always told so. A request with a
 * valid key counts for the key, any other
 * for the caller's address.
 */
export function createGate({ keys, limiter, plans, requireKey, now }: GateOptions): Gate {
  const uncountedDecision = createUncountedDecisions();
  const count = (client: string, weight: number, limits: Limits): MaybePromise<CountedRequest> =>
    limiter === undefined
      ? uncountedDecision(limits)
      : andThen(limiter.take(client, weight, limits), (decision) => ({ decision, headers: rateHeaders(limits, decision) }));

  const countForCaller = (request: AccessRequest): MaybePromise<CountedRequest | undefined> => {
    // Reading the caller's address has a cost (see `caller` in api/rest/dispatch.ts), so it is skipped if requests are not counted.
    if (limiter === undefined) return undefined;
    const { api, route, caller, calls = 1 } = request;
    const weight = calls * weightOf(plans[api], route);
    const limits = plans[api].anonymous;
    const network = networkOfAddress(caller);
    return andThen(count(`${api}:${clientOfAddress(caller)}`, weight, limits), (counted) =>
      // What one client of a network is refused does not count for the others.
      network === undefined || isRefused(counted) ? counted : andThen(countForNetwork(api, network, weight, limits), fewestLeft(counted)),
    );
  };

  const countForNetwork = (api: ApiName, network: string, weight: number, { perMinute, perDay }: Limits): MaybePromise<CountedRequest> =>
    andThen(count(`${api}:${network}`, weight, { perMinute: networkShare * perMinute, perDay: networkShare * perDay }), (counted) => ({
      ...counted,
      network,
    }));

  const countForKey = ({ api }: AccessRequest, { id, plan }: ApiKey, weight: number): MaybePromise<CountedRequest> =>
    count(`${api}:key:${id}`, weight, limitsOf(plans[api], plan));

  const decideWithoutKey = (request: AccessRequest): MaybePromise<AccessDecision> =>
    andThen(countForCaller(request), (counted) =>
      isRefused(counted) ? tooManyRequests(counted, request.api === 'data') : admitted(counted),
    );

  const decideInvalidKey = (request: AccessRequest, key: ApiKey | undefined): MaybePromise<AccessDecision> =>
    andThen(countForCaller(request), (counted) => {
      // Whoever has a key that was valid guesses nothing, and waiting would not help.
      if (key !== undefined) return keyExpiredOrRevoked(key, counted?.headers);
      return isRefused(counted) ? tooManyRequests(counted, true) : keyUnknown(counted?.headers);
    });

  const decideValidKey = (request: AccessRequest, key: ApiKey): MaybePromise<AccessDecision> =>
    andThen(countForKey(request, key, weightOf(plans[request.api], request.route)), (counted) => {
      if (request.route !== undefined && !allows(key, request.api, request.route))
        return routeNotAllowed(key, request.route, counted.headers);
      return isRefused(counted) ? tooManyRequests(counted, false) : { ...admitted(counted), keyID: key.id };
    });

  const isActive = (key: ApiKey | undefined): key is ApiKey => key !== undefined && stateOf(key, now()) === 'active';

  const decideWithKey = (request: AccessRequest, key: ApiKey | undefined | LookupFailed): MaybePromise<AccessDecision> => {
    const isValid = key !== lookupFailed && isActive(key);
    // A public route is always admitted. With a valid key the response still reports its limits.
    if (request.isPublic) return isValid ? andThen(countForKey(request, key, 0), admitted) : admitted(undefined);
    if (key === lookupFailed) return keysUnavailable;
    return isValid ? decideValidKey(request, key) : decideInvalidKey(request, key);
  };

  const find = (text: string): MaybePromise<ApiKey | undefined | LookupFailed> => {
    try {
      const found = keys.find(text);
      return found instanceof Promise ? found.catch(() => lookupFailed) : found;
    } catch {
      return lookupFailed;
    }
  };

  return {
    admit: (request) => {
      const takesKeys = request.api === 'data';
      if (takesKeys && request.key) return andThen(find(request.key), (key) => decideWithKey(request, key));
      if (request.isPublic) return admitted(undefined);
      // A path without a route gets 404 with or without a key, but it is counted.
      return takesKeys && requireKey && request.route !== undefined ? keyMissing : decideWithoutKey(request);
    },
    stillAdmits: (text) => andThen(find(text), (key) => key === lookupFailed || isActive(key)),
  };
}

/** Marks a key that could not be looked up because the key store failed. */
const lookupFailed = 'lookup-failed';
type LookupFailed = typeof lookupFailed;

/** Of the counts of a request for a client and for its network, the one that refuses it, or else the one with less left. */
const fewestLeft =
  (ofClient: CountedRequest) =>
  (ofNetwork: CountedRequest): CountedRequest =>
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
