import { expect, test } from 'bun:test';
import { loadHolders } from './load-holders.ts';
import { createTestSource, testContext } from './test-source.fixture.ts';

/** A page of an asset whose holder of rank n has `total - n + 1`. */
async function load(total: number, query: string) {
  const { source, asked } = createTestSource((path) => {
    if (!path.includes('/holders')) return { assetId: 'a', type: 'secp256k1', supply: '100000', nftSupply: '0' };
    const params = new URLSearchParams(path.slice(path.indexOf('?')));
    const start = Number(params.get('startRank') ?? 1);
    const holderList = Array.from({ length: Math.min(Number(params.get('pageSize')), total - start + 1) }, (_, i) => ({
      rank: start + i,
      amount: String(total - start - i + 1),
      nfts: 0,
    }));
    return { holders: total, heldSupply: '90000', holderList };
  });
  const data = await loadHolders(source, testContext, 'a', { query: new URLSearchParams(query), rows: undefined });
  return { data: data as NonNullable<typeof data>, asked };
}

test('holders by rank: pages, and what the largest have together', async () => {
  const { data: first, asked } = await load(230, '');
  expect(asked).toHaveLength(2);
  expect(first.holders.holderList.map(({ rank }) => rank)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  expect(first.largest).toEqual([
    { count: 1, amount: '230' },
    { count: 10, amount: '2255' },
    { count: 100, amount: '18050' },
  ]);
  expect(first.pager).toEqual({
    position: { first: 1, last: 50 },
    total: 230,
    links: { older: '/holders/a?rank=51', last: '/holders/a?rank=201' },
  });
  const { data: last } = await load(230, 'rank=999');
  expect([last.holders.holderList[0]?.rank, last.pager.position]).toEqual([201, { first: 201, last: 230 }]);
  expect(last.pager.links).toEqual({ first: '/holders/a', newer: '/holders/a?rank=151' });
  expect((await load(230, 'rank=77')).data.holders.holderList[0]?.rank).toBe(51);
});

test('groups that are all holders are left out', async () => {
  expect((await load(10, '')).data.largest.map(({ count }) => count)).toEqual([1]);
  expect((await load(11, '')).data.largest.map(({ count }) => count)).toEqual([1, 10]);
});
