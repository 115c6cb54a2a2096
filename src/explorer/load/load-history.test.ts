import { expect, test } from 'bun:test';
import { isFiltered, loadHistory } from './load-history.ts';
import { testChainPath as base, createTestSource, testContext } from './test-source.fixture.ts';

/** An ID as the URLs have it. */
const id = (letter: string): string => letter.repeat(40);
const [gold, silver] = [id('G'), id('S')];

/** A transaction that gives `ann` one of an asset. */
const txOf = (txHash: string, assetId: string) => ({
  txHash,
  consumedUtxos: [],
  emittedUtxos: [{ addresses: ['ann'], utxoType: 'transfer', asset: { assetId, type: 'secp256k1', amount: '1' } }],
});
const lineOf = (txHash: string) => ({ txHash, txType: 'BaseTx', blockNumber: '5', timestamp: 9, summary: `of ${txHash}` });

/** The history of `ann` at a URL. `pages`: pages of transactions, of which each but the last has a token. */
async function load(
  query: string,
  pages: readonly (readonly ReturnType<typeof txOf>[])[],
  { lines = [] as string[], hasMore = false } = {},
) {
  const { source, asked } = createTestSource((path) => {
    if (path.startsWith(`${base}/transactions?`)) {
      const page = Number(/&pageToken=(\d+)/.exec(path)?.[1] ?? 0);
      const isLast = page === pages.length - 1 && !hasMore;
      return { transactions: pages[Math.min(page, pages.length - 1)], nextPageToken: isLast ? undefined : `${page + 1}` };
    }
    const named = /txHashes=(.*)$/.exec(path)?.[1]?.split(',');
    return { transactions: (named ?? lines).map(lineOf), totalCount: 70, newerCount: 30 };
  });
  const url = new URLSearchParams(query);
  return { ...(await loadHistory(source, testContext, { address: 'X-ann', query: url, rows: 2 })), asked };
}

test('filters of the URL are asked of the route: types, and days of which the last is included', async () => {
  const query = `kind=Cross-chain&since=2026-01-01&until=2026-01-02&moved=${gold}&show=out&zz=1`;
  const { history, asked } = await load(query, [[]]);
  expect(asked).toEqual([
    `${base}/transactions?addresses=X-ann&txTypes=ImportTx&txTypes=ExportTx&startTimestamp=1767225600&endTimestamp=1767398400&sortOrder=desc&pageSize=2`,
  ]);
  expect(history.filter).toEqual({ kind: 'Cross-chain', from: '2026-01-01', to: '2026-01-02', asset: gold, show: 'out' });
  expect(history.params).toBe(`kind=Cross-chain&since=2026-01-01&until=2026-01-02&moved=${gold}&show=out`);
});

test('a value that is no filter is none', async () => {
  const { history } = await load('kind=toString&since=yesterday&until=2026-1-2&moved=0OIl&show=up', [[]]);
  expect(history.filter).toEqual({ kind: '', from: '', to: '', asset: '', show: 'all' });
  expect(isFiltered(history.filter)).toBe(false);
  for (const [name, value] of [
    ['kind', 'Transfer'],
    ['from', '2026-01-01'],
    ['to', '2026-01-01'],
    ['asset', gold],
  ] as const)
    expect(isFiltered({ ...history.filter, [name]: value })).toBe(true);
});

test('all transactions have their numbers in the list, and the summaries of those that the list of lines has not', async () => {
  const { history, asked, isFirst, hasOlder } = await load('', [[txOf(id('a'), gold), txOf(id('b'), gold)], []], { lines: [id('a')] });
  expect(asked.filter((path) => path.includes('txHashes'))).toEqual([`${base}/transaction-summaries?txHashes=${id('b')}`]);
  expect(history.summaries).toEqual({ [id('a')]: `of ${id('a')}`, [id('b')]: `of ${id('b')}` } as never);
  expect([history.searched, isFirst, hasOlder]).toEqual([undefined, true, true]);
  expect(history.pager).toMatchObject({
    ...{ total: 70, position: { first: 1, last: 2 } },
    links: { older: `/address/X-ann?older=${id('b')}`, last: '/address/X-ann?last=1' },
  });
});

test('the last page is listed oldest first by the route, and newest first here', async () => {
  const { history, asked } = await load('last=1', [[txOf(id('a'), gold), txOf(id('b'), gold)]]);
  expect(asked[0]).toContain('&sortOrder=asc&pageSize=2');
  expect(history.txs.map(({ txHash }) => txHash)).toEqual([id('b'), id('a')]);
});

test('transactions with one asset are looked for page by page until there are enough', async () => {
  const pages = [[txOf(id('a'), silver), txOf(id('b'), gold)], [txOf(id('c'), gold), txOf(id('d'), silver)], [txOf(id('e'), gold)]];
  const { history, asked, hasOlder } = await load(`moved=${gold}`, pages);
  expect(history.txs.map(({ txHash }) => txHash)).toEqual([id('b'), id('c')]);
  expect([history.searched, hasOlder]).toEqual([4, true]);
  // The next page begins behind the last transaction that was read, not behind the last one with the asset.
  expect(history.pager.links.older).toBe(`/address/X-ann?moved=${gold}&older=${id('d')}`);
  expect(asked.slice(0, 2).map((path) => path.split('&pageToken=')[1])).toEqual([undefined, '1']);
});

test('of a rare asset at most twenty pages are read, and the reader sees how many transactions were searched', async () => {
  const { history, asked, hasOlder } = await load(`moved=${gold}`, [[txOf(id('a'), silver), txOf(id('b'), silver)]], { hasMore: true });
  expect([history.txs, history.searched, asked.length, hasOlder]).toEqual([[], 40, 20, true]);
});
