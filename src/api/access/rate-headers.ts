import type { LimitHeader } from '../http/own-headers.ts';
import { type LimitDecision, type Limits, windows } from './rate-limit.ts';

/** A decision of the rate limiter, with the headers that report it. `network`: the network that it was counted for, if it is not one client. */
export type CountedRequest = { readonly decision: LimitDecision; readonly headers: RateHeaders; readonly network?: string };

export type RateHeaders = Readonly<Partial<Record<LimitHeader, string>>>;

/**
 * Rate limit headers of a response. The policy has both windows; limit and remaining are those of the window with less left. If nothing remains,
 * they also say after how many seconds to retry.
 */
export function rateHeaders(limits: Limits, decision: LimitDecision): RateHeaders {
  const state = {
    'ratelimit-policy': `${limits.perMinute};w=${windows.minute.seconds}, ${limits.perDay};w=${windows.day.seconds}`,
    'ratelimit-limit': String(decision.limit),
    'ratelimit-remaining': String(decision.remaining),
  };
  if (decision.admitted && decision.remaining > 0) return state;
  const seconds = String(retryAfterSeconds(decision));
  return { ...state, 'ratelimit-reset': seconds, 'retry-after': seconds };
}

/** Whole seconds, rounded up, so that a retry after this time is not too early. */
export const retryAfterSeconds = ({ waitMilliseconds }: LimitDecision): number => Math.max(1, Math.ceil(waitMilliseconds / 1_000));
