/** Percentiles of durations in milliseconds; `count` is their number. */
export type LatencySummary = {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
};

type Latencies = {
  readonly add: (milliseconds: number) => void;
  /** All 0 if there are no durations. */
  readonly summary: () => LatencySummary;
  readonly clear: () => void;
};

/** Creates a record of the last durations. */
export function createLatencies(size = 4096): Latencies {
  const ring = new Float64Array(size);
  let added = 0;
  return {
    add: (milliseconds) => {
      ring[added++ % size] = milliseconds;
    },
    summary: () => {
      const sorted = ring.slice(0, Math.min(added, size)).sort();
      const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
      return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
    },
    clear: () => {
      added = 0;
    },
  };
}
