import {
  addToCounter,
  dropExpired,
  emptyCounter,
  retentionOf,
  type SlidingWindow,
  type WindowCounter,
  waitUntilRoom,
} from './sliding-window.ts';

/** Maximum sum of request weights in any 60 seconds and in any 24 hours. A request without a configured weight has weight 1. */
export type Limits = { readonly perMinute: number; readonly perDay: number };

/**
 * Whether a request was admitted, and how much of the limit is left. `limit`, `remaining` and `windowSeconds` describe the window with less
 * left: it is used up first, because every request adds the same weight to both windows.
 */
export type LimitDecision = {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  /** Milliseconds until a request of the same weight would be admitted, never more than the window; 0 if it would be now. */
  readonly waitMilliseconds: number;
  /** The client kept sending requests after it was refused, so everything is refused until the lockout ends. See `lockout`. */
  readonly lockedOut: boolean;
};

/** Counters and refusals of one client. All times are in milliseconds. */
export type ClientState = {
  lastSeen: number;
  minute: WindowCounter;
  day: WindowCounter;
  /** Requests refused since the last `lockout.resetAfter` without a refusal. */
  refusals: number;
  lastRefusedAt: number;
  lockedUntil: number;
};

/**
 * The windows slide: no period of 60 seconds (or 24 hours), wherever it starts, holds more than the limit. So there is no burst at a window
 * boundary. The cost: a request may count up to one bucket longer than its window, if later requests fall into the same bucket. A client
 * that is always at the limit therefore gets at least 60/61 of the minute limit and 288/289 of the day limit. The wait after a refusal is
 * never longer than the window.
 */
export const windows: { readonly minute: SlidingWindow; readonly day: SlidingWindow } = {
  minute: { seconds: 60, bucketMilliseconds: 1_000, buckets: 60 },
  day: { seconds: 86_400, bucketMilliseconds: 300_000, buckets: 288 },
};

/**
 * A client that keeps sending requests after it was refused is locked out: everything is refused until it has sent nothing for `duration`, which is
 * the shorter window. The first refusals have no such effect, because those requests may have been sent already: a tenth (`1 / freeShare`) of
 * the plan's minute limit, and at least `minFree`. After `resetAfter` without a refusal the count starts at 0 again. Times are in milliseconds.
 */
export const lockout = { freeShare: 10, minFree: 10, duration: 60_000, resetAfter: 600_000 } as const;

export const newClientState = (): ClientState => ({
  lastSeen: 0,
  minute: emptyCounter(),
  day: emptyCounter(),
  refusals: 0,
  lastRefusedAt: 0,
  lockedUntil: 0,
});

/** Whether everything in this state has left the windows, so that it can be deleted. */
export const isExpired = (client: ClientState, now: number): boolean => now - client.lastSeen >= clientStateLife;

/** Milliseconds after a client's last request until its state can be deleted. */
export const clientStateLife = retentionOf(windows.day);

/**
 * Decides about one request and counts it if it is admitted. Depends only on its arguments, and changes only `client`. A request of weight 0
 * reads the current numbers: it is neither counted nor refused.
 */
export function checkAndCount(client: ClientState, clock: number, weight: number, limits: Limits): LimitDecision {
  const now = advanceClock(client, clock);
  const { minute, day } = client;
  const admitted = weight === 0 || waitOf(client, now, weight, limits) === 0;
  if (admitted) count(client, now, weight);
  else refuse(client, now, limits);
  const left = { minute: Math.max(0, limits.perMinute - minute.total), day: Math.max(0, limits.perDay - day.total) };
  return limitDecision(limits, left, { admitted, wait: waitOf(client, now, weight, limits), lockedOut: client.lockedUntil > now });
}

/** Milliseconds until a request of this weight is within both limits and the client is not locked out. */
const waitOf = ({ minute, day, lockedUntil }: ClientState, now: number, weight: number, limits: Limits): number =>
  Math.max(
    waitUntilRoom(minute, windows.minute, now, Math.max(1, weight), limits.perMinute),
    waitUntilRoom(day, windows.day, now, Math.max(1, weight), limits.perDay),
    lockedUntil - now,
    0,
  );

/** `wait`: milliseconds until a request of the same weight would be admitted. */
export function limitDecision(
  limits: Limits,
  left: { readonly minute: number; readonly day: number },
  { admitted, wait, lockedOut }: { readonly admitted: boolean; readonly wait: number; readonly lockedOut: boolean },
): LimitDecision {
  const isDay = left.day <= left.minute || wait > windows.minute.seconds * 1_000;
  const [window, limit, remaining] = isDay ? [windows.day, limits.perDay, left.day] : [windows.minute, limits.perMinute, left.minute];
  return {
    admitted,
    limit,
    remaining: lockedOut ? 0 : remaining,
    windowSeconds: window.seconds,
    waitMilliseconds: wait,
    lockedOut,
  };
}

/** Whether a request of this weight would be within both limits. Counts nothing. */
export function hasRoom(client: ClientState, clock: number, weight: number, limits: Limits): boolean {
  advanceClock(client, clock);
  return client.minute.total + weight <= limits.perMinute && client.day.total + weight <= limits.perDay;
}

/** Counts a request that another process or limiter has admitted. */
export const countAdmitted = (client: ClientState, clock: number, weight: number): void =>
  count(client, advanceClock(client, clock), weight);

/**
 * Returns the time to use, and drops what has left the windows. If the clock was set back, the time of the last request is used until the
 * clock has caught up. If it was set back by more than a day, the earlier times were wrong and the state is reset.
 */
function advanceClock(client: ClientState, fractional: number): number {
  // Whole milliseconds: a sum of fractions may exceed a window by a hair.
  const clock = Math.floor(fractional);
  if (client.lastSeen - clock > clientStateLife) Object.assign(client, newClientState());
  const now = Math.max(client.lastSeen, clock);
  client.lastSeen = now;
  dropExpired(client.minute, windows.minute, now);
  dropExpired(client.day, windows.day, now);
  return now;
}

function count(client: ClientState, now: number, weight: number): void {
  if (weight === 0) return;
  addToCounter(client.minute, windows.minute, now, weight);
  addToCounter(client.day, windows.day, now, weight);
}

/** Records a refusal, after which the client may be locked out. */
function refuse(client: ClientState, now: number, { perMinute }: Limits): void {
  if (now - client.lastRefusedAt >= lockout.resetAfter) client.refusals = 0;
  client.refusals += 1;
  client.lastRefusedAt = now;
  if (client.refusals > Math.max(lockout.minFree, Math.ceil(perMinute / lockout.freeShare))) client.lockedUntil = now + lockout.duration;
}

/** A rate limiter: counts the requests of clients in this process's memory, or in Redis for many processes. Both give the same numbers. */
export type Limiter = {
  /** Decides about a request and counts it, see `checkAndCount` in rate-limit.ts. Never rejects. */
  readonly take: (client: string, weight: number, limits: Limits) => Promise<LimitDecision>;
  /**
   * For the health check: why the processes do not share counts, and what each admits meanwhile. Returns undefined while they share them.
   */
  readonly degradedReason?: () => string | undefined;
};
