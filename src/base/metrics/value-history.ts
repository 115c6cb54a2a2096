/** What happened in one bucket of time. */
export type HistoryBucket<K extends string> = {
  /** Unix seconds; a multiple of the length of the bucket. */
  readonly start: number;
  /** Seconds that the counts are of: less than the bucket after a start, more if a sample came late. */
  readonly seconds: number;
  /** What a counter grew by; the largest sample of a gauge. */
  readonly values: Readonly<Record<K, number>>;
};

/** Values by name: a counter only grows, a gauge goes up and down. */
export type HistoryValues<K extends string> = Readonly<Record<K, 'counter' | 'gauge'>>;

/** Seconds between two samples, and those that a sample may be early: a timer fires a little before or after its time. */
export const sampleSeconds = 5;
const tolerance = sampleSeconds / 2;

/** The last hour by sample, and the last day by minute. */
export const historyRings = [
  { bucketSeconds: sampleSeconds, count: 720 },
  { bucketSeconds: 60, count: 1440 },
] as const;

/** Seconds of the longest window by sample. */
const maxFineHistory = 3600;

export type ValueHistory<K extends string> = ReturnType<typeof createValueHistory<K>>;

/**
 * Keeps values of the last hour and the last day. Its arrays have a fixed size: 17 kB for each value, and 35 kB for times. Time without samples, such as
 * before the start of the process or while the machine sleeps, has no buckets: it is unknown, not zero. Times are Unix seconds of the real clock.
 */
export function createValueHistory<K extends string>(kinds: HistoryValues<K>) {
  const names = Object.keys(kinds) as K[];
  const [fine, coarse] = historyRings.map((ring) => createRing(names, kinds, ring)) as [Ring<K>, Ring<K>];
  return {
    /** Counters have their total since any time; `values` is not changed afterwards. */
    sample: (time: number, values: Readonly<Record<K, number>>): void => {
      fine.sample(time, values);
      coarse.sample(time, values);
    },
    /** The buckets of the last `window` seconds, oldest first, joined to buckets of `asked` seconds; of a minute at least if the window is longer than an hour. */
    list: (time: number, window: number, asked: number) => {
      const ring = window <= maxFineHistory ? fine : coarse;
      const bucketSeconds = Math.max(asked, ring.bucketSeconds);
      return { bucketSeconds, buckets: joinBuckets(ring.list(time, window), kinds, bucketSeconds) };
    },
  };
}

type Ring<K extends string> = ReturnType<typeof createRing<K>>;

/** The last `count` buckets. */
function createRing<K extends string>(
  names: readonly K[],
  kinds: HistoryValues<K>,
  { bucketSeconds, count }: { readonly bucketSeconds: number; readonly count: number },
) {
  /** The number of the bucket in each slot since 1970, the seconds that it is of, and a column of each value. */
  const numbers = new Float64Array(count).fill(-1);
  const lengths = new Float64Array(count);
  const columns = Object.fromEntries(names.map((name) => [name, new Float64Array(count)])) as Record<K, Float64Array>;
  /** The largest sample of each gauge in the bucket that is not over. */
  const largest = Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;
  let from: { readonly number: number; readonly time: number; readonly values: Readonly<Record<K, number>> } | undefined;

  return {
    bucketSeconds,
    sample: (time: number, values: Readonly<Record<K, number>>): void => {
      const number = Math.floor((time + tolerance) / bucketSeconds);
      for (const name of names) largest[name] = Math.max(largest[name], values[name]);
      if (number === from?.number) return;
      const seconds = from === undefined ? 0 : time - from.time;
      // A clock that was set, or samples that did not come: what happened when is not known.
      if (from !== undefined && number > from.number && seconds < 2 * bucketSeconds) {
        const slot = (number - 1) % count;
        numbers[slot] = number - 1;
        lengths[slot] = seconds;
        for (const name of names) columns[name][slot] = kinds[name] === 'counter' ? values[name] - from.values[name] : largest[name];
      }
      for (const name of names) largest[name] = values[name];
      from = { number, time, values };
    },
    list: (time: number, window: number): HistoryBucket<K>[] => {
      const buckets: HistoryBucket<K>[] = [];
      const end = Math.floor((time + tolerance) / bucketSeconds);
      for (let number = end - Math.min(count, Math.ceil(window / bucketSeconds)); number < end; number++) {
        const slot = number % count;
        if (numbers[slot] !== number) continue;
        const values = Object.fromEntries(names.map((name) => [name, columns[name][slot]])) as Record<K, number>;
        buckets.push({ start: number * bucketSeconds, seconds: lengths[slot] as number, values });
      }
      return buckets;
    },
  };
}

/** Adds up counters and takes the largest of gauges. */
function joinBuckets<K extends string>(
  buckets: readonly HistoryBucket<K>[],
  kinds: HistoryValues<K>,
  bucketSeconds: number,
): HistoryBucket<K>[] {
  const names = Object.keys(kinds) as K[];
  const byStart = Map.groupBy(buckets, ({ start }) => start - (start % bucketSeconds));
  return [...byStart].map(([start, all]) => ({
    start,
    seconds: all.reduce((sum, { seconds }) => sum + seconds, 0),
    values: Object.fromEntries(
      names.map((name) => {
        const list = all.map(({ values }) => values[name]);
        return [name, kinds[name] === 'counter' ? list.reduce((sum, value) => sum + value, 0) : Math.max(...list)];
      }),
    ) as Record<K, number>,
  }));
}
