import { expect, test } from 'bun:test';
import type { Tx, Utxo } from '../../api/contract/answers.ts';
import { flowOf } from './flow-data.ts';
import type { PageContext } from './page-context.ts';

const context = { chain: { id: 'X', alias: 'X', feeAsset: 'A' }, otherChains: [] } as unknown as PageContext;
const output = (amount: number): Utxo =>
  ({
    utxoType: 'transfer',
    asset: { assetId: 'A', symbol: 'AVAX', denomination: 0, type: 'secp256k1', amount: String(amount) },
    addresses: ['local1someone'],
    threshold: 1,
    locktime: 0,
    createdOnChainId: 'X',
    consumedOnChainId: 'X',
  }) as unknown as Utxo;
const outputsOf = (amounts: readonly number[], change: readonly number[]) => {
  const consumed = amounts.reduce((sum, amount) => sum + amount, 1);
  const tx = { txType: 'BaseTx', consumedUtxos: [output(consumed)], emittedUtxos: amounts.map(output) } as unknown as Tx;
  return flowOf(tx, context, 0, change)[0]?.outputs.map(({ title, note, role }) => [title.replace(/^X-.*/, 'owner'), note, role]);
};

test('an output is a payment or change; what is left is the fee', () => {
  expect(outputsOf([5, 900], [1])).toEqual([
    ['owner', '5 AVAX', 'payment'],
    ['owner', '900 AVAX · change', 'change'],
    ['Burned (fee)', '1 AVAX', 'fee'],
  ]);
});

test('of many outputs the smallest payments are merged, never with change', () => {
  const payments = Array.from({ length: 30 }, (_, at) => at + 1);
  const one = outputsOf([...payments, 9000], [30]);
  expect(one).toHaveLength(12);
  expect(one?.slice(-3)).toEqual([
    ['+21 more', '231 AVAX', 'payment'],
    ['owner', '9,000 AVAX · change', 'change'],
    ['Burned (fee)', '1 AVAX', 'fee'],
  ]);
  const two = outputsOf([4000, ...payments, 5000], [0, 31]);
  expect(two).toHaveLength(12);
  expect(two?.at(-2)).toEqual(['2 outputs', '9,000 AVAX · change', 'change']);
});
