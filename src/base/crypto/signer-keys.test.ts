import { expect, test } from 'bun:test';
import vectors from '../../../vectors/vectors.json' with { type: 'json' };
import type { Address } from '../bytes/address.ts';
import { hash160 } from '../bytes/hash.ts';
import { fromHex, toHex } from '../bytes/hex.ts';
import { budgetFor } from '../cache/budget.fixture.ts';
import { recoverNative } from './curve-native.ts';
import { createSignerCache } from './recover.ts';
import { packRecoveryInputs, recoverBatch, unpackSigners } from './recovery-batch.ts';
import { createSignerKeys } from './signer-keys.ts';

const inputs = vectors.keys.map(({ messageSha256, signature }) => ({
  hash: fromHex(messageSha256.slice(2)),
  signature: fromHex(signature.slice(2)),
}));
const addresses = vectors.keys.map(({ addressBytes }) => addressBytes.slice(2) as Address);

test('the keys of a batch hash to the addresses of their signers; an invalid signature has none', () => {
  const keys = createSignerKeys();
  const invalid = { hash: new Uint8Array(32), signature: new Uint8Array(65) };
  const results = recoverBatch(recoverNative, packRecoveryInputs([...inputs, invalid]));
  expect(unpackSigners(results, keys)).toEqual([...addresses, { code: 'SIGNATURE_INVALID' }]);
  results.fill(0);
  for (const address of addresses) expect(toHex(hash160(keys.get(address) as Uint8Array)) as Address).toBe(address);
});

test('the signer cache passes on the keys that it recovers', () => {
  const keys = createSignerKeys();
  const { recover } = createSignerCache(recoverNative, keys);
  const signer = recover(Buffer.from('message'), (inputs[0] as (typeof inputs)[0]).signature);
  expect(toHex(hash160(keys.get(signer) as Uint8Array)) as Address).toBe(signer);
});

test('the number of keys is limited', () => {
  const keys = createSignerKeys(budgetFor('signerKeys', 1000));
  const names = Array.from({ length: 10 }, (_, i) => `${i}`.padStart(40, '0') as Address);
  for (const name of names) keys.add(name, new Uint8Array(33));
  expect(names.filter((name) => keys.get(name) !== undefined).length).toBeLessThanOrEqual(4);
  expect(keys.get(names[9] as Address)).toEqual(new Uint8Array(33));
});
