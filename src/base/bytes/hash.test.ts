import { expect, test } from 'bun:test';
import { hash160, sha256Hex } from './hash.ts';
import { fromHex, toHex } from './hex.ts';

test('hash160 of the generator of secp256k1 is the hash in the example of BIP 173', () => {
  const generator = fromHex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
  expect(toHex(hash160(generator))).toBe('751e76e8199196d454941c45d1b3a323f1433bd6');
});

test('sha256 of no bytes', () => {
  expect(sha256Hex(new Uint8Array(0))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
