import { describe, expect, test } from 'bun:test';
import { loadAssets } from './load-assets.ts';
import { loadBlock } from './load-block.ts';
import { isUnused, loadHome, type TapeBlock, txsByKind, txsPerSecond } from './load-home.ts';
import { loadMempool } from './load-mempool.ts';
import { loadNfts } from './load-nfts.ts';
import type { PageContext } from './page-context.ts';
import { testChainPath as base, createTestSource, testContext } from './test-source.fixture.ts';
import type { TxRow } from './tx-row.ts';

const context = {
  ...testContext,
  chain: { slug: 'x', id: 'idX', alias: 'X', feeAsset: 'avax', rpcUrl: '/ext/bc/X' },
  has: { metrics: false, rpc: true, dev: false },
  operations: [],
} as unknown as PageContext;

describe('the first page', () => {
  const block = { blockNumber: '7', blockHash: 'h', blockTimestamp: 70, txCount: 2, txCountByType: { BaseTx: 2 }, bytes: 300, fill: 0.25 };
  const answers: Readonly<Record<string, unknown>> = {
    '/block-summaries?pageSize=100': { blocks: [block] },
    '/throughput?seconds=60': { seconds: [{ timestamp: 70, txCountByType: { BaseTx: 2 } }], lastBlockNumber: '7' },
    '/mempool?pageSize=1': { txCount: 3, bytes: 900 },
    '/cross-chain/balances': { outbound: [{ utxoCount: 2 }, { utxoCount: 5 }], inbound: [{ utxoCount: 1 }], isComplete: false },
  };
  const load = (changes: object = {}, more: Readonly<Record<string, unknown>> = {}) => {
    const all: Readonly<Record<string, unknown>> = { ...answers, ...more };
    const { source, asked } = createTestSource((path) => {
      if (path.startsWith('/v2/')) return { result: { lastDay: path.length, allTime: 5 } };
      return all[path.replace(base, '')] ?? { transactions: [] };
    });
    return loadHome(source, { ...context, ...changes } as PageContext).then((data) => ({ data, asked }));
  };

  test('has blocks, seconds, the size of a full block and what waits in shared memory', async () => {
    const { data } = await load();
    expect(data).toMatchObject({
      ...{
        blocks: [{ height: 7, id: 'h', time: 70, txs: 2, kinds: { BaseTx: 2 }, bytes: 300 }],
        seconds: [[70, { BaseTx: 2 }]],
        countedTo: 7,
      },
      ...{ pending: undefined, blockLimit: 1200, figures: undefined, crossChain: { outbound: 7, inbound: 1, isComplete: false } },
    });
    const empty = { '/block-summaries?pageSize=100': { blocks: [] }, '/cross-chain/balances': { outbound: [], isComplete: true } };
    expect((await load({}, empty)).data).toMatchObject({
      blockLimit: 0,
      crossChain: { outbound: 0, inbound: undefined, isComplete: true },
    });
  });

  test('has the mempool and figures where the server has them', async () => {
    const { data } = await load({ operations: ['listMempool'], has: { metrics: true } });
    const path = (metric: string): number => `/v2/chains/X/rollingWindowMetrics/${metric}`.length;
    expect([data.pending, data.figures]).toEqual([
      { count: 3, bytes: 900 },
      { txsDay: path('txCount'), txsAll: 5, addresses: 5, activeDay: path('activeAddresses'), feesDay: path('feesPaid') },
    ]);
  });

  test('is that of an unused chain if it has only what is there from the start', () => {
    const blocks = [
      { height: 1, time: 5 },
      { height: 0, time: 5 },
    ] as TapeBlock[];
    const row = (height: number, time: number): TxRow => ({ height, time }) as TxRow;
    expect([isUnused(blocks, []), isUnused(blocks, [row(0, 5), row(1, 5)])]).toEqual([true, true]);
    expect([isUnused(blocks, [row(1, 6)]), isUnused(blocks, [row(2, 5)]), isUnused([], [row(1, 5)])]).toEqual([false, false, false]);
  });

  test('counts the transactions of the last sixty seconds', () => {
    const counts = new Map([
      [40, { BaseTx: 9 }],
      [41, { BaseTx: 1 }],
      [99, { BaseTx: 2, ImportTx: 3 }],
      [100, { ImportTx: 4 }],
      [101, { BaseTx: 9 }],
    ]);
    const seconds = txsPerSecond(counts as never, 100.9);
    expect([seconds.length, seconds[0], seconds[58], seconds[59], seconds.reduce((sum, one) => sum + one)]).toEqual([60, 1, 5, 4, 10]);
    expect(txsByKind(counts as never, 100.9)).toEqual({ BaseTx: 3, ImportTx: 7 });
  });
});

