/** A window that slides over time, counted in buckets. All times are milliseconds. */
export type Span = {
  readonly seconds: number;
  readonly bucket: number;
  /** How many buckets the window is long. */
  readonly buckets: number;
};

/**
 * How much was counted in a span of time that ends now. Only buckets that hold something are kept, oldest first, as pairs of number and
 * count: a caller of a few requests costs a few words, the busiest one `buckets + 1` pairs.
 */
export type Tally = {
  total: number;
  pairs: Uint32Array;
  /** Where the oldest pair stands, and where the next one goes. */
  first: number;
  end: number;
};

export const emptyTally = (): Tally => ({ total: 0, pairs: new Uint32Array(2 * smallest), first: 0, end: 0 });

/**
 * Lets go of what the window has left behind. A bucket counts until the last moment of it is a whole window ago, so nothing that happened
 * within the window is ever missing, and nothing counts longer than the window and one bucket.
 */
export function settle(tally: Tally, span: Span, now: number): void {
  const oldest = bucketAt(span, now) - span.buckets;
  while (tally.first < tally.end && tally.pairs[tally.first]! < oldest) {
    tally.total -= tally.pairs[tally.first + 1]!;
    tally.first += 2;
  }
}

/** Counts; the tally must have been settled at this time. */
export function add(tally: Tally, span: Span, now: number, weight: number): void {
  const bucket = bucketAt(span, now);
  if (tally.first === tally.end || tally.pairs[tally.end - 2] !== bucket) append(tally, bucket);
  tally.pairs[tally.end - 1]! += weight;
  tally.total += weight;
}

/** How long until the window has room for this weight if nothing else comes: 0 if it has it now. */
export function waitFor(tally: Tally, span: Span, now: number, weight: number, limit: number): number {
  let excess = tally.total + weight - limit;
  if (excess <= 0) return 0;
  for (let at = tally.first; at < tally.end; at += 2) {
    excess -= tally.pairs[at + 1]!;
    if (excess <= 0) return endOf(span, tally.pairs[at]!) - now;
  }
  return endOf(span, bucketAt(span, now)) - now;
}

/** The longest that anything counts. */
export const memoryOf = (span: Span): number => (span.buckets + 1) * span.bucket;

const smallest = 4;

const bucketAt = (span: Span, now: number): number => Math.floor(now / span.bucket);

/** When a bucket no longer counts. */
const endOf = (span: Span, bucket: number): number => (bucket + span.buckets + 1) * span.bucket;

function append(tally: Tally, bucket: number): void {
  if (tally.end === tally.pairs.length) makeRoom(tally);
  tally.pairs[tally.end] = bucket;
  tally.pairs[tally.end + 1] = 0;
  tally.end += 2;
}

/** What counts moves to the front; if that frees nothing, into an array twice as long. */
function makeRoom(tally: Tally): void {
  const counting = tally.pairs.subarray(tally.first, tally.end);
  const target = tally.first > 0 ? tally.pairs : new Uint32Array(2 * tally.pairs.length);
  target.set(counting);
  tally.pairs = target;
  tally.end -= tally.first;
  tally.first = 0;
}
