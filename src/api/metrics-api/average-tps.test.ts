import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createMetricsApi, idAt, type ModelBlock, modelServedChains, pagesOf } from '../../../test/metrics-model.ts';
import { idText } from '../../base/bytes/id.ts';

const at = (text: string) => Date.parse(text) / 1000;
const day = 86_400;
const genesis: ModelBlock = { time: at('2020-12-05T05:00:00Z'), txs: [{ from: [], to: ['rich'], fee: 0n }] };
const block = (time: number, txs: number): ModelBlock => ({
  time,
  txs: Array.from({ length: txs }, () => ({ from: ['a'], to: ['b'], fee: 1n })),
});

const ask = (blocks: readonly ModelBlock[], now: number, chain = 'X') =>
  createMetricsApi(modelServedChains(blocks, () => now))(`/v1/avg_tps/${chain}`);

describe('days', () => {
  const monday = at('2026-11-16T00:00:00Z');
  const blocks = [
    genesis,
    block(monday + 100, 3),
    block(monday + day - 1, 2),
    block(monday + 3 * day, 12),
    block(monday + 3 * day + 50, 1),
  ];

  test('newest first, from the day of block 1 until today, days without blocks as 0', async () => {
    const { json, text } = await ask(blocks, monday + 3 * day + 130);
    const newest = 13 / 130;
    expect(json).toEqual({
      results: [
        { timestamp: monday + 3 * day, value: newest },
        { timestamp: monday + 2 * day, value: 0 },
        { timestamp: monday + day, value: 0 },
        { timestamp: monday, value: 5 / day },
      ],
      status: 200,
      lastRun: monday + 3 * day + 130,
    });
    expect(text).toStartWith(`{"results":[{"timestamp":${monday + 3 * day},"value":${newest}},`);
  });

  test('lastRun is now, or the time of the last block while the followed node is unavailable', async () => {
    const now = monday + 5 * day;
    const served = modelServedChains(blocks, () => now);
    const [x, ...others] = served.chains;
    const unavailable = { ...served, chains: [{ ...x, status: () => 'UNAVAILABLE' as const }, ...others] as const };
    expect((await createMetricsApi(served)('/v1/avg_tps/X')).json.lastRun).toBe(now);
    expect((await createMetricsApi(unavailable)('/v1/avg_tps/X')).json.lastRun).toBe(monday + 3 * day + 50);
  });

  test('today has a point without blocks', async () => {
    const { json } = await ask(blocks, monday + 4 * day);
    expect(json.results.slice(0, 2)).toEqual([
      { timestamp: monday + 4 * day, value: 0 },
      { timestamp: monday + 3 * day, value: 13 / day },
    ]);
    expect(json.lastRun).toBe(monday + 4 * day);
  });

  test('a block of another year changes no other day', async () => {
    const { json } = await ask([genesis, block(at('2020-12-06T00:00:00Z'), 1), block(monday + 3600, 1108)], monday + 7200);
    expect(json.results[0]).toEqual({ timestamp: monday, value: 1108 / 7200 });
  });

  test('in the first second of a day, and with a block ahead of the local clock', async () => {
    const fresh = [genesis, block(monday, 4)];
    expect((await ask(fresh, monday)).json.results).toEqual([{ timestamp: monday, value: 4 }]);
    expect((await ask(fresh, monday - 7)).json.results).toEqual([{ timestamp: monday, value: 4 }]);
  });

  test('accepts every name of the chain; other names are not found', async () => {
    const expected = (await ask(blocks, monday + day)).text;
    for (const chain of ['x-chain', idText(idAt(7)), 'Y', '%58']) expect((await ask(blocks, monday + day, chain)).text).toBe(expected);
    for (const chain of ['', 'x', 'Z', '43114', '..%2FX', 'total']) expect((await ask(blocks, monday, chain)).status).toBe(404);
    expect((await ask(blocks, monday, 'p-chain')).json).toEqual({
      statusCode: 404,
      message: 'This server has no P-Chain data. This server serves chains of the AVM: x-chain, Y',
      error: 'Not Found',
    });
  });
});

test('without a block 1 there are no results', async () => {
  expect((await ask([genesis], at('2026-11-16T12:00:00Z'))).json).toEqual({
    results: [],
    status: 200,
    lastRun: at('2026-11-16T12:00:00Z'),
  });
});

test('pages of 100 days have no duplicates and no gaps while blocks arrive and midnight passes', async () => {
  const first = at('2023-12-20T13:00:00Z');
  const begun = at('2024-10-01T23:59:59Z');
  const days = (begun + 1 - (first - (first % day))) / day;
  const blocks = [genesis, block(first, 1)];
  for (let time = first + day; time < begun; time += 3 * day) blocks.push(block(time, 2));
  let now = begun;
  const pages = await pagesOf(async (target) => {
    const response = await createMetricsApi(modelServedChains([...blocks], () => now))(target);
    blocks.push(block(++now, 5));
    return response;
  }, '/v1/avg_tps/X');
  expect(pages.map(({ json }) => json.results.length)).toEqual([100, 100, days - 200]);
  const points = pages.flatMap(({ json }) => json.results as { timestamp: number; value: number }[]);
  expect(points.map(({ timestamp }) => timestamp)).toEqual(Array.from({ length: days }, (_, back) => at('2024-10-01') - back * day));
  const onDay = (text: string) => points.find(({ timestamp }) => timestamp === at(text))?.value;
  expect([onDay('2024-02-28'), onDay('2024-02-29'), onDay('2024-03-01'), onDay('2024-03-02')]).toEqual([2 / day, 0, 0, 2 / day]);
});

test('a page token of another chain, or an invalid one, is rejected', async () => {
  const now = at('2024-10-01');
  const api = createMetricsApi(modelServedChains([genesis, block(now - 200 * day, 1)], () => now));
  const token = (await api('/v1/avg_tps/X')).json.nextPageToken;
  expect((await api(`/v1/avg_tps/X?pageToken=${token}`)).json.results.length).toBe(100);
  expect((await api(`/v1/avg_tps/Y?pageToken=${token}`)).status).toBe(400);
  expect((await api('/v1/avg_tps/X?pageToken=2')).status).toBe(400);
});

test('for random block times the points equal avgTps of /v2 and add up to the number of transactions', async () => {
  const step = fc.record({ gap: fc.integer({ min: 0, max: 5 * day }), txs: fc.integer({ min: 0, max: 4 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), fc.integer({ min: 0, max: 3 * day }), async (steps, rest) => {
      let time = at('2024-02-20T00:00:00Z');
      const blocks = [genesis];
      for (const { gap, txs } of steps) {
        time += gap;
        blocks.push(block(time, txs));
      }
      const now = time + rest;
      const api = createMetricsApi(modelServedChains(blocks, () => now));
      const points = (await pagesOf(api, '/v1/avg_tps/X')).flatMap(({ json }) => json.results as { timestamp: number; value: number }[]);
      const later = (await pagesOf(api, '/v2/chains/X/metrics/avgTps?pageSize=7')).flatMap(({ json }) => json.results);
      expect(points).toEqual(later.map(({ timestamp, value }) => ({ timestamp, value })));
      const today = now - (now % day);
      const secondsOf = (timestamp: number) => (timestamp < today ? day : Math.max(1, now - today));
      const sum = points.reduce((total, { timestamp, value }) => total + value * secondsOf(timestamp), 0);
      expect(Math.round(sum * 1e6) / 1e6).toBe(steps.reduce((total, { txs }) => total + txs, 0));
    }),
    { numRuns: 100 },
  );
});
