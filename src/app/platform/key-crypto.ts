import { createHmac, pbkdf2Sync } from 'node:crypto';
import type { KeyCrypto } from '../../avm/wallet/key.ts';
import { packagedCurve } from '../../base/crypto/curve-packaged.ts';

/** Cryptography of private keys by libsecp256k1 and node:crypto: a signature takes some 50 µs, the seed of a mnemonic about 1 ms. */
export const nativeKeyCrypto: KeyCrypto = {
  publicKey: (secret) => packagedCurve().publicKeyCreate(secret, true),
  sign: (hash, secret) => {
    const { signature, recid } = packagedCurve().ecdsaSign(hash, secret);
    return Buffer.concat([signature, Uint8Array.of(recid)]);
  },
  hmacSha512: (key, data) => createHmac('sha512', key).update(data).digest(),
  pbkdf2Sha512: (password, salt, rounds, length) => pbkdf2Sync(password, salt, rounds, length, 'sha512'),
};
