import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hmac } from '@noble/hashes/hmac.js';
import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { sha512 } from '@noble/hashes/sha2.js';
import type { KeyCrypto } from './key.ts';

/** Cryptography of private keys in JavaScript, for browsers; compared with the native one in tests. */
export const portableKeyCrypto: KeyCrypto = {
  publicKey: (secret) => secp256k1.getPublicKey(secret, true),
  sign: (hash, secret) => {
    // noble puts the recovery id first, Avalanche puts it last.
    const [recoveryID = 0, ...rest] = secp256k1.sign(hash, secret, { prehash: false, lowS: true, format: 'recovered' });
    return Uint8Array.of(...rest, recoveryID);
  },
  hmacSha512: (key, data) => hmac(sha512, key, data),
  pbkdf2Sha512: (password, salt, rounds, length) => pbkdf2(sha512, password, salt, { c: rounds, dkLen: length }),
};
