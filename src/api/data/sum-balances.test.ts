import { expect, test } from 'bun:test';
import { ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, transfer } from '../../../test/wallet-kit.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { zeroId } from '../../base/bytes/id.ts';
import type { OutputEntry } from '../../ledger/index-read/index-reads.ts';
import { encodeStoredUtxo } from '../../ledger/state/stored-utxo.ts';
import { sumBalances } from './sum-balances.ts';

const { feeAsset } = localChainParams;

test('many outputs are summed without decoding them, with a pause after each', async () => {
  const output = transfer(feeAsset, 7n, ownedBy([ewoq])).output;
  const entry = (index: number): OutputEntry =>
    ({
      stored: encodeStoredUtxo(makeUtxo(ewoqGenesisUtxo.id, index, feeAsset, output)),
      consumedOn: zeroId,
      get utxo() {
        return expect.unreachable();
      },
    }) as unknown as OutputEntry;
  const multiOwner = Array.from({ length: 50 }, (_, index) => entry(index));
  let pauses = 0;
  const pause = () => (++pauses % 10 === 0 ? Promise.resolve() : undefined);
  const balances = await sumBalances({ singleOwner: [], multiOwner, exported: [entry(50)] }, 1_700_000_000, feeAsset, pause);
  expect(pauses).toBe(51);
  expect(balances.unlocked).toMatchObject([{ asset: feeAsset, type: 'secp256k1', amount: 350n, count: 50 }]);
  expect(balances.atomicMemoryUnlocked).toMatchObject([{ sharedWith: zeroId, amount: 7n, count: 1 }]);
  const damaged = entry(0);
  damaged.stored[20] = (damaged.stored[20] as number) ^ 1;
  await expect(sumBalances({ singleOwner: [], multiOwner: [damaged], exported: [] }, 0, feeAsset)).rejects.toThrow('damaged');
});
