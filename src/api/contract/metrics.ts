/** The metrics of a chain: what each counts, and over which intervals. metrics-api/metric.ts computes them. */

/** The lengths of time buckets. In UTC; weeks begin on Monday. */
export const timeIntervals = ['hour', 'day', 'week', 'month'] as const;
type TimeInterval = (typeof timeIntervals)[number];

/** Meaning of avgTps for a day, in /v1 and in /v2. */
export const averageTpsMeaning =
  'Accepted transactions of the UTC day divided by its 86,400 seconds; today, by the seconds since midnight.';

const dayOnly = ['day'] as const;

export const metricMeanings = {
  txCount: { meaning: 'Accepted transactions.', units: timeIntervals },
  cumulativeTxCount: {
    meaning: 'Accepted transactions since block 1 up to the end of the day. In a window: the increase.',
    units: dayOnly,
  },
  avgTps: {
    meaning: `${averageTpsMeaning} In a window: divided by the length of the window, even if the chain is younger; for all time, by the seconds since block 1.`,
    units: dayOnly,
  },
  maxTps: {
    meaning:
      'Highest transactions per second: the transactions of a second that has blocks, divided by the seconds since the previous second that has blocks.',
    units: dayOnly,
  },
  activeAddresses: { meaning: 'Distinct addresses that own consumed or created outputs.', units: timeIntervals },
  activeSenders: { meaning: 'Distinct addresses that own consumed outputs.', units: timeIntervals },
  cumulativeAddresses: {
    meaning: 'Distinct addresses that have owned an output up to the end of the day, including genesis outputs. In a window: the increase.',
    units: dayOnly,
  },
  feesPaid: {
    meaning: 'Fees burned, in the smallest unit of the fee asset: nAVAX on the X-Chain. Exact integer: may exceed 2^53.',
    units: dayOnly,
  },
} as const satisfies { readonly [name: string]: { readonly meaning: string; readonly units: readonly TimeInterval[] } };

export type MetricName = keyof typeof metricMeanings;
export const metricNames = Object.keys(metricMeanings) as readonly MetricName[];

/** Metrics of EVM chains, with what they count that AVM chains do not have. */
export const unsupportedMetrics = {
  gasUsed: 'gas',
  avgGps: 'gas',
  maxGps: 'gas',
  avgGasPrice: 'gas',
  maxGasPrice: 'gas',
  contracts: 'contracts',
  deployers: 'contracts',
  cumulativeContracts: 'contracts',
  cumulativeDeployers: 'contracts',
};

/** The rolling windows that end now, shortest first. */
export const windowNames = ['lastHour', 'lastDay', 'lastWeek', 'lastMonth', 'last90Days', 'lastYear', 'allTime'] as const;
