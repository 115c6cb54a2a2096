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
  /** Milliseconds until a request of the same weight would be admitted; 0 if this one was admitted. */
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
 * A client that keeps sending requests after it was refused is locked out. The first refusals have no such effect, because those requests
 * may have been sent already: a tenth (`1 / freeShare`) of the plan's minute limit, and at least `minFree`. After that a lockout lasts
 * `shortest`, and doubles each time the number of refusals doubles, up to `longest`. After `resetAfter` without a refusal the count starts
 * at 0 again. Times are in milliseconds.
 */
export const lockout = { freeShare: 10, minFree: 10, shortest: 60_000, longest: 3_600_000, resetAfter: 600_000 } as const;

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
  const windowWait = Math.max(
    waitUntilRoom(minute, windows.minute, now, weight, limits.perMinute),
    waitUntilRoom(day, windows.day, now, weight, limits.perDay),
    client.lockedUntil - now,
  );
  const wait = windowWait > 0 && weight > 0 ? refuseAndLock(client, now, windowWait, limits) : 0;
  if (wait === 0) count(client, now, weight);
  const left = { minute: Math.max(0, limits.perMinute - minute.total), day: Math.max(0, limits.perDay - day.total) };
  return limitDecision(limits, left, wait, client.lockedUntil > now);
}

export function limitDecision(limits: Limits, left: { minute: number; day: number }, wait: number, lockedOut: boolean): LimitDecision {
  const [window, limit, remaining] =
    left.day <= left.minute ? [windows.day, limits.perDay, left.day] : [windows.minute, limits.perMinute, left.minute];
  return {
    admitted: wait === 0,
    limit,
    remaining: lockedOut ? 0 : remaining,
    windowSeconds: window.seconds,
    waitMilliseconds: wait,
    lockedOut: lockedOut,
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
function advanceClock(client: ClientState, clock: number): number {
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

/** Records a refusal and returns the milliseconds to wait, which includes a lockout. */
function refuseAndLock(client: ClientState, now: number, windowWait: number, { perMinute }: Limits): number {
  if (now - client.lastRefusedAt >= lockout.resetAfter) client.refusals = 0;
  client.refusals += 1;
  client.lastRefusedAt = now;
  const free = Math.max(lockout.minFree, Math.ceil(perMinute / lockout.freeShare));
  let multiple = Math.floor((client.refusals - 1) / free);
  if (multiple === 0) return windowWait;
  let duration: number = lockout.shortest;
  for (; multiple > 1 && duration < lockout.longest; multiple = Math.floor(multiple / 2)) duration *= 2;
  client.lockedUntil = Math.max(client.lockedUntil, now + Math.min(duration, lockout.longest));
  return Math.max(windowWait, client.lockedUntil - now);
}

/** A rate limiter: counts the requests of clients in this process's memory, or in Redis for many processes. Both give the same numbers. */
export type Limiter = {
  /** Decides about a request and counts it, see `checkAndCount` in rate-limit.ts. Never rejects. */
  readonly take: (client: string, weight: number, limits: Limits) => LimitDecision | Promise<LimitDecision>;
  /**
   * For the health check: why the processes do not share counts, and what each admits meanwhile. Returns undefined while they share them.
   */
  readonly degradedReason?: () => string | undefined;
};
