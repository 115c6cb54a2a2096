import { type Buckets, createBuckets, observeValue } from './buckets.ts';
import { type Labels, labelText, type MetricFamily, type Sample } from './family.ts';

export type Counter = { add(amount: number): void };

export type Histogram = { observe(value: number): void };

/** Creates metrics. Callers get a counter or histogram once and keep it, so that counting needs no lookup. */
export type MetricRegistry = {
  /** Returns a function from labels to the counter of that series. */
  counters(name: string, help: string): (labels: Labels) => Counter;
  histograms(name: string, help: string, bounds: readonly number[]): (labels: Labels) => Histogram;
  /** Adds a metric whose value is read at each scrape. */
  addReading(type: 'counter' | 'gauge', name: string, help: string, read: () => MetricReading): void;
  /** Adds a histogram that is read at each scrape: one per series. */
  addHistogramReading(name: string, help: string, read: () => readonly (readonly [Labels, Buckets])[]): void;
  families(): MetricFamily[];
};

/** One value, or one per series; undefined if there is no value to show. */
export type MetricReading = number | bigint | undefined | readonly (readonly [Labels, number | bigint])[];

/** Limit of series per family, in case labels take unexpected values. Further label values share one series, `other`. */
export const maxSeries = 1024;

export function createMetricRegistry(): MetricRegistry {
  const families = new Map<string, () => MetricFamily>();

  const series =
    <T>(make: () => T, known: Map<string, T>) =>
    (labels: Labels): T => {
      const isFull = known.size >= maxSeries && !known.has(labelText(labels));
      const key = labelText(isFull ? Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])) : labels);
      const one = known.get(key) ?? make();
      known.set(key, one);
      return one;
    };

  return {
    counters(name, help) {
      const known = new Map<string, CounterCell>();
      families.set(name, () => ({ name, help, type: 'counter', samples: [...known].map(([key, { value }]) => [key, value]) }));
      return series(counterCell, known);
    },
    histograms(name, help, bounds) {
      const known = new Map<string, HistogramCell>();
      const samples = () => [...known].flatMap(([key, { buckets }]) => histogramSamples(key, buckets));
      families.set(name, () => ({ name, help, type: 'histogram', samples: samples() }));
      return series(() => histogramCell(bounds), known);
    },
    addReading(type, name, help, read) {
      families.set(name, () => ({ name, help, type, samples: readingSamples(read()) }));
    },
    addHistogramReading(name, help, read) {
      const samples = () => read().flatMap(([labels, buckets]) => histogramSamples(labelText(labels), buckets));
      families.set(name, () => ({ name, help, type: 'histogram', samples: samples() }));
    },
    families: () => [...families.values()].map((family) => family()).filter(({ samples }) => samples.length > 0),
  };
}

type CounterCell = Counter & { value: number };

function counterCell(): CounterCell {
  const cell = {
    value: 0,
    add(amount: number) {
      cell.value += amount;
    },
  };
  return cell;
}

type HistogramCell = Histogram & { readonly buckets: Buckets };

function histogramCell(bounds: readonly number[]): HistogramCell {
  const buckets = createBuckets(bounds);
  return { buckets, observe: (value) => observeValue(buckets, value) };
}

/** Buckets are cumulative; the last counts all values. */
function histogramSamples(key: string, { bounds, counts, sum }: Buckets): Sample[] {
  let total = 0;
  const inBucket = (bound: string) => `_bucket{${key === '' ? '' : `${key.slice(1, -1)},`}le="${bound}"}`;
  const buckets = counts.map((count, at): Sample => {
    total += count;
    return [inBucket(bounds[at]?.toString() ?? '+Inf'), total];
  });
  return [...buckets, [`_sum${key}`, sum], [`_count${key}`, total]];
}

function readingSamples(reading: MetricReading): Sample[] {
  if (reading === undefined) return [];
  if (typeof reading === 'number' || typeof reading === 'bigint') return [['', reading]];
  return reading.map(([labels, value]) => [labelText(labels), value]);
}
