/** How many observed values are in each bucket of a histogram, and their sum. Plain numbers: counting must cost nothing. */
export type Buckets = {
  /** Upper bounds, ascending; each is part of its bucket. */
  readonly bounds: readonly number[];
  /** One count per bound, not cumulative, and one of larger values. */
  readonly counts: number[];
  sum: number;
};

export const createBuckets = (bounds: readonly number[]): Buckets => ({
  bounds,
  counts: new Array<number>(bounds.length + 1).fill(0),
  sum: 0,
});

export function observeValue(buckets: Buckets, value: number): void {
  const { bounds, counts } = buckets;
  let at = 0;
  while (at < bounds.length && value > (bounds[at] as number)) at++;
  counts[at] = (counts[at] as number) + 1;
  buckets.sum += value;
}
