/** Clock, timers and randomness of the network layer; injected, so that tests control them. */
export type PeerTiming = {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds of CPU time that this process has used. */
  readonly cpuTime: () => number;
  readonly unixSeconds: () => bigint;
  /** Runs after a number of milliseconds. Returns a function that cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs in the next turn of the event loop, after the I/O that has already arrived. */
  readonly soon: (run: () => void) => void;
  readonly randomBytes: (length: number) => Uint8Array;
};

/** A random number from 0 to below 1. */
export const randomNumber = ({ randomBytes }: Pick<PeerTiming, 'randomBytes'>): number => readUint32(randomBytes(4), 0) / 2 ** 32;

/** Up to `count` different elements in random order; only those that `accepts`, which is asked no more often than needed. */
export function sample<T>(
  items: readonly T[],
  count: number,
  timing: Pick<PeerTiming, 'randomBytes'>,
  accepts: (item: T) => boolean = () => true,
): T[] {
  const rest = [...items];
  const chosen: T[] = [];
  let random: Uint8Array | undefined;
  let at = 0;
  while (chosen.length < count && rest.length > 0) {
    if (random === undefined || at === random.length) {
      random = timing.randomBytes(4 * Math.min(count - chosen.length, rest.length));
      at = 0;
    }
    const index = Math.floor((readUint32(random, at) / 2 ** 32) * rest.length);
    at += 4;
    const item = rest[index] as T;
    rest[index] = rest.at(-1) as T;
    rest.pop();
    if (accepts(item)) chosen.push(item);
  }
  return chosen;
}

const readUint32 = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0;

/** One timer for the earliest of many deadlines, in monotonic milliseconds. */
export function createDeadlineTimer(
  timing: Pick<PeerTiming, 'now' | 'after'>,
  deadlines: { readonly next: () => number; readonly expire: (now: number) => void },
) {
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;
  let isClosed = false;
  const expire = (): void => {
    timer = undefined;
    if (isClosed) return;
    deadlines.expire(timing.now());
    arm();
  };
  const arm = (): void => {
    const next = deadlines.next();
    if (isClosed || next === Number.POSITIVE_INFINITY || (timer !== undefined && timer.at <= next)) return;
    timer?.cancel();
    timer = { at: next, cancel: timing.after(Math.max(1, next - timing.now()), expire) };
  };
  return {
    arm,
    close: (): void => {
      isClosed = true;
      timer?.cancel();
    },
  };
}

/** A limit of a rate, with bursts. The clock is an argument of each call, in milliseconds. */
export type TokenBucket = ReturnType<typeof createTokenBucket>;

export function createTokenBucket(perSecond: number, burst: number, start: number) {
  let tokens = burst;
  let updated = start;
  const refill = (now: number): void => {
    if (now <= updated) return;
    tokens = Math.min(burst, tokens + ((now - updated) * perSecond) / 1000);
    updated = now;
  };
  return {
    /** Takes tokens if there are enough. */
    take: (count: number, now: number): boolean => {
      refill(now);
      if (tokens < count) return false;
      tokens -= count;
      return true;
    },
    /** Takes tokens in advance and returns after how many milliseconds they are there; 0 if they are there now. */
    reserve: (count: number, now: number): number => {
      refill(now);
      tokens -= count;
      return tokens >= 0 ? 0 : (-tokens * 1000) / perSecond;
    },
  };
}