describe('the page of a block', () => {
  const txs = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      txHash: `t${from + i}`,
      txType: 'BaseTx',
      inputCount: 1,
      outputCount: 2,
      moved: '5',
      burned: '1',
      sizeBytes: 300,
    }));
  const load = async (count: number, from: string | null = null, changes: object = {}) => {
    const block = {
      blockNumber: '7',
      blockHash: 'h',
      blockTimestamp: 70,
      txCount: count,
      transactions: txs(0, count).map(({ txHash }) => txHash),
    };
    const { source, asked } = createTestSource(
      (path) => {
        const place = path.replace(base, '');
        if (place === '/blocks/7') return block;
        if (place === '/transactions/t0') return { txHash: 't0', consumedUtxos: [], emittedUtxos: [] };
        const [, size, token = '0'] = /^\/blocks\/7\/transactions\?pageSize=(\d+)(?:&pageToken=(\d+))?$/.exec(place) ?? [];
        if (size === undefined) return undefined;
        const end = Math.min(count, Number(token) + Math.min(Number(size), 400));
        return { transactions: txs(Number(token), end - Number(token)), nextPageToken: end < count ? `${end}` : undefined };
      },
      { 'avm.getBlock': { block: { merkleRoot: 'root' } } },
    );
    const data = await loadBlock(source, { ...context, ...changes } as PageContext, '7', from);
    return { data, asked };
  };
  const rowsOf = (data: Awaited<ReturnType<typeof load>>['data']) => [
    data?.rows.length,
    data?.rows[0]?.line.id,
    data?.first,
    data?.txs.length,
  ];

  test('has the first fifty transactions, or those of the page with the wanted one', async () => {
    expect(rowsOf((await load(120)).data)).toEqual([50, 't0', 0, 120]);
    expect(rowsOf((await load(120, '49')).data)).toEqual([50, 't0', 0, 120]);
    expect(rowsOf((await load(120, '50')).data)).toEqual([50, 't50', 50, 120]);
    expect(rowsOf((await load(120, '119')).data)).toEqual([20, 't100', 100, 120]);
    for (const from of ['120', '-1', 'x', '1234567890']) expect(rowsOf((await load(120, from)).data)).toEqual([50, 't0', 0, 120]);
  });

  test('has at most 600 transactions in its map, read page by page as far as needed', async () => {
    const { data, asked } = await load(1500);
    expect([data?.txs.length, asked.filter((path) => path.includes('pageToken')).length]).toEqual([600, 1]);
    expect(rowsOf((await load(1500, '1499')).data)).toEqual([50, 't1450', 1450, 600]);
  });

  test('has the Merkle root of up to a hundred transactions, and the transaction of a block with one', async () => {
    expect([(await load(100)).data?.merkleRoot, (await load(101)).data?.merkleRoot, (await load(1)).data?.merkleRoot]).toEqual([
      'root',
      undefined,
      'root',
    ]);
    expect((await load(1, null, { has: { rpc: false } })).data?.merkleRoot).toBeUndefined();
    expect([(await load(1)).data?.only?.txHash, (await load(2)).data?.only, (await load(1)).data?.hasNext]).toEqual([
      't0',
      undefined,
      false,
    ]);
  });
});

