import type { Limits, Verdict } from './window.ts';

/** Counts requests of clients: in this process's memory, or in Redis for many processes. Both give the same numbers. */
export type Limiter = {
  /** See `judge` in window.ts. Never rejects. */
  readonly take: (client: string, weight: number, limits: Limits) => Verdict | Promise<Verdict>;
  /** For health: says that processes do not count together, and what each of them admits meanwhile. undefined: they do. */
  readonly reduced?: () => string | undefined;
};
