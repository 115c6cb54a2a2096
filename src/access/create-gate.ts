import { callerOf } from './caller.ts';
import { after, type Eventual } from './eventual.ts';
import type { Admission, Gate, Visit } from './gate.ts';
import type { KeyFinder } from './key-finder.ts';
import { type ApiKey, allows, stateOf } from './keys.ts';
import type { Limiter } from './limiter.ts';
import { limitsOf, type Plans, weightOf } from './plans.ts';
import { type Counted, rateHeaders } from './rate-headers.ts';
import { keyMissing, keyNotValid, keysUnanswered, keyUnknown, notAllowed, tooMany } from './refusals.ts';
import { type Limits, verdictOf } from './window.ts';

export type GateOptions = {
  readonly keys: KeyFinder;
  /** undefined: nothing is counted. Answers to a valid key still carry its plan's figures. */
  readonly limiter: Limiter | undefined;
  readonly plans: Plans;
  /** The Data interface answers nobody without a key, open routes excepted. */
  readonly requireKey: boolean;
  /** Unix seconds. */
  readonly now: () => number;
};

/**
 * The Data interface takes keys, the Metrics interface none. A key that is given must be good, also where none is needed; one that is not
 * counts for the caller's address, so that nobody can try keys for nothing. Every other request counts for its key, or for the address.
 */
export function createGate({ keys, limiter, plans, requireKey, now }: GateOptions): Gate {
  const uncounted = uncountedPlans();
  const count = (client: string, weight: number, limits: Limits): Eventual<Counted> =>
    limiter === undefined
      ? uncounted(limits)
      : after(limiter.take(client, weight, limits), (verdict) => ({ verdict, headers: rateHeaders(limits, verdict) }));

  const countCaller = (visit: Visit): Eventual<Counted | undefined> => {
    // The address costs something to find out, and is not needed while nothing is counted.
    if (limiter === undefined) return undefined;
    const { api, route, caller } = visit;
    return count(`${api}:${callerOf(caller)}`, weightOf(plans[api], route), plans[api].anonymous);
  };

  const countKey = ({ api }: Visit, { id, plan }: ApiKey, weight: number): Eventual<Counted> =>
    count(`${api}:key:${id}`, weight, limitsOf(plans[api], plan));

  const withoutKey = (visit: Visit): Eventual<Admission> =>
    after(countCaller(visit), (counted) => (isRefused(counted) ? tooMany(counted, visit.api === 'data') : admitted(counted)));

  const withBadKey = (visit: Visit, key: ApiKey | undefined): Eventual<Admission> =>
    after(countCaller(visit), (counted) => {
      if (isRefused(counted)) return tooMany(counted, true);
      return key === undefined ? keyUnknown(counted?.headers) : keyNotValid(key, counted?.headers);
    });

  const withGoodKey = (visit: Visit, key: ApiKey): Eventual<Admission> =>
    after(countKey(visit, key, weightOf(plans[visit.api], visit.route)), (counted) => {
      if (visit.route !== undefined && !allows(key, visit.api, visit.route)) return notAllowed(key, visit.route, counted.headers);
      return isRefused(counted) ? tooMany(counted, false) : admitted(counted);
    });

  const withKey = (visit: Visit, key: ApiKey | undefined | Unanswered): Eventual<Admission> => {
    const good = key !== undefined && key !== unanswered && stateOf(key, now()) === 'active';
    // Nothing stands in the way of an open route; but an answer to a good key always tells how it stands.
    if (visit.open) return good ? after(countKey(visit, key, 0), admitted) : admitted(undefined);
    if (key === unanswered) return keysUnanswered;
    return good ? withGoodKey(visit, key) : withBadKey(visit, key);
  };

  const find = (text: string): Eventual<ApiKey | undefined | Unanswered> => {
    try {
      const found = keys.find(text);
      return found instanceof Promise ? found.catch(() => unanswered) : found;
    } catch {
      return unanswered;
    }
  };

  return {
    admit: (visit) => {
      const takesKeys = visit.api === 'data';
      if (takesKeys && visit.key) return after(find(visit.key), (key) => withKey(visit, key));
      if (visit.open) return admitted(undefined);
      // A path without a route is answered with 404, key or not; it is counted all the same.
      return takesKeys && requireKey && visit.route !== undefined ? keyMissing : withoutKey(visit);
    },
  };
}

/** What stands for a key that could not be looked for. */
const unanswered = 'unanswered';
type Unanswered = typeof unanswered;

type Refused = Counted & { readonly verdict: { readonly admitted: false } };

const isRefused = (counted: Counted | undefined): counted is Refused => counted?.verdict.admitted === false;

/** The figures of each plan as they are while nothing is counted. The same object for the same plan, so that its headers are made once. */
function uncountedPlans(): (limits: Limits) => Counted {
  const known = new WeakMap<Limits, Counted>();
  return (limits) => {
    const before = known.get(limits);
    if (before !== undefined) return before;
    const verdict = verdictOf(limits, { minute: limits.perMinute, day: limits.perDay }, 0, false);
    const counted = { verdict, headers: rateHeaders(limits, verdict) };
    known.set(limits, counted);
    return counted;
  };
}

/** One and the same object: servers know sets of headers again that they have sent before. */
const noHeaders: Admission['headers'] = {};

const admitted = (counted: Counted | undefined): Admission => ({ admitted: true, headers: counted?.headers ?? noHeaders });
