import { expect, test } from 'bun:test';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, ownedBy, signDraft, transfer } from '../../../test/wallet-kit.ts';
import { unsignedBytes } from '../../avm/tx/tx.ts';
import { recoverNative } from '../../base/crypto/curve-native.ts';
import { createSignerCache } from '../../base/crypto/recover.ts';
import { recoverBatch } from '../../base/crypto/recovery-batch.ts';
import { createSignerPrefetch, signaturesOf } from './signer-prefetch.ts';

const wallet = createWallet('prefetch', { count: 1, keys: [ewoq] });
/** A transaction with one signature. */
const tx = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [transfer(ewoqGenesisUtxo.assetID, 5n, ownedBy(wallet.keys.slice(1)))]));
const [signed] = signaturesOf(tx) as [ReturnType<typeof signaturesOf>[0]];

/** A prefetch that counts the batches of the other thread and the signatures that this thread recovers. */
function openPrefetch(thread: (batch: Uint8Array) => Uint8Array | undefined) {
  const counts = { batches: 0, here: 0 };
  const cache = createSignerCache(recoverNative);
  const prefetch = createSignerPrefetch(
    async (batch) => {
      counts.batches++;
      return thread(batch);
    },
    {
      keys: cache.keys,
      recover: (...input) => {
        counts.here++;
        return cache.recover(...input);
      },
    },
  );
  return { prefetch, counts };
}

test('the signer of a single signature is recovered on the other thread, and not again', async () => {
  const { prefetch, counts } = openPrefetch((batch) => recoverBatch(recoverNative, batch));
  await prefetch.prepare([tx]);
  expect(prefetch.recover(unsignedBytes(tx), signed.signature)).toBe(ewoq.address);
  expect(counts).toEqual({ batches: 1, here: 0 });
});

test('without signatures the other thread is not asked; if it fails, this one recovers', async () => {
  const { prefetch, counts } = openPrefetch(() => undefined);
  await prefetch.prepare([{ ...tx, credentials: [] }]);
  expect(counts.batches).toBe(0);
  await prefetch.prepare([tx]);
  expect(prefetch.recover(unsignedBytes(tx), signed.signature)).toBe(ewoq.address);
  expect(counts).toEqual({ batches: 1, here: 1 });
});
