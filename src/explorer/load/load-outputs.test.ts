import { expect, test } from 'bun:test';
import { loadOutputs, outputsUrl } from './load-outputs.ts';
import { createTestSource, testChainPath, testContext } from './test-source.fixture.ts';

const utxo = (assetId: string) => ({
  utxoId: `of ${assetId}`,
  utxoBytes: '0x',
  asset: { assetId, symbol: assetId.toUpperCase(), amount: '1' },
});

/** Loads a list by the query of its page's URL. */
async function load(text: string, page?: string) {
  const { source, asked } = createTestSource((path) =>
    path.includes('/balances') ? { balances: { unlocked: [utxo('a').asset] } } : { utxos: [utxo('b'), utxo('a')], nextPageToken: 'next' },
  );
  const data = await loadOutputs(source, testContext, 'X-me', { query: new URLSearchParams(text), page, rows: undefined });
  return { data, asked };
}

test('the choices of a URL are those of the request, and unknown ones are the default', async () => {
  const { data, asked } = await load('set=other&asset=');
  expect(data.filter).toEqual({ set: 'own', state: 'unspent', sort: 'timestamp', order: 'desc', asset: undefined });
  expect(asked).toEqual([
    `${testChainPath}/utxos?addresses=X-me&pageSize=50&sortBy=timestamp&sortOrder=desc`,
    `${testChainPath}/balances?addresses=X-me`,
  ]);
  expect([data.next, data.assets.map(({ symbol }) => symbol), data.utxos.map((one) => 'utxoBytes' in one)]).toEqual([
    'next',
    ['A', 'B'],
    [false, false],
  ]);
  const other = await load('set=shared&state=all&sort=amount&order=asc&asset=b', 'token');
  expect(other.asked[0]).toBe(
    `${testChainPath}/shared-utxos?addresses=X-me&pageSize=50&sortBy=amount&sortOrder=asc&includeSpent=true&assetId=b&pageToken=token`,
  );
});

test('a URL has the choices that are not the default', async () => {
  const { filter } = (await load('')).data;
  expect(outputsUrl('X-me', filter)).toBe('/outputs/X-me');
  expect(outputsUrl('X-me', filter, { state: 'all' })).toBe('/outputs/X-me?state=all');
  expect(outputsUrl('X-me', { ...filter, set: 'shared' }, { asset: 'b' }, 'token')).toBe('/outputs/X-me?set=shared&asset=b&page=token');
});
