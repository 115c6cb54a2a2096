import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createMetricsApi, type ModelBlock, modelServedChains } from '../../../test/metrics-model.ts';
import { budgetFor } from '../../base/cache/budget.fixture.ts';
import { metricMeanings, metricNames } from '../contract/metrics.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { createSeriesCache } from './series-cache.ts';

const genesis: ModelBlock = { time: 1_600_000_000, txs: [{ from: [], to: ['rich'], fee: 0n }] };

/** Gaps from less than an hour to several days, and names that repeat. */
const blockSteps = fc.array(fc.tuple(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 0, max: 5 })), {
  minLength: 1,
  maxLength: 12,
});

const blocksOf = (steps: readonly (readonly [number, number])[]): ModelBlock[] => {
  let time = 1_700_000_000;
  return [
    genesis,
    ...steps.map(([gap, owner]) => {
      time += gap;
      return { time, txs: [{ from: [`a${owner}`], to: [`b${owner}`, 'c'], fee: BigInt(owner) * 10n ** 18n }] };
    }),
  ];
};

const targets = [
  '/v1/avg_tps/X',
  ...metricNames.flatMap((name) => [
    ...metricMeanings[name].units.map((unit) => `/v2/chains/X/metrics/${name}?timeInterval=${unit}&pageSize=30`),
    `/v2/chains/X/metrics/${name}?startTimestamp=1700100000`,
    `/v2/chains/X/rollingWindowMetrics/${name}`,
  ]),
];

test('responses with the cache equal those without it, while blocks arrive and after a revert', async () => {
  await fc.assert(
    fc.asyncProperty(blockSteps, blockSteps, async (steps, afterRevert) => {
      const seriesCache = createSeriesCache(budgetFor('points', 100_000));
      const compare = async (blocks: readonly ModelBlock[], epoch: number) => {
        const served = modelServedChains(blocks, () => 1_702_500_000);
        const [x, ...others] = served.chains;
        const chains: readonly [ServedChain, ...ServedChain[]] = [{ ...x, epoch: () => epoch }, ...others];
        const [cached, plain] = [createMetricsApi({ ...served, chains, seriesCache }), createMetricsApi(served)];
        for (const target of targets) expect((await cached(target)).text).toBe((await plain(target)).text);
      };
      const blocks = blocksOf(steps);
      for (let height = 0; height < blocks.length; height++) await compare(blocks.slice(0, height + 1), 0);
      await compare([...blocksOf(afterRevert)], 1);
    }),
    { numRuns: 8 },
  );
});

test('texts are made once per epoch, and evicted by size', async () => {
  const cache = createSeriesCache(budgetFor('points', 4000));
  const [x] = modelServedChains([genesis], () => 0).chains;
  let made = 0;
  const ask = (epoch: number, key: string) =>
    cache.getOrMake({ ...x, epoch: () => epoch }, key, async () => {
      made++;
      return 'x'.repeat(500);
    });
  await ask(0, 'a');
  await ask(0, 'a');
  expect(made).toBe(1);
  await ask(1, 'a');
  expect(made).toBe(2);
  for (let i = 0; i < 10; i++) await ask(1, `other ${i}`);
  made = 0;
  await ask(1, 'a');
  expect(made).toBe(1);
});
