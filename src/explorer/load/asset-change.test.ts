import { expect, test } from 'bun:test';
import type { Tx, Utxo } from '../../api/contract/answers.ts';
import { changesOf, isGain } from './asset-change.ts';

const output = (assetId: string, amount: number, owners: readonly string[], other: Partial<Utxo> = {}): Utxo =>
  ({
    asset: { assetId, type: 'secp256k1', amount: String(amount) },
    utxoType: 'transfer',
    addresses: owners,
    createdOnChainId: 'X',
    consumedOnChainId: 'X',
    ...other,
  }) as unknown as Utxo;

test('what an address gets less what it gives, by asset; assets that stay the same and outputs of other chains are left out', () => {
  const tx = {
    consumedUtxos: [
      output('avax', 100, ['me']),
      output('token', 5, ['other']),
      output('same', 3, ['me']),
      output('avax', 50, ['me'], { createdOnChainId: 'P' }),
    ],
    emittedUtxos: [
      output('avax', 70, ['me']),
      output('avax', 20, ['other']),
      output('token', 5, ['other', 'me']),
      output('same', 3, ['me']),
      output('avax', 9, ['me'], { consumedOnChainId: 'P' }),
    ],
  } as unknown as Tx;
  const shown = (address: string) => changesOf(tx, address).map(({ change, shared, asset }) => `${change} and ${shared} ${asset.assetId}`);
  expect(shown('X-me')).toEqual(['-30 and 0 avax', '0 and 5 token']);
  expect(shown('other')).toEqual(['-5 and 5 token', '20 and 0 avax']);
  expect(shown('X-nobody')).toEqual([]);
});

test('what an address owns with others is told from its own; rights to mint are not counted', () => {
  const tx = {
    consumedUtxos: [output('avax', 100, ['me'])],
    emittedUtxos: [output('avax', 30, ['me']), output('avax', 69, ['me', 'other']), output('avax', 1, ['me'], { utxoType: 'mint' })],
  } as unknown as Tx;
  expect(changesOf(tx, 'me')).toMatchObject([{ change: -70n, shared: 69n }]);
  expect([...changesOf(tx, 'me'), ...changesOf(tx, 'other')].map(isGain)).toEqual([false, true]);
});
