import { expect, test } from 'bun:test';
import { type Tx, unsignedBytes } from '../../avm/tx/tx.ts';
import type { Address } from '../../base/bytes/address.ts';
import { hash160 } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { equal } from '../../base/bytes/octets.ts';
import { createPublicKeyCache } from './public-key-cache.ts';
import { people, txs } from './sample-chain.fixture.ts';

const key = Buffer.alloc(33, 2);
const owner = toHex(hash160(key)) as Address;
const signature = Buffer.alloc(65, 1);
const signed = (tx: Tx) => () => ({ unsigned: unsignedBytes(tx), signature });

test('the key of an owner is recovered once', () => {
  let recovered = 0;
  const { text: keyText } = createPublicKeyCache(() => {
    recovered++;
    return key;
  });
  for (const tx of [txs.gift, txs.coin, txs.gift]) expect(keyText(owner, signed(tx))).toBe(key.toString('base64'));
  expect(recovered).toBe(1);
});

test('a key that does not belong to the owner is not cached', () => {
  const keys = [key, Buffer.alloc(33, 3), undefined];
  const { text: keyText } = createPublicKeyCache(() => keys.shift());
  expect(keyText(people.alice, signed(txs.gift))).toBe(key.toString('base64'));
  expect(keyText(people.alice, signed(txs.coin))).toBe(Buffer.alloc(33, 3).toString('base64'));
  expect(keyText(people.alice, signed(txs.coin))).toBeUndefined();
});

test('without an owner nothing is cached', () => {
  const { text: keyText } = createPublicKeyCache((unsigned) => (equal(unsigned, unsignedBytes(txs.gift)) ? key : undefined));
  expect(keyText(undefined, signed(txs.gift))).toBe(key.toString('base64'));
  expect(keyText(undefined, signed(txs.coin))).toBeUndefined();
});

test('stored keys are read once, and only if they belong to their owner', async () => {
  const other = people.alice;
  const asked: Address[][] = [];
  const reads = {
    publicKeys: async (addresses: readonly Address[]) => {
      asked.push([...addresses]);
      return new Map([
        [owner, key],
        [other, key],
      ]);
    },
  };
  const { text, load } = createPublicKeyCache(() => undefined);
  await load(reads, new Set([owner, other]));
  expect(text(owner, signed(txs.gift))).toBe(key.toString('base64'));
  expect(text(other, signed(txs.gift))).toBeUndefined();
  await load(reads, new Set([owner]));
  await load(reads, new Set([owner, other]));
  expect(asked).toEqual([[owner, other], [other]]);
});
