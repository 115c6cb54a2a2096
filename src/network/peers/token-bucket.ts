/** A limit of a rate, with bursts. The clock is an argument of each call, in milliseconds. */
export type TokenBucket = {
  /** Takes tokens if there are enough. */
  readonly take: (count: number, now: number) => boolean;
  /** Takes tokens in advance and returns after how many milliseconds they are there; 0 if they are there now. */
  readonly reserve: (count: number, now: number) => number;
};

export function createTokenBucket(perSecond: number, burst: number, start: number): TokenBucket {
  let tokens = burst;
  let updated = start;
  const refill = (now: number): void => {
    if (now <= updated) return;
    tokens = Math.min(burst, tokens + ((now - updated) * perSecond) / 1000);
    updated = now;
  };
  return {
    take: (count, now) => {
      refill(now);
      if (tokens < count) return false;
      tokens -= count;
      return true;
    },
    reserve: (count, now) => {
      refill(now);
      tokens -= count;
      return tokens >= 0 ? 0 : (-tokens * 1000) / perSecond;
    },
  };
}
