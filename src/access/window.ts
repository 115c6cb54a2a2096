import { add, emptyTally, memoryOf, type Span, settle, type Tally, waitFor } from './sliding-window.ts';

/** Most requests (or their weights) in any 60 seconds and in any 24 hours. */
export type Limits = { readonly perMinute: number; readonly perDay: number };

/**
 * What became of a request. Limit and remaining speak of the window that would be exhausted first: the one with less left, since every
 * request takes the same from both. `seconds` is the length of that window.
 */
export type Verdict = {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly seconds: number;
  /** Milliseconds until such a request would be admitted; 0 if this one was. */
  readonly wait: number;
  /** Refused whatever the windows say, for having gone on after being refused. */
  readonly shutOut: boolean;
};

/** What is known of one client. */
export type Standing = {
  /** When it was last seen. */
  at: number;
  minute: Tally;
  day: Tally;
  /** Requests refused since the last time it was quiet. */
  refused: number;
  refusedAt: number;
  shutUntil: number;
};

/**
 * No window of 60 seconds, wherever it begins, ever holds more than the limit, so there is no burst at an edge. The price: a request
 * counts for up to one bucket longer than its window, if others follow it in the same bucket, so that a caller who is always at the limit
 * gets at least 60/61 of the one and 288/289 of the other. The wait after a refusal is never longer than the window.
 */
export const spans: { readonly minute: Span; readonly day: Span } = {
  minute: { seconds: 60, bucket: 1_000, buckets: 60 },
  day: { seconds: 86_400, bucket: 300_000, buckets: 288 },
};

/**
 * Who goes on after being refused is shut out. A few refusals are free, for what was under way already: a tenth of the plan's minute, and
 * 10 at least. Past them it is a minute, and twice as long each time the refusals have doubled, an hour at most. Ten minutes without a
 * refusal, and all is forgiven.
 */
export const patience = { share: 10, least: 10, shutOut: 60_000, longest: 3_600_000, forgiven: 600_000 } as const;

export const newStanding = (): Standing => ({
  at: 0,
  minute: emptyTally(),
  day: emptyTally(),
  refused: 0,
  refusedAt: 0,
  shutUntil: 0,
});

/** Nothing of it counts any more. */
export const isForgotten = (standing: Standing, now: number): boolean => now - standing.at >= forgetAfter;

/** How long after a client was last seen it may be forgotten. */
export const forgetAfter = memoryOf(spans.day);

/**
 * Judges one request and counts it if it is admitted. Depends on nothing but its arguments; what changes is the standing. Weight 0 asks
 * how things stand: it is neither counted nor refused.
 */
export function judge(standing: Standing, clock: number, weight: number, limits: Limits): Verdict {
  const now = advance(standing, clock);
  const { minute, day } = standing;
  const full = Math.max(
    waitFor(minute, spans.minute, now, weight, limits.perMinute),
    waitFor(day, spans.day, now, weight, limits.perDay),
    standing.shutUntil - now,
  );
  const wait = full > 0 && weight > 0 ? refuse(standing, now, full, limits) : 0;
  if (wait === 0) count(standing, now, weight);
  const left = { minute: Math.max(0, limits.perMinute - minute.total), day: Math.max(0, limits.perDay - day.total) };
  return verdictOf(limits, left, wait, standing.shutUntil > now);
}

export function verdictOf(limits: Limits, left: { minute: number; day: number }, wait: number, shutOut: boolean): Verdict {
  const [span, limit, remaining] =
    left.day <= left.minute ? [spans.day, limits.perDay, left.day] : [spans.minute, limits.perMinute, left.minute];
  return { admitted: wait === 0, limit, remaining: shutOut ? 0 : remaining, seconds: span.seconds, wait, shutOut };
}

/** Whether the windows have room for this weight; nothing is counted. */
export function hasRoom(standing: Standing, clock: number, weight: number, limits: Limits): boolean {
  advance(standing, clock);
  return standing.minute.total + weight <= limits.perMinute && standing.day.total + weight <= limits.perDay;
}

/** Counts what was admitted elsewhere. */
export const note = (standing: Standing, clock: number, weight: number): void => count(standing, advance(standing, clock), weight);

/** A clock that was set back stands still until it has caught up. One that was a whole day ahead was wrong: what it stamped is dropped. */
function advance(standing: Standing, clock: number): number {
  if (standing.at - clock > forgetAfter) Object.assign(standing, newStanding());
  const now = Math.max(standing.at, clock);
  standing.at = now;
  settle(standing.minute, spans.minute, now);
  settle(standing.day, spans.day, now);
  return now;
}

function count(standing: Standing, now: number, weight: number): void {
  if (weight === 0) return;
  add(standing.minute, spans.minute, now, weight);
  add(standing.day, spans.day, now, weight);
}

/** The wait after one more refusal. */
function refuse(standing: Standing, now: number, full: number, { perMinute }: Limits): number {
  if (now - standing.refusedAt >= patience.forgiven) standing.refused = 0;
  standing.refused += 1;
  standing.refusedAt = now;
  const free = Math.max(patience.least, Math.ceil(perMinute / patience.share));
  let times = Math.floor((standing.refused - 1) / free);
  if (times === 0) return full;
  let shutOut: number = patience.shutOut;
  for (; times > 1 && shutOut < patience.longest; times = Math.floor(times / 2)) shutOut *= 2;
  standing.shutUntil = Math.max(standing.shutUntil, now + Math.min(shutOut, patience.longest));
  return Math.max(full, standing.shutUntil - now);
}
