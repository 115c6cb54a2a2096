import type { LimitDecision, Limits } from './rate-limit.ts';

/** A rate limiter: counts the requests of clients in this process's memory, or in Redis for many processes. Both give the same numbers. */
export type Limiter = {
  /** Decides about a request and counts it, see `checkAndCount` in rate-limit.ts. Never rejects. */
  readonly take: (client: string, weight: number, limits: Limits) => LimitDecision | Promise<LimitDecision>;
  /**
   * For the health check: why the processes do not share counts, and what each admits meanwhile. Returns undefined while they share them.
   */
  readonly degradedReason?: () => string | undefined;
};
