/** A sliding time window, counted in buckets. */
export type SlidingWindow = {
  readonly seconds: number;
  readonly bucketMilliseconds: number;
  /** Number of buckets in the window. */
  readonly buckets: number;
};

/**
 * Sum of the weights in a window that ends now. Only buckets that are not empty are stored, oldest first, as pairs: the time of the last
 * request in the bucket (milliseconds), and the sum of its weights. A client with few requests needs a few numbers, the busiest one
 * `buckets + 1` pairs.
 */
export type WindowCounter = {
  total: number;
  pairs: Float64Array;
  /** Index in `pairs` of the oldest pair, and of the next pair to be written. */
  first: number;
  end: number;
};

export const emptyCounter = (): WindowCounter => ({ total: 0, pairs: new Float64Array(2 * initialPairs), first: 0, end: 0 });

/**
 * Drops buckets that have left the window. A bucket counts until its last request is a whole window ago. So every request within the window
 * is counted, and no client waits longer than the window.
 */
export function dropExpired(counter: WindowCounter, window: SlidingWindow, now: number): void {
  const windowStart = now - windowMilliseconds(window);
  while (counter.first < counter.end && counter.pairs[counter.first]! <= windowStart) {
    counter.total -= counter.pairs[counter.first + 1]!;
    counter.first += 2;
  }
}

/** Adds a weight. `dropExpired` must have been called with the same `now` before. */
export function addToCounter(counter: WindowCounter, window: SlidingWindow, now: number, weight: number): void {
  if (counter.first === counter.end || bucketAt(window, counter.pairs[counter.end - 2]!) !== bucketAt(window, now)) append(counter);
  counter.pairs[counter.end - 2] = now;
  counter.pairs[counter.end - 1]! += weight;
  counter.total += weight;
}

/** Milliseconds until this weight fits into the limit if no other request comes; 0 if it fits now. */
export function waitUntilRoom(counter: WindowCounter, window: SlidingWindow, now: number, weight: number, limit: number): number {
  let excess = counter.total + weight - limit;
  if (excess <= 0) return 0;
  for (let at = counter.first; at < counter.end; at += 2) {
    excess -= counter.pairs[at + 1]!;
    if (excess <= 0) return counter.pairs[at]! + windowMilliseconds(window) - now;
  }
  return windowMilliseconds(window);
}

/** Milliseconds that a count must be stored: the window, plus the bucket in which a later request may have been added to it. */
export const retentionOf = (window: SlidingWindow): number => (window.buckets + 1) * window.bucketMilliseconds;

const initialPairs = 4;

const bucketAt = (window: SlidingWindow, now: number): number => Math.floor(now / window.bucketMilliseconds);

const windowMilliseconds = (window: SlidingWindow): number => window.buckets * window.bucketMilliseconds;

function append(counter: WindowCounter): void {
  if (counter.end === counter.pairs.length) makeRoom(counter);
  counter.pairs[counter.end + 1] = 0;
  counter.end += 2;
}

/** Moves the pairs to the front of the array, or into an array twice as long if they are at the front already. */
function makeRoom(counter: WindowCounter): void {
  const stored = counter.pairs.subarray(counter.first, counter.end);
  const target = counter.first > 0 ? counter.pairs : new Float64Array(2 * counter.pairs.length);
  target.set(stored);
  counter.pairs = target;
  counter.end -= counter.first;
  counter.first = 0;
}