describe('lists', () => {
  test('of waiting transactions by rank, and of dropped ones without their content', async () => {
    const waiting = Array.from({ length: 230 }, (_, i) => `w${i + 1}`);
    const load = async (query: string, rows?: number) => {
      const { source, asked } = createTestSource((path) => {
        if (path === `${base}/dropped-transactions?pageSize=50`) return { transactions: [{ txHash: 'd', transaction: 'content' }] };
        const { searchParams } = new URL(path, 'http://node');
        const [from, size] = [Number(searchParams.get('pageToken') ?? 0), Number(searchParams.get('pageSize'))];
        const end = from + size;
        return {
          txCount: waiting.length,
          transactions: waiting.slice(from, end),
          nextPageToken: end < waiting.length ? `${end}` : undefined,
        };
      });
      const { mempool, drops, dev } = await loadMempool(source, context, new URLSearchParams(query), rows);
      return {
        listed: [mempool.transactions.length, mempool.transactions[0], mempool.transactions.at(-1)] as unknown[],
        drops,
        dev,
        pages: asked.length - 1,
      };
    };
    expect(await load('')).toEqual({ listed: [50, 'w1', 'w50'], drops: [{ txHash: 'd' }], dev: undefined, pages: 1 } as never);
    expect(await load('rank=151')).toMatchObject({ listed: [50, 'w151', 'w200'], pages: 2 });
    expect(await load('rank=201')).toMatchObject({ listed: [30, 'w201', 'w230'], pages: 3 });
  });

  test.each([300, 619])(
    'of assets: the own one first, also if it is the oldest, then by holders or transactions, of at most 500',
    async (own) => {
      const assets = Array.from({ length: 620 }, (_, i) => ({ assetId: i === own ? 'avax' : `a${i}`, holders: i % 7, txCount: i }));
      const { source } = createTestSource((path) => {
        if (path.startsWith(`${base}/assets/avax`)) return path.includes('/holders') ? { holders: 3 } : { assetId: 'avax', txCount: 619 };
        const { searchParams } = new URL(path, 'http://node');
        const from = Number(searchParams.get('pageToken') ?? 0);
        return { assets: assets.slice(from, from + 100), nextPageToken: from + 100 < assets.length ? `${from + 100}` : undefined };
      });
      const load = async (query: string) => {
        const { assets: found, sort, sorted } = await loadAssets(source, context, new URLSearchParams(query), 3);
        return [found.map(({ assetId }) => assetId).join(), sort, sorted];
      };
      expect(await load('')).toEqual(['avax,a6,a13', 'holders', 500]);
      expect([await load('sort=transactions'), await load('sort=toString')]).toEqual([
        ['avax,a499,a498', 'transactions', 500],
        ['avax,a6,a13', 'holders', 500],
      ]);
    },
  );

  test('of NFT groups with the owners of what was minted', async () => {
    const utxo = (groupId: number | undefined, utxoType: string, ...addresses: string[]) => ({
      groupId,
      utxoType,
      addresses,
      threshold: 1,
    });
    const utxos = [
      utxo(1, 'transfer', 'a'),
      utxo(1, 'transfer', 'b', 'c'),
      utxo(0, 'transfer', 'a'),
      utxo(2, 'mint', 'a'),
      utxo(undefined, 'transfer', 'a'),
    ];
    const { source, asked } = createTestSource((path) => (path.includes('/utxos?') ? { utxos } : { groups: ['g'], nextPageToken: 'n' }));
    const load = (holderList: readonly object[], pageToken?: string) =>
      loadNfts(source, context, { assetId: 'g' } as never, { pageToken, readHolders: Promise.resolve({ holderList }) as never });
    expect(await load([{ address: 'a' }, { address: 'b' }])).toEqual({
      ...{ groups: ['g'], next: 'n' },
      owners: {
        0: [{ addresses: ['a'], threshold: 1 }],
        1: [
          { addresses: ['a'], threshold: 1 },
          { addresses: ['b', 'c'], threshold: 1 },
        ],
      },
    } as never);
    expect(asked).toEqual([`${base}/assets/g/nft-groups?pageSize=100`, `${base}/utxos?addresses=a,b&assetId=g&pageSize=100`]);
    expect([(await load([], 'a b')).owners, asked.at(-1)]).toEqual([{}, `${base}/assets/g/nft-groups?pageSize=100&pageToken=a%20b`]);
  });
});
