import type { IssueMinutes, RollingWindow, Series, Throughput } from '../../api/contract/answers.ts';
import { type HistoryData, loadNodeHistory } from './node-history.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';

/** Ranges of the page: how long, in which buckets. */
export const ranges = {
  minute: { word: '1 min', unit: 'second', count: 60 },
  'ten-minutes': { word: '10 min', unit: 'second', count: 600 },
  hour: { word: '1 h', unit: 'second', count: 3600 },
  day: { word: '1 d', unit: 'hour', count: 24 },
  week: { word: '7 d', unit: 'hour', count: 168 },
  month: { word: '30 d', unit: 'day', count: 30 },
  year: { word: '1 y', unit: 'day', count: 365 },
} as const;
type Range = keyof typeof ranges;

export type ThroughputData = {
  readonly range: Range;
  /** Transactions accepted per second: now, in the last minute and in the last hour of the chain's clock. */
  readonly rates: Rates;
  /** By metric; oldest first. */
  readonly series: { readonly [metric: string]: readonly { readonly value: number; readonly timestamp: number }[] };
  readonly windows: { readonly [metric: string]: RollingWindow['result'] };
  /** The last minute or hour, by second; undefined for longer ranges. */
  readonly recent: Throughput | undefined;
  /** What happened to transactions that were issued to this node; only for the last hour, and if this server knows. */
  readonly issues: IssueMinutes | undefined;
  /** What this node did in the last 24 hours; only for that range, and if this server is a node. */
  readonly history: HistoryData | undefined;
};

type Rates = Readonly<Record<'minute' | 'hour', Pick<Throughput['figures'], 'tps' | 'meanTps' | 'peakTps' | 'txCount'>>>;

/** Milliseconds after which the page is read again: windows of seconds move with the clock, hours and days change with blocks and slowly with the clock. */
export const figuresInterval = ({ range }: ThroughputData, hasNews: boolean): number =>
  ranges[range].unit === 'second' ? (range === 'hour' ? 5000 : 2000) : hasNews ? 10_000 : 30_000;

const hourly = ['txCount', 'activeAddresses', 'activeSenders'] as const;
const daily = [
  'txCount',
  'activeAddresses',
  'activeSenders',
  'avgTps',
  'maxTps',
  'feesPaid',
  'cumulativeTxCount',
  'cumulativeAddresses',
] as const;
const windowed = ['txCount', 'maxTps', 'activeAddresses', 'feesPaid'] as const;

/** The last hour; on a young chain the shortest range with all of its blocks, and on an idle one the shortest with any. */
async function defaultRange(source: Source, context: PageContext): Promise<Range> {
  const { seconds, endTimestamp } = await read<Throughput>(source, `${chainPath(context)}/throughput?seconds=${ranges.hour.count}`);
  const age = endTimestamp - Math.min(...seconds.map(({ timestamp }) => timestamp));
  if (seconds.length > 0) return (['minute', 'ten-minutes'] as const).find((name) => age < ranges[name].count) ?? 'hour';
  if (!context.has.metrics) return 'hour';
  const { result } = await read<RollingWindow>(source, `/v2/chains/${context.chain.alias}/rollingWindowMetrics/txCount`);
  const windows = { day: result.lastDay, week: result.lastWeek, month: result.lastMonth, year: result.lastYear };
  return (Object.keys(windows) as (keyof typeof windows)[]).find((name) => windows[name] > 0) ?? 'hour';
}

export async function loadThroughput(source: Source, context: PageContext, wanted: string | null): Promise<ThroughputData> {
  const range: Range = wanted !== null && Object.hasOwn(ranges, wanted) ? (wanted as Range) : await defaultRange(source, context);
  const { unit, count } = ranges[range];
  const base = `/v2/chains/${context.chain.alias}`;
  const rates = await loadRates(source, context);
  if (unit === 'second' || !context.has.metrics) {
    const seconds = unit === 'second' ? count : ranges.hour.count;
    const hasIssues = range === 'hour' && context.operations.includes('listIssueMinutes');
    const [recent, issues] = await Promise.all([
      read<Throughput>(source, `${chainPath(context)}/throughput?seconds=${seconds}`),
      hasIssues ? read<IssueMinutes>(source, `${chainPath(context)}/issue-minutes`) : undefined,
    ]);
    return { range: unit === 'second' ? range : 'hour', series: {}, windows: {}, recent, issues, rates, history: undefined };
  }
  const metrics = unit === 'hour' ? hourly : daily;
  const [series, windows, history] = await Promise.all([
    Promise.all(
      metrics.map(async (metric) => {
        const { results } = await read<Series>(source, `${base}/metrics/${metric}?timeInterval=${unit}&pageSize=${count}`);
        return [metric, results.toReversed()] as const;
      }),
    ),
    Promise.all(
      windowed.map(
        async (metric) => [metric, (await read<RollingWindow>(source, `${base}/rollingWindowMetrics/${metric}`)).result] as const,
      ),
    ),
    range === 'day' ? loadNodeHistory(source, context, 'day') : undefined,
  ]);
  return {
    range,
    rates,
    series: Object.fromEntries(series),
    windows: Object.fromEntries(windows),
    recent: undefined,
    issues: undefined,
    history,
  };
}

async function loadRates(source: Source, context: PageContext): Promise<Rates> {
  const figuresOf = async (seconds: number) => {
    const { tps, meanTps, peakTps, txCount } = (await read<Throughput>(source, `${chainPath(context)}/throughput?seconds=${seconds}`))
      .figures;
    return { tps, meanTps, peakTps, txCount };
  };
  const [minute, hour] = await Promise.all([figuresOf(ranges.minute.count), figuresOf(ranges.hour.count)]);
  return { minute, hour };
}
