/** A window that slides over time, counted in buckets. All times are milliseconds. */
export type Span = {
  readonly seconds: number;
  readonly bucket: number;
  /** How many buckets the window is long. */
  readonly buckets: number;
};

/**
 * How much was counted in a span of time that ends now. Only buckets that hold something are kept, oldest first, as pairs of the time of
 * their last request and a count: a caller of a few requests costs a few words, the busiest one `buckets + 1` pairs.
 */
export type Tally = {
  total: number;
  pairs: Float64Array;
  /** Where the oldest pair stands, and where the next one goes. */
  first: number;
  end: number;
};

export const emptyTally = (): Tally => ({ total: 0, pairs: new Float64Array(2 * smallest), first: 0, end: 0 });

/**
 * Drops what the window has left behind. A bucket counts until its last request is a whole window ago, so nothing that happened within the
 * window is ever missing, and nobody waits longer than the window.
 */
export function settle(tally: Tally, span: Span, now: number): void {
  const left = now - windowOf(span);
  while (tally.first < tally.end && tally.pairs[tally.first]! <= left) {
    tally.total -= tally.pairs[tally.first + 1]!;
    tally.first += 2;
  }
}

/** Counts; the tally must have been settled at this time. */
export function add(tally: Tally, span: Span, now: number, weight: number): void {
  if (tally.first === tally.end || bucketAt(span, tally.pairs[tally.end - 2]!) !== bucketAt(span, now)) append(tally);
  tally.pairs[tally.end - 2] = now;
  tally.pairs[tally.end - 1]! += weight;
  tally.total += weight;
}

/** How long until the window has room for this weight if nothing else comes: 0 if it has it now. */
export function waitFor(tally: Tally, span: Span, now: number, weight: number, limit: number): number {
  let excess = tally.total + weight - limit;
  if (excess <= 0) return 0;
  for (let at = tally.first; at < tally.end; at += 2) {
    excess -= tally.pairs[at + 1]!;
    if (excess <= 0) return tally.pairs[at]! + windowOf(span) - now;
  }
  return windowOf(span);
}

/** How long anything has to be kept: the window, and a bucket in which a later request may have joined it. */
export const memoryOf = (span: Span): number => (span.buckets + 1) * span.bucket;

const smallest = 4;

const bucketAt = (span: Span, now: number): number => Math.floor(now / span.bucket);

/** Milliseconds. */
const windowOf = (span: Span): number => span.buckets * span.bucket;

function append(tally: Tally): void {
  if (tally.end === tally.pairs.length) makeRoom(tally);
  tally.pairs[tally.end + 1] = 0;
  tally.end += 2;
}

/** What counts moves to the front; if that frees nothing, into an array twice as long. */
function makeRoom(tally: Tally): void {
  const counting = tally.pairs.subarray(tally.first, tally.end);
  const target = tally.first > 0 ? tally.pairs : new Float64Array(2 * tally.pairs.length);
  target.set(counting);
  tally.pairs = target;
  tally.end -= tally.first;
  tally.first = 0;
}
