import { expect, test } from 'bun:test';
import { loadChoices } from './dev-choices.ts';
import type { PageContext } from './page-context.ts';
import { testChainPath as base, createTestSource, testContext } from './test-source.fixture.ts';

const context = { ...testContext, chain: { slug: 'x', alias: 'X', feeAsset: 'avax' } } as unknown as PageContext;
const asset = (assetId: string) => ({
  assetId,
  symbol: assetId,
  name: assetId,
  denomination: 0,
  unitType: 'secp256k1',
  supply: '1',
  minters: [],
  txCount: 9,
});

test('the asset of the fees is offered first, also if it is not among the newest, with the number of its transactions', async () => {
  for (const newest of [
    ['c', 'b'],
    ['c', 'avax'],
  ]) {
    const { source } = createTestSource((path) => {
      if (path.startsWith(`${base}/assets?`)) return { assets: newest.map(asset) };
      return path === `${base}/assets/avax` ? asset('avax') : undefined;
    });
    const { assets, txCount } = await loadChoices(source, context, [], []);
    expect([assets.map(({ assetId }) => assetId), txCount]).toEqual([['avax', ...newest.filter((id) => id !== 'avax')], 9]);
  }
});
