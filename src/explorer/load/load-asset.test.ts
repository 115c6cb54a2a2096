import { expect, test } from 'bun:test';
import { loadAsset } from './load-asset.ts';
import { createTestSource, testChainPath, testContext } from './test-source.fixture.ts';

/** The days and the range of the plot of an asset whose last transaction is so many seconds after its first. */
async function plotOf(age: number, range: string | null) {
  const { source, asked } = createTestSource((path) => {
    if (path.includes('/holders')) return { holderList: Array.from({ length: 12 }, (_, i) => i) };
    if (path.includes('/days')) return { days: [] };
    if (path.includes('/transaction-summaries')) return { transactions: [], nextPageToken: undefined };
    return { unitType: 'secp256k1', nftSupply: '0', createdAtTimestamp: 1000, lastActivityTimestamp: 1000 + age };
  });
  const data = await loadAsset(source, testContext, 'a', { query: new URLSearchParams(), rows: undefined, range, groups: undefined });
  expect([data?.holders.holderList.length, data?.nfts]).toEqual([10, undefined]);
  const days = asked.find((path) => path.includes('/days'))?.replace(`${testChainPath}/assets/a/days?days=`, '');
  return [Number(days), data?.range];
}

const day = 86_400;

test('the plot of a young asset begins at its first day, and has at least seven', async () => {
  expect(await plotOf(0, null)).toEqual([7, undefined]);
  expect(await plotOf(10 * day, null)).toEqual([11, undefined]);
  expect(await plotOf(10 * day + 1, null)).toEqual([12, undefined]);
  expect(await plotOf(29 * day, null)).toEqual([30, '30d']);
  expect(await plotOf(900 * day, null)).toEqual([30, '30d']);
});

test('a range that is asked for is shown as a whole', async () => {
  expect(await plotOf(0, '30d')).toEqual([30, '30d']);
  expect(await plotOf(0, '1y')).toEqual([365, '1y']);
  expect(await plotOf(0, 'toString')).toEqual([30, '30d']);
});

test('an unknown asset has no page', async () => {
  const query = { query: new URLSearchParams(), rows: undefined, range: null, groups: undefined };
  expect(await loadAsset(createTestSource(() => undefined).source, testContext, 'a', query)).toBeUndefined();
});
