import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createMetricsApi, type ModelBlock, type ModelTx, modelServedChains, pagesOf } from '../../../test/metrics-model.ts';
import { metricNames } from '../contract/metrics.ts';

const at = (text: string) => Date.parse(text) / 1000;
const day = 86_400;
const genesis: ModelBlock = { time: at('2020-12-05T05:00:00Z'), txs: [{ from: [], to: ['rich', 'old'], fee: 0n }] };
const tx = (from: string, to: string, fee = 1_000_000n): ModelTx => ({ from: [from], to: [to], fee });

type Texts = Readonly<Record<string, string | number>>;
type Point = { readonly value: number; readonly timestamp: number };
const queryOf = (texts: Texts) =>
  Object.entries(texts)
    .map(([name, text]) => `${name}=${text}`)
    .join('&');

function series(blocks: readonly ModelBlock[], now: number) {
  const api = createMetricsApi(modelServedChains(blocks, () => now));
  const target = (metric: string, texts: Texts) => `/v2/chains/X/metrics/${metric}?${queryOf(texts)}`;
  const ask = (metric: string, texts: Texts = {}) => api(target(metric, texts));
  const pages = async (metric: string, texts: Texts): Promise<Point[][]> =>
    (await pagesOf(api, target(metric, texts))).map(({ json }) => json.results);
  const values = async (metric: string, texts: Texts = {}): Promise<number[]> =>
    (await pages(metric, texts)).flat().map(({ value }) => value);
  const starts = async (timeInterval: string, texts: Texts = {}): Promise<number[]> =>
    (await pages('txCount', { timeInterval, ...texts })).flat().map(({ timestamp }) => timestamp);
  return { api, ask, pages, values, starts };
}

describe('a chain over four days', () => {
  const monday = at('2026-11-16T00:00:00Z');
  const blocks: ModelBlock[] = [
    genesis,
    { time: monday + 1000, txs: [tx('rich', 'a'), tx('rich', 'b')] },
    // Two blocks of the same second count together: five transactions in four seconds.
    { time: monday + 1004, txs: [tx('rich', 'a'), tx('a', 'c')] },
    { time: monday + 1004, txs: [tx('a', 'c'), tx('a', 'c'), tx('b', 'rich')] },
    { time: monday + 3 * day + 1004, txs: [tx('old', 'd', 2n ** 63n), tx('old', 'd', 2n ** 63n)] },
  ];
  const now = monday + 3 * day + 5000;
  const { api, ask, pages, values } = series(blocks, now);

  test('counts', async () => {
    expect(await values('txCount')).toEqual([2, 0, 0, 7]);
    expect(await values('activeAddresses')).toEqual([2, 0, 0, 4]);
    expect(await values('activeSenders')).toEqual([1, 0, 0, 3]);
  });

  test('cumulative metrics keep their value on days without blocks and include genesis addresses', async () => {
    for (const pageSize of [1, 2, 3, 4, 100]) {
      expect(await values('cumulativeTxCount', { pageSize })).toEqual([9, 7, 7, 7]);
      expect(await values('cumulativeAddresses', { pageSize })).toEqual([6, 5, 5, 5]);
    }
    expect(await values('cumulativeTxCount', { endTimestamp: monday + 3 * day })).toEqual([7, 7, 7]);
  });

  test('averages divide by the seconds of the day; today, by those that have passed', async () => {
    for (const pageSize of [1, 2, 3, 4, 100]) expect(await values('avgTps', { pageSize })).toEqual([2 / 5000, 0, 0, 7 / day]);
  });

  test('maximum transactions per second', async () => {
    expect(await values('maxTps')).toEqual([2 / (3 * day), 0, 0, 2]);
    const early = series([genesis, ...blocks.slice(2)], now);
    expect(await early.values('maxTps')).toEqual([2 / (3 * day), 0, 0, 5]);
  });

  test('fees are exact', async () => {
    const { text } = await ask('feesPaid');
    expect(text).toContain(`"results":[{"value":18446744073709551616,"timestamp":${monday + 3 * day}},{"value":0,`);
    expect(text).toEndWith(`{"value":7000000,"timestamp":${monday}}]}`);
  });

  test('startTimestamp is inclusive, endTimestamp is exclusive', async () => {
    const daysIn = async (startTimestamp: number, endTimestamp: number) =>
      (await pages('txCount', { startTimestamp, endTimestamp })).flat().map(({ timestamp }) => (timestamp - monday) / day);
    expect(await daysIn(monday + day, monday + 3 * day)).toEqual([2, 1]);
    expect(await daysIn(monday + day + 1, monday + 3 * day + 1)).toEqual([3, 2]);
    expect(await daysIn(0, 2 ** 40)).toEqual([3, 2, 1, 0]);
    for (const [start, end] of [
      [monday + 2 * day, monday + day],
      [now, 2 ** 40],
      [2 ** 50, 2 ** 51],
      [0, 0],
      [0, monday],
    ] as const)
      expect(await daysIn(start, end)).toEqual([]);
  });

  test('metrics that support only days reject other intervals', async () => {
    const responses = await Promise.all(metricNames.map((metric) => ask(metric, { timeInterval: 'hour' })));
    expect(metricNames.filter((_, i) => responses[i]?.status === 200)).toEqual(['txCount', 'activeAddresses', 'activeSenders']);
    expect((await ask('avgTps', { timeInterval: 'week' })).json).toEqual({
      statusCode: 400,
      message: ['timeInterval must be day for avgTps, not week'],
      error: 'Bad Request',
    });
  });

  test('rejects metrics that AVM chains do not have, and unknown ones', async () => {
    const choices = `metric must be one of the following values: ${metricNames.join(', ')}`;
    for (const [metric, what] of [
      ['gasUsed', 'gas'],
      ['avgGps', 'gas'],
      ['contracts', 'contracts'],
      ['cumulativeDeployers', 'contracts'],
    ]) {
      const { status, json } = await ask(metric as string);
      expect([status, json.message]).toEqual([400, [`metric "${metric}" is not available: AVM chains have no ${what}; ${choices}`]]);
    }
    for (const metric of ['txcount', 'constructor', '__proto__', '%20']) {
      const { status, json } = await ask(metric);
      expect([status, json.message]).toEqual([400, [choices]]);
    }
    for (const pageSize of ['0', '2161', '-1', '1.5', 'ten', '']) expect((await ask('txCount', { pageSize })).status).toBe(400);
    for (const chain of ['total', 'mainnet', 'testnet', 'C', 'nothing'])
      expect((await api(`/v2/chains/${chain}/metrics/txCount`)).status).toBe(404);
  });

  test('reports all invalid parameters at once', async () => {
    const { json } = await ask('gas', { timeInterval: 'year', pageSize: 0, startTimestamp: -1, endTimestamp: 'now', pageToken: 'x' });
    const names = ['metric', 'timeInterval', 'startTimestamp', 'endTimestamp', 'pageToken', 'pageSize'];
    expect(json.message.map((sentence: string) => sentence.split(' ')[0])).toEqual(names);
  });
});

