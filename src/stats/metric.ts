import type { SpanEntry } from '../index/span.ts';
import type { Unit } from '../index/tables.ts';
import type { IndexReads, Totals } from '../index-read/index-reads.ts';
import { type Page, secondsPerDay } from './series.ts';

/** What is measured of a chain, over units of time and over windows that end now. */
export type Metric = {
  readonly meaning: string;
  readonly units: readonly Unit[];
  /** One value for each unit of the page, in its order. */
  readonly series: (ask: Ask) => Promise<readonly Value[]>;
  /** What is summed over a window, and what becomes of it. `seconds`: the length of the window; of all time, since block 1. */
  readonly window: { readonly of: keyof Totals; readonly over?: (total: Value, seconds: number) => Value };
};

export type Value = number | bigint;

export type Ask = {
  readonly reads: IndexReads;
  readonly page: Page;
  /** The page's units that have blocks, by when they begin. */
  readonly spans: ReadonlyMap<number, SpanEntry>;
};

/** What avgTps means for a day, in both interfaces that tell it. */
export const averageOfDays =
  'Accepted transactions of the day over the seconds from the last block of the day before that has blocks to the last block of the day; the first day of the chain counts from midnight.';

const anyUnit: readonly Unit[] = ['hour', 'day', 'week', 'month'];
const dayOnly: readonly Unit[] = ['day'];

export const metrics = {
  txCount: {
    meaning: 'Accepted transactions.',
    units: anyUnit,
    series: each(({ txs }) => txs),
    window: { of: 'txs' },
  },
  cumulativeTxCount: {
    meaning: 'Accepted transactions since block 1 up to the end of the day. In a window: by how many it grew.',
    units: dayOnly,
    series: running(txsBefore, ({ txs }) => txs),
    window: { of: 'txs' },
  },
  avgTps: {
    meaning: `${averageOfDays} In a window: over the seconds of the window, however young the chain is; of all time, over those since block 1.`,
    units: dayOnly,
    series: averageTps,
    window: { of: 'txs', over: (txs, seconds) => Number(txs) / seconds },
  },
  maxTps: {
    meaning:
      'Most transactions per second: the transactions of a second that has blocks over the seconds since the one before it that has some.',
    units: dayOnly,
    series: each(({ maxTps }) => maxTps),
    window: { of: 'maxTps' },
  },
  activeAddresses: {
    meaning: 'Distinct addresses that own outputs consumed or made.',
    units: anyUnit,
    series: each(({ active }) => active),
    window: { of: 'activeAddresses' },
  },
  activeSenders: {
    meaning: 'Distinct addresses that own outputs consumed.',
    units: anyUnit,
    series: each(({ senders }) => senders),
    window: { of: 'activeSenders' },
  },
  cumulativeAddresses: {
    meaning:
      'Distinct addresses that ever owned an output, those of the genesis too, up to the end of the day. In a window: by how many it grew.',
    units: dayOnly,
    series: running(
      (reads, start) => reads.addressesBefore(start),
      ({ addresses }) => addresses,
    ),
    window: { of: 'newAddresses' },
  },
  feesPaid: {
    meaning: 'Fees burned, in the smallest unit of the asset that fees are paid in: nAVAX on the X-Chain. Exact: may exceed 2^53.',
    units: dayOnly,
    series: each(({ fees }) => fees),
    window: { of: 'fees' },
  },
} as const satisfies { readonly [name: string]: Metric };

export type MetricName = keyof typeof metrics;
export const metricNames = Object.keys(metrics) as readonly MetricName[];

/** Metrics of other chains of the network, and what they count that no AVM chain has. */
export const foreignMetrics: ReadonlyMap<string, string> = new Map([
  ['gasUsed', 'gas'],
  ['avgGps', 'gas'],
  ['maxGps', 'gas'],
  ['avgGasPrice', 'gas'],
  ['maxGasPrice', 'gas'],
  ['contracts', 'contracts'],
  ['deployers', 'contracts'],
  ['cumulativeContracts', 'contracts'],
  ['cumulativeDeployers', 'contracts'],
]);

function each(pick: (span: SpanEntry) => Value): Metric['series'] {
  return async ({ page, spans }) => page.starts.map((start) => picked(spans.get(start), pick));
}

/**
 * Of days. The newest still grows, the one before it is settled whatever blocks arrive meanwhile: the others are counted back from there.
 */
function running(before: (reads: IndexReads, time: number) => Promise<number>, pick: (span: SpanEntry) => number): Metric['series'] {
  return async ({ reads, page, spans }) => {
    const [newest, ...older] = page.starts;
    if (newest === undefined) return [];
    const [soFar, settled] = await Promise.all([before(reads, newest + secondsPerDay), before(reads, newest)]);
    let total = settled;
    const counted = older.map((start) => {
      const atEnd = total;
      total -= picked(spans.get(start), pick);
      return atEnd;
    });
    return [soFar, ...counted];
  };
}

/** Transactions are numbered in the order of acceptance; those of the genesis stand before block 1's. */
async function txsBefore(reads: IndexReads, time: number): Promise<number> {
  const [genesis, last] = await Promise.all([reads.pinAt(0), reads.pinBefore(time)]);
  return last === undefined ? 0 : last.lastTx - (genesis?.lastTx ?? 0);
}

async function averageTps({ reads, page, spans }: Ask): Promise<readonly Value[]> {
  const oldest = page.starts.at(-1);
  const before = oldest === undefined ? undefined : await reads.spanBefore(page.unit, oldest);
  let last = before?.last;
  return page.starts
    .toReversed()
    .map((start) => {
      const span = spans.get(start);
      if (span === undefined) return 0;
      const seconds = span.last - (last ?? start);
      last = span.last;
      return span.txs / Math.max(1, seconds);
    })
    .reverse();
}

const picked = <T extends Value>(span: SpanEntry | undefined, pick: (span: SpanEntry) => T): T | 0 => (span === undefined ? 0 : pick(span));
