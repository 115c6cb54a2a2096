import type { TimeBucket } from '../../ledger/index/time-bucket.ts';
import type { IndexReads, Totals } from '../../ledger/index-read/index-reads.ts';
import type { MetricName } from '../contract/metrics.ts';
import { type SeriesPage, secondsPerDay } from './series.ts';

/** A metric of a chain: as a series of time buckets and over rolling windows. */
export type Metric = {
  /** Whether a backfill of a followed chain changes past values. */
  readonly isBackfilled?: true;
  /** One value for each time bucket of the page, in the order of the page. */
  readonly series: (input: SeriesInput) => Promise<readonly MetricValue[]>;
  /** The total of a window and how it becomes the value. `seconds` is the length of the window; for all time, the seconds since block 1. */
  readonly window: { readonly total: keyof Totals; readonly convert?: (total: MetricValue, seconds: number) => MetricValue };
};

export type MetricValue = number | bigint;

type SeriesInput = {
  readonly reads: IndexReads;
  readonly page: SeriesPage;
  /** The time buckets of the page that have blocks, by start time. */
  readonly buckets: ReadonlyMap<number, TimeBucket>;
  /** The end of the period that metrics cover, in Unix seconds. */
  readonly now: number;
};

/** How each metric is computed; contract/metrics.ts says what it means. */
export const metrics: { readonly [name in MetricName]: Metric } = {
  txCount: {
    series: perBucket(({ txs }) => txs),
    window: { total: 'txs' },
  },
  cumulativeTxCount: {
    series: cumulative(txsBefore, ({ txs }) => txs),
    window: { total: 'txs' },
  },
  avgTps: {
    series: averageTps,
    window: { total: 'txs', convert: (txs, seconds) => Number(txs) / seconds },
  },
  maxTps: {
    series: perBucket(({ maxTps }) => maxTps),
    window: { total: 'maxTps' },
  },
  activeAddresses: {
    series: perBucket(({ active }) => active),
    window: { total: 'activeAddresses' },
  },
  activeSenders: {
    series: perBucket(({ senders }) => senders),
    window: { total: 'activeSenders' },
  },
  cumulativeAddresses: {
    isBackfilled: true,
    series: cumulative(
      (reads, start) => reads.addressesBefore(start),
      ({ addresses }) => addresses,
    ),
    window: { total: 'newAddresses' },
  },
  feesPaid: {
    series: perBucket(({ fees }) => fees),
    window: { total: 'fees' },
  },
};

function perBucket(pickValue: (bucket: TimeBucket) => MetricValue): Metric['series'] {
  return async ({ page, buckets }) => page.starts.map((start) => valueOrZero(buckets.get(start), pickValue));
}

/** Running totals per day. The newest day still grows, the day before it is final: earlier totals are computed backwards from there. */
function cumulative(
  before: (reads: IndexReads, time: number) => Promise<number>,
  pickValue: (bucket: TimeBucket) => number,
): Metric['series'] {
  return async ({ reads, page, buckets }) => {
    const [newest, ...olderStarts] = page.starts;
    if (newest === undefined) return [];
    const [current, final] = await Promise.all([before(reads, newest + secondsPerDay), before(reads, newest)]);
    let total = final;
    const earlier = olderStarts.map((start) => {
      const atEnd = total;
      total -= valueOrZero(buckets.get(start), pickValue);
      return atEnd;
    });
    return [current, ...earlier];
  };
}

/** Number of transactions before a time, without genesis. Transactions are numbered in the order of acceptance, genesis transactions first. */
async function txsBefore(reads: IndexReads, time: number): Promise<number> {
  const [genesis, last] = await Promise.all([reads.pinAtHeight(0), reads.pinBeforeTime(time)]);
  return last === undefined ? 0 : last.lastTx - (genesis?.lastTx ?? 0);
}

/** Transactions of each day divided by the seconds of the day; today, by those that have passed, at least one. */
async function averageTps({ page, buckets, now }: SeriesInput): Promise<readonly MetricValue[]> {
  const secondsOf = (start: number): number => Math.min(secondsPerDay, Math.max(1, now - start));
  return page.starts.map((start) => valueOrZero(buckets.get(start), ({ txs }) => txs / secondsOf(start)));
}

const valueOrZero = <T extends MetricValue>(bucket: TimeBucket | undefined, pickValue: (bucket: TimeBucket) => T): T | 0 =>
  bucket === undefined ? 0 : pickValue(bucket);