test('without a block 1 every series is empty', async () => {
  const { values } = series([genesis], at('2026-11-16T12:00:00Z'));
  for (const metric of metricNames) expect(await values(metric)).toEqual([]);
});

test('a first day with genesis and block 1 counts the genesis addresses on any page', async () => {
  const start = at('2023-04-25T15:00:00Z');
  const blocks: ModelBlock[] = [
    { ...genesis, time: start },
    { time: start + 10, txs: [tx('rich', 'a')] },
    { time: start + 2 * day, txs: [tx('rich', 'b')] },
  ];
  expect(await series(blocks.slice(0, 2), start + 20).values('cumulativeAddresses')).toEqual([3]);
  expect(await series(blocks, start + 2 * day).values('cumulativeAddresses')).toEqual([4, 3, 3]);
  expect(await series(blocks, start + 2 * day).values('cumulativeAddresses', { endTimestamp: start })).toEqual([3]);
});

describe('boundaries of time intervals', () => {
  const first = at('2023-12-31T23:59:59Z');
  const now = at('2024-03-04T00:00:00Z');
  const blocks: ModelBlock[] = [
    genesis,
    { time: first, txs: [tx('rich', 'a')] },
    { time: first + 1, txs: [tx('rich', 'a'), tx('rich', 'a')] },
    { time: at('2024-02-29T23:59:59Z'), txs: [tx('rich', 'b')] },
    { time: at('2024-03-01T00:00:00Z'), txs: [tx('rich', 'c'), tx('rich', 'c')] },
    { time: at('2024-03-03T23:59:59Z'), txs: [tx('rich', 'd')] },
    { time: now, txs: [tx('rich', 'd'), tx('rich', 'd'), tx('rich', 'd')] },
  ];
  const { starts, values } = series(blocks, now);

  test('months', async () => {
    expect(await starts('month')).toEqual(['2024-03-01', '2024-02-01', '2024-01-01', '2023-12-01'].map(at));
    expect(await values('txCount', { timeInterval: 'month' })).toEqual([6, 1, 2, 1]);
    expect(await values('activeAddresses', { timeInterval: 'month' })).toEqual([3, 2, 2, 2]);
  });

  test('weeks begin on Monday', async () => {
    const weeks = await starts('week');
    expect([weeks[0], weeks[1], weeks.at(-1)]).toEqual(['2024-03-04', '2024-02-26', '2023-12-25'].map(at));
    expect(await values('txCount', { timeInterval: 'week' })).toEqual([3, 4, 0, 0, 0, 0, 0, 0, 0, 2, 1]);
  });

  test('hours', async () => {
    const texts = { timeInterval: 'hour', startTimestamp: at('2024-02-29T22:00:00Z'), endTimestamp: at('2024-03-01T02:00:00Z') };
    expect(await starts('hour', texts)).toEqual([1, 0, -1, -2].map((hours) => at('2024-03-01') + hours * 3600));
    expect(await values('txCount', texts)).toEqual([0, 2, 1, 0]);
  });
});

