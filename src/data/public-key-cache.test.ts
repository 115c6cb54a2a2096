import { expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { hash160 } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import { equal } from '../bytes/octets.ts';
import { unsignedBytes } from '../tx/tx.ts';
import { createPublicKeyCache } from './public-key-cache.ts';
import { people, txs } from './sample-chain.fixture.ts';

const key = Buffer.alloc(33, 2);
const owner = toHex(hash160(key)) as Address;
const signature = Buffer.alloc(65, 1);

test('the key of an owner is recovered once', () => {
  let recovered = 0;
  const keyText = createPublicKeyCache(() => {
    recovered++;
    return key;
  });
  for (const tx of [txs.gift, txs.coin, txs.gift]) expect(keyText(owner, unsignedBytes(tx), signature)).toBe(key.toString('base64'));
  expect(recovered).toBe(1);
});

test('a key that does not belong to the owner is not cached', () => {
  const keys = [key, Buffer.alloc(33, 3), undefined];
  const keyText = createPublicKeyCache(() => keys.shift());
  expect(keyText(people.alice, unsignedBytes(txs.gift), signature)).toBe(key.toString('base64'));
  expect(keyText(people.alice, unsignedBytes(txs.coin), signature)).toBe(Buffer.alloc(33, 3).toString('base64'));
  expect(keyText(people.alice, unsignedBytes(txs.coin), signature)).toBeUndefined();
});

test('without an owner nothing is cached', () => {
  const keyText = createPublicKeyCache((unsigned) => (equal(unsigned, unsignedBytes(txs.gift)) ? key : undefined));
  expect(keyText(undefined, unsignedBytes(txs.gift), signature)).toBe(key.toString('base64'));
  expect(keyText(undefined, unsignedBytes(txs.coin), signature)).toBeUndefined();
});
