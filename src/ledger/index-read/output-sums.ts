import type { Id } from '../../base/bytes/id.ts';
import { assetTypeOf, isMintOutput, listedAmount } from '../index/output-amount.ts';
import { isMovedOutput } from '../state/output-number.ts';
import { isTransfer, storedAmount, storedAsset, storedLocktime, verifyStoredUtxo } from '../state/stored-utxo.ts';
import type { OutputSum } from './index-reads.ts';
import type { StoredPinnedOutput } from './read-outputs.ts';

/** Sums outputs by asset, type and destination; those with a lock time after `now` (Unix seconds) separately. Mint outputs are not counted. */
export function createOutputSums(now: number) {
  const seconds = BigInt(now);
  const sums = new Map<string, { -readonly [K in keyof OutputSum]: OutputSum[K] }>();
  const addTo = (key: Omit<OutputSum, 'amount' | 'count'>, amount: bigint): void => {
    const text = `${key.asset}${key.type}${key.isLocked}${key.sharedWith ?? ''}`;
    const sum = sums.get(text) ?? { ...key, amount: 0n, count: 0 };
    sums.set(text, sum);
    sum.amount += amount;
    sum.count++;
  };
  return {
    add: (found: StoredPinnedOutput): void => {
      const { stored, seq } = found;
      const sharedWith: Id | undefined = isMovedOutput(seq) ? found.consumedOn : undefined;
      // Most outputs are transfers: their parts are read from the bytes, which takes a fraction of the time of decoding.
      if (isTransfer(stored)) {
        verifyStoredUtxo(stored);
        const isLocked = storedLocktime(stored) > seconds;
        addTo({ asset: storedAsset(stored), type: 'secp256k1', isLocked, sharedWith }, storedAmount(stored));
        return;
      }
      const { assetID, output } = found.utxo;
      if (isMintOutput(output)) return;
      addTo({ asset: assetID, type: assetTypeOf(output), isLocked: output.locktime > seconds, sharedWith }, listedAmount(output));
    },
    list: (): OutputSum[] => [...sums.values()],
  };
}