/** What the platform's own calendar says. */
function calendarStart(unit: string, time: number): number {
  const date = new Date(time * 1000);
  if (unit === 'hour') date.setUTCMinutes(0, 0, 0);
  else date.setUTCHours(0, 0, 0, 0);
  if (unit === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (unit === 'month') date.setUTCDate(1);
  return date.getTime() / 1000;
}

test('random queries: full pages, each interval once, in order, matching the platform calendar', async () => {
  const bound = fc.option(fc.integer({ min: -10 * day, max: 200 * day }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('hour', 'day', 'week', 'month'),
      fc.integer({ min: at('1999-12-01'), max: at('2101-01-01') }),
      fc.integer({ min: 0, max: 200 * day }),
      fc.oneof(fc.integer({ min: 20, max: 2160 }), fc.constant(1)),
      bound,
      bound,
      async (timeInterval, first, age, pageSize, from, to) => {
        const now = first + (pageSize === 1 ? age % (3 * day) : age);
        const { pages } = series(
          [
            { ...genesis, time: at('1999-01-01') },
            { time: first, txs: [tx('rich', 'a')] },
          ],
          now,
        );
        const found = await pages('txCount', {
          timeInterval,
          pageSize,
          ...(from === undefined ? {} : { startTimestamp: first + from }),
          ...(to === undefined ? {} : { endTimestamp: first + to }),
        });
        for (const page of found.slice(0, -1)) expect(page.length).toBe(pageSize);
        if (found.length > 1) expect(found.at(-1)).not.toEqual([]);
        const expected: number[] = [];
        const oldest = calendarStart(timeInterval, first);
        for (let start = calendarStart(timeInterval, now); start >= oldest; start = calendarStart(timeInterval, start - 1))
          if (start >= first + (from ?? -Infinity) && start < first + (to ?? Infinity)) expected.push(start);
        expect(found.flat().map(({ timestamp }) => timestamp)).toEqual(expected);
      },
    ),
    { numRuns: 150 },
  );
});

test('random chains: all intervals add up to the same total, and cumulative metrics are running sums', async () => {
  const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const names = fc.array(fc.constantFrom('a', 'b', 'c', 'rich', 'old', 'e', 'f'), { maxLength: 2 });
  const step = fc.record({
    gap: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 12 * day })),
    txs: fc.array(fc.record({ from: names, to: names, fee: fc.bigInt(0n, 2n ** 64n) }), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      let time = at('2024-02-20T22:00:00Z');
      const blocks = [genesis];
      for (const { gap, txs } of steps) {
        time += gap;
        blocks.push({ time, txs });
      }
      const { values } = series(blocks, time);
      const total = steps.flatMap(({ txs }) => txs).length;
      for (const timeInterval of ['hour', 'day', 'week', 'month'])
        expect(sumOf(await values('txCount', { timeInterval, pageSize: 2160 }))).toBe(total);
      const counts = await values('txCount');
      expect(await values('cumulativeTxCount', { pageSize: 7 })).toEqual(counts.map((_, i) => sumOf(counts.slice(i))));
      const addresses = await values('cumulativeAddresses', { pageSize: 11 });
      const allAddresses = new Set(blocks.flatMap(({ txs }) => txs.flatMap(({ from, to }) => [...from, ...to])));
      expect(addresses[0]).toBe(allAddresses.size);
      expect(addresses).toEqual(addresses.toSorted((a, b) => b - a));
    }),
    { numRuns: 60 },
  );
});
