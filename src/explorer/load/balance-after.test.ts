import { expect, test } from 'bun:test';
import type { Tx, Utxo } from '../../api/contract/answers.ts';
import { balancesAfter, walkBalances } from './balance-after.ts';
import type { PageContext } from './page-context.ts';
import type { Source } from './source.ts';

const asset = { assetId: 'A', symbol: 'AVAX', denomination: 9, type: 'secp256k1' } as const;
const me = 'local1me';
const output = (amount: number, owner = me, other: Partial<Utxo> = {}): Utxo =>
  ({
    utxoType: 'transfer',
    asset: { ...asset, amount: String(amount) },
    addresses: [owner],
    createdOnChainId: 'X',
    consumedOnChainId: 'X',
    ...other,
  }) as Utxo;
const tx = (txHash: string, blockHeight: number, spent: Utxo[], made: Utxo[]): Tx =>
  ({ txHash, blockHeight, consumedUtxos: spent, emittedUtxos: made }) as unknown as Tx;
const point = (height: number, amount: number) => ({ blockNumber: String(height), timestamp: 0, amount: String(amount), nfts: 0 });

/** Newest first: 100 received in block 1; 10, then 20 sent in block 3; 5 imported and 7 exported in block 4. */
const txs = [
  tx('export', 4, [output(75)], [output(68), output(7, me, { consumedOnChainId: 'P' })]),
  tx('import', 4, [output(5, me, { createdOnChainId: 'P' })], [output(5)]),
  tx('send 20', 3, [output(90)], [output(70), output(20, 'other')]),
  tx('send 10', 3, [output(100)], [output(90), output(10, 'other')]),
  tx('receive', 1, [output(100, 'other')], [output(100)]),
];
const points = [point(1, 100), point(3, 70), point(4, 68)];
const walk = (from: number, to: number) =>
  walkBalances({ address: `X-${me}`, asset, page: { txs: txs.slice(from, to), isFirst: from === 0, hasNext: to < txs.length } }, points);

test('the balance after each transaction, also within a block', () => {
  expect(walk(0, 5)).toEqual({ export: '68', import: '75', 'send 20': '70', 'send 10': '90', receive: '100' });
});

test('pages that begin or end in the middle of a block agree with the whole', () => {
  expect(walk(0, 3)).toEqual({ export: '68', import: '75', 'send 20': '70' });
  expect(walk(1, 4)).toEqual({ import: '75', 'send 20': '70', 'send 10': '90' });
  expect(walk(3, 5)).toEqual({ 'send 10': '90', receive: '100' });
});

test('a block of which neither end is shown has no balances', () => {
  const block = [tx('c', 2, [], [output(1)]), tx('b', 2, [], [output(1)]), tx('a', 2, [], [output(1)])];
  const page = { txs: block.slice(1, 2), isFirst: false, hasNext: true };
  expect(walkBalances({ address: `X-${me}`, asset, page }, [point(2, 3)])).toEqual({});
});

test('changes that were read for the plot are used if they reach the newest transaction; otherwise the balances are read', async () => {
  const asked: string[] = [];
  const source = {
    get: async (path: string) => {
      asked.push(path);
      return { status: 200, body: { isSampled: false, points } };
    },
  } as unknown as Source;
  const context = { network: { name: 'local' }, chain: { slug: 'x-chain' } } as PageContext;
  const wanted = { address: `X-${me}`, asset, page: { txs, isFirst: true, hasNext: false } };
  const expected = walk(0, 5);
  expect(await balancesAfter(source, context, wanted, points)).toEqual(expected);
  expect(asked).toEqual([]);
  // Block 4 came after the plot was read.
  expect(await balancesAfter(source, context, wanted, points.slice(0, 2))).toEqual(expected);
  expect(asked).toHaveLength(1);
  expect(await balancesAfter(source, context, wanted, undefined)).toEqual(expected);
  expect(asked).toHaveLength(2);
});
