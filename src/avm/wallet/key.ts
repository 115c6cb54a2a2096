import { type Address, addressFromBytes } from '../../base/bytes/address.ts';
import { cb58Encode } from '../../base/bytes/cb58.ts';
import { hash160 } from '../../base/bytes/hash.ts';

/** Cryptography of private keys. `portable-crypto.ts` implements it in JavaScript; a node has a faster, native one. */
export type KeyCrypto = {
  /** The compressed public key of a private key, 33 bytes. */
  readonly publicKey: (secret: Uint8Array) => Uint8Array;
  /** Signs a hash deterministically by RFC 6979, with s in the lower half: r, s and the recovery id, 65 bytes. */
  readonly sign: (hash: Uint8Array, secret: Uint8Array) => Uint8Array;
  readonly hmacSha512: (key: Uint8Array, data: Uint8Array) => Uint8Array;
  readonly pbkdf2Sha512: (password: Uint8Array, salt: Uint8Array, rounds: number, length: number) => Uint8Array;
};

/** A private key with its address. */
export type Key = {
  readonly secret: Uint8Array;
  readonly address: Address;
  /** Signs a 32-byte hash: 65 bytes. */
  readonly sign: (hash: Uint8Array) => Uint8Array;
};

export const createKey = (secret: Uint8Array, crypto: KeyCrypto): Key => ({
  secret,
  address: addressFromBytes(hash160(crypto.publicKey(secret))),
  sign: (hash) => crypto.sign(hash, secret),
});

/**
 * A key of which only the address is known: builders take it, and it signs with an empty signature, 65 zeros. AvalancheGo writes missing signatures
 * the same way: wallet/chain/x/signer/visitor.go.
 */
export const watchOnlyKey = (address: Address): Key => ({ address, secret: new Uint8Array(0), sign: () => new Uint8Array(65) });

/** The text form of a private key, `PrivateKey-` and CB58. AvalancheGo: utils/crypto/secp256k1, PrivateKey.String. */
export const formatSecret = (secret: Uint8Array): string => `PrivateKey-${cb58Encode(secret)}`;
