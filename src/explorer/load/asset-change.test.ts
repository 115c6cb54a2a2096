import { expect, test } from 'bun:test';
import type { Tx, Utxo } from '../../api/contract/answers.ts';
import { changesOf } from './asset-change.ts';

const output = (assetId: string, amount: number, owners: readonly string[], other: Partial<Utxo> = {}): Utxo =>
  ({
    asset: { assetId, type: 'secp256k1', amount: String(amount) },
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
  const shown = (address: string) => changesOf(tx, address).map(({ change, asset }) => `${change} ${asset.assetId}`);
  expect(shown('X-me')).toEqual(['-30 avax', '5 token']);
  expect(shown('other')).toEqual(['20 avax']);
  expect(shown('X-nobody')).toEqual([]);
});
