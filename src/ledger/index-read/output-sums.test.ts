import { expect, test } from 'bun:test';
import { ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, transfer } from '../../../test/wallet-kit.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { encodeStoredUtxo } from '../state/stored-utxo.ts';
import { createOutputSums } from './output-sums.ts';
import type { StoredPinnedOutput } from './read-outputs.ts';

const { feeAsset } = localChainParams;

test('transfers are summed without decoding them; a damaged one is an error', () => {
  const found = (index: number, seq: number): StoredPinnedOutput =>
    ({
      seq,
      stored: encodeStoredUtxo(makeUtxo(ewoqGenesisUtxo.id, index, feeAsset, transfer(feeAsset, 7n, ownedBy([ewoq])).output)),
      consumedOn: zeroId,
      get utxo() {
        return expect.unreachable();
      },
    }) as unknown as StoredPinnedOutput;
  const sums = createOutputSums(1_700_000_000);
  for (let index = 0; index < 50; index++) sums.add(found(index, index + 1));
  sums.add(found(50, -1));
  const key = { asset: feeAsset, type: 'secp256k1', isLocked: false } as const;
  expect(sums.list()).toEqual([
    { ...key, sharedWith: undefined, amount: 350n, count: 50 },
    { ...key, sharedWith: zeroId, amount: 7n, count: 1 },
  ]);
  const damaged = found(0, 1);
  damaged.stored[20] = (damaged.stored[20] as number) ^ 1;
  expect(() => sums.add(damaged)).toThrow('damaged');
});
