import { expect, test } from 'bun:test';
import { figuresInterval, loadThroughput, type ThroughputData } from './load-throughput.ts';
import type { PageContext } from './page-context.ts';
import { testChainPath as base, createTestSource, testContext } from './test-source.fixture.ts';

const end = 10_000;
const figures = { tps: 1, meanTps: 2, peakTps: 3, txCount: 4, others: 5 };

/** The page of a chain whose oldest second with transactions in the last hour is `age` seconds old; undefined: it has none. */
async function load(
  wanted: string | null,
  {
    age,
    metrics = true,
    windows = {},
    operations = [],
  }: { age?: number; metrics?: boolean; windows?: object; operations?: readonly string[] } = {},
) {
  const context = { ...testContext, chain: { slug: 'x', alias: 'X' }, has: { metrics }, operations } as unknown as PageContext;
  const { source, asked } = createTestSource((path) => {
    if (path.startsWith(`${base}/throughput`))
      return { figures, endTimestamp: end, seconds: age === undefined ? [] : [{ timestamp: end - age }, { timestamp: end }] };
    if (path.startsWith('/v2/') && !metrics) return undefined;
    if (path.includes('/rollingWindowMetrics/')) return { result: { lastDay: 0, lastWeek: 0, lastMonth: 0, lastYear: 0, ...windows } };
    if (path.includes('/metrics/')) return { results: [{ value: 2 }, { value: 1 }] };
    return path === `${base}/issue-minutes` ? { minutes: [] } : undefined;
  });
  return { data: await loadThroughput(source, context, wanted), asked };
}

test('a young chain is shown in the shortest range that has all of it, an idle one in the shortest that has anything', async () => {
  const rangeOf = async (options: Parameters<typeof load>[1]) => (await load(null, options)).data.range;
  for (const [age, range] of [
    [59, 'minute'],
    [60, 'ten-minutes'],
    [599, 'ten-minutes'],
    [600, 'hour'],
  ] as const)
    expect([age, await rangeOf({ age })]).toEqual([age, range]);
  for (const [windows, range] of [
    [{ lastDay: 1, lastWeek: 1 }, 'day'],
    [{ lastWeek: 3, lastYear: 9 }, 'week'],
    [{ lastMonth: 1 }, 'month'],
    [{ lastYear: 1 }, 'year'],
    [{}, 'hour'],
  ] as const)
    expect([windows, await rangeOf({ windows })]).toEqual([windows, range]);
  expect(await rangeOf({ windows: { lastDay: 1 }, metrics: false })).toBe('hour');
  expect((await load('toString', { age: 5 })).data.range).toBe('minute');
});

test('a range of seconds has these seconds; the last hour also what became of issued transactions, where the server knows', async () => {
  const { data, asked } = await load('ten-minutes', { age: 5, operations: ['listIssueMinutes'] });
  expect(asked.at(-1)).toBe(`${base}/throughput?seconds=600`);
  expect([data.recent?.endTimestamp, data.issues, data.series, data.windows]).toEqual([end, undefined, {}, {}]);
  expect(data.rates).toEqual({
    minute: { tps: 1, meanTps: 2, peakTps: 3, txCount: 4 },
    hour: { tps: 1, meanTps: 2, peakTps: 3, txCount: 4 },
  });
  expect((await load('hour', { age: 5, operations: ['listIssueMinutes'] })).data.issues).toEqual({ minutes: [] } as never);
  expect((await load('hour', { age: 5 })).data.issues).toBeUndefined();
});

test('a longer range has series by hour or day, oldest first; without the Metrics API it is the last hour', async () => {
  const { data, asked } = await load('week');
  expect(Object.keys(data.series)).toEqual(['txCount', 'activeAddresses', 'activeSenders']);
  expect(data.series.txCount).toEqual([{ value: 1 }, { value: 2 }] as never);
  expect(asked).toContain('/v2/chains/X/metrics/txCount?timeInterval=hour&pageSize=168');
  expect(Object.keys(data.windows)).toEqual(['txCount', 'maxTps', 'activeAddresses', 'feesPaid']);
  expect([data.range, data.recent]).toEqual(['week', undefined]);
  const year = await load('year');
  expect(Object.keys(year.data.series)).toHaveLength(8);
  expect(year.asked).toContain('/v2/chains/X/metrics/feesPaid?timeInterval=day&pageSize=365');
  const without = await load('year', { age: 5, metrics: false });
  expect([without.data.range, without.asked.at(-1)]).toEqual(['hour', `${base}/throughput?seconds=3600`]);
});

test('figures of seconds are read again every few seconds, others sooner when a block has come', () => {
  const after = (range: ThroughputData['range'], hasNews: boolean) => figuresInterval({ range } as ThroughputData, hasNews);
  expect([after('minute', false), after('hour', true), after('day', true), after('year', false)]).toEqual([2000, 5000, 10_000, 30_000]);
});
