import { type Limits, spans, type Verdict } from './window.ts';

/** A request that was counted, and what its answer tells of that. */
export type Counted = { readonly verdict: Verdict; readonly headers: RateHeaders };

export type RateHeaders = Readonly<Record<string, string>>;

/**
 * Rate limits as a caller reads them: the policy names both windows, limit and remaining speak of the one that would be exhausted first. A
 * refusal also tells in how many seconds to come back.
 */
export function rateHeaders(limits: Limits, verdict: Verdict): RateHeaders {
  const state = {
    'ratelimit-policy': `${limits.perMinute};w=${spans.minute.seconds}, ${limits.perDay};w=${spans.day.seconds}`,
    'ratelimit-limit': String(verdict.limit),
    'ratelimit-remaining': String(verdict.remaining),
  };
  if (verdict.admitted) return state;
  const seconds = String(waitSeconds(verdict));
  return { ...state, 'ratelimit-reset': seconds, 'retry-after': seconds };
}

/** Whole seconds, rounded up: who comes back then is not too early. */
export const waitSeconds = ({ wait }: Verdict): number => Math.max(1, Math.ceil(wait / 1_000));
