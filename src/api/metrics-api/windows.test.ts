import { expect, test } from 'bun:test';
import { createMetricsApi, type ModelBlock, type ModelTx, modelServedChains } from '../../../test/metrics-model.ts';
import { metricNames } from '../contract/metrics.ts';

const day = 86_400;
const now = Date.parse('2026-11-16T12:00:00Z') / 1000;
const genesis: ModelBlock = { time: Date.parse('2020-12-05T05:00:00Z') / 1000, txs: [{ from: [], to: ['rich', 'old'], fee: 0n }] };
const tx = (from: string, to: string, fee = 1n): ModelTx => ({ from: [from], to: [to], fee });

const ask = (blocks: readonly ModelBlock[], metric: string) =>
  createMetricsApi(modelServedChains(blocks, () => now))(`/v2/chains/x-chain/rollingWindowMetrics/${metric}`);
const valuesOf = async (blocks: readonly ModelBlock[], metric: string) => Object.values((await ask(blocks, metric)).json.result);

test('windows are exact to the second: the first second is inside, the one before is not', async () => {
  const windows = { lastHour: 3600, lastDay: day, lastWeek: 7 * day, lastMonth: 30 * day, last90Days: 90 * day, lastYear: 365 * day };
  for (const [name, seconds] of Object.entries(windows)) {
    const inside = (await ask([genesis, { time: now - seconds + 1, txs: [tx('rich', 'a')] }], 'txCount')).json.result;
    const outside = (await ask([genesis, { time: now - seconds, txs: [tx('rich', 'a')] }], 'txCount')).json.result;
    expect([inside[name], outside[name], outside.allTime]).toEqual([1, 0, 1]);
    expect(Object.keys(inside)).toEqual([...Object.keys(windows), 'allTime']);
  }
});

test('every metric has a value for every window', async () => {
  const blocks: ModelBlock[] = [
    genesis,
    { time: now - 400 * day, txs: [tx('old', 'a', 5n)] },
    { time: now - 100 * day, txs: [tx('rich', 'a', 7n)] },
    { time: now - 2 * day, txs: [tx('rich', 'b', 11n), tx('rich', 'b', 2n ** 64n)] },
    { time: now - 10, txs: [tx('b', 'c')] },
    { time: now, txs: [tx('c', 'b'), tx('b', 'c'), tx('b', 'c')] },
  ];
  expect(await valuesOf(blocks, 'txCount')).toEqual([4, 4, 6, 6, 6, 7, 8]);
  expect(await valuesOf(blocks, 'cumulativeTxCount')).toEqual([4, 4, 6, 6, 6, 7, 8]);
  expect(await valuesOf(blocks, 'activeAddresses')).toEqual([2, 2, 3, 3, 3, 4, 5]);
  expect(await valuesOf(blocks, 'activeSenders')).toEqual([2, 2, 3, 3, 3, 3, 4]);
  expect(await valuesOf(blocks, 'cumulativeAddresses')).toEqual([1, 1, 2, 2, 2, 2, 5]);
  expect(await valuesOf(blocks, 'maxTps')).toEqual([0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 1]);
  const averages = [4 / 3600, 4 / day, 6 / (7 * day), 6 / (30 * day), 6 / (90 * day), 7 / (365 * day), 8 / (400 * day + 1)];
  expect(await valuesOf(blocks, 'avgTps')).toEqual(averages);
  expect((await ask(blocks, 'feesPaid')).text).toEndWith('"lastYear":18446744073709551638,"allTime":18446744073709551643}}');
});

test('averages divide by the window length even if the chain is younger; for all time by the age of the chain', async () => {
  const young: ModelBlock[] = [genesis, { time: now - 99, txs: [tx('rich', 'a'), tx('rich', 'a')] }];
  const seconds = [3600, day, 7 * day, 30 * day, 90 * day, 365 * day, 100];
  expect(await valuesOf(young, 'avgTps')).toEqual(seconds.map((length) => 2 / length));
});

test('a block ahead of the local clock is in every window', async () => {
  expect(await valuesOf([genesis, { time: now + 9, txs: [tx('rich', 'a')] }], 'txCount')).toEqual([1, 1, 1, 1, 1, 1, 1]);
});

test('without blocks every value is 0, except the number of genesis addresses', async () => {
  for (const metric of metricNames)
    expect(await valuesOf([genesis], metric)).toEqual([0, 0, 0, 0, 0, 0, metric === 'cumulativeAddresses' ? 2 : 0]);
});

test('other metrics and other chains are rejected', async () => {
  expect((await ask([genesis], 'gasUsed')).status).toBe(400);
  expect((await ask([genesis], 'nothing')).status).toBe(400);
  expect((await createMetricsApi(modelServedChains([genesis], () => now))('/v2/chains/43114/rollingWindowMetrics/txCount')).status).toBe(
    404,
  );
});
