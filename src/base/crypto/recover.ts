import { type Address, addressFromBytes } from '../bytes/address.ts';
import { hash160, sha256 } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import { createCache } from '../cache/cache.ts';
import type { CacheBudget } from '../cache/cache-budget.ts';
import { Fault } from '../fault.ts';
import type { SignerKeys } from './signer-keys.ts';

/** Recovers a compressed public key from a 64-byte signature, its recovery id and the hash; undefined if that fails. */
export type RecoverKey = (hash: Uint8Array, signature: Uint8Array, recoveryID: number) => Uint8Array | undefined;

/** Returns the address that made a 65-byte signature (r, s, recovery id) of a message. Throws a SignatureError. */
export type RecoverSigner = (message: Uint8Array, signature: Uint8Array) => Address;

/**
 * Recovers the public key of a signer by AvalancheGo's rules, in its order. A high s is rejected first; recovery ids 4 to 7 are recovered and then rejected
 * as "compressed"; every other failure is an invalid signature.
 * AvalancheGo: utils/crypto/secp256k1/secp256k1.go, RecoverPublicKeyFromHash.
 */
export function recoverPublicKey(recoverKey: RecoverKey, hash: Uint8Array, signature: Uint8Array): Uint8Array {
  if (isHighS(signature)) throw signatureError({ code: 'SIGNATURE_MUTATED' });
  const recoveryID = signature[64] as number;
  const key = recoveryID > 7 ? undefined : recoverKey(hash, signature.subarray(0, 64), recoveryID & 3);
  if (key === undefined) throw signatureError({ code: 'SIGNATURE_INVALID' });
  if (recoveryID > 3) throw signatureError({ code: 'SIGNATURE_COMPRESSED' });
  return key;
}

/** Recovers the address of a signer. */
export const recoverSigner = (recoverKey: RecoverKey, hash: Uint8Array, signature: Uint8Array): Address =>
  addressFromBytes(hash160(recoverPublicKey(recoverKey, hash, signature)));

/** Signer recovery with a cache. */
export type SignerCache = {
  readonly recover: RecoverSigner;
  /** Where the public keys of recovered signers go. */
  readonly keys: SignerKeys | undefined;
};

/** Caches signers by (hash, signature), for a transaction that is verified again. */
export function createSignerCache(recoverKey: RecoverKey, keys?: SignerKeys, budget?: CacheBudget): SignerCache {
  const cache = createCache<string, Address>('signers', { size: entrySize, budget });
  const keyOf = (hash: Uint8Array, signature: Uint8Array) => toHex(hash) + toHex(signature);
  // All signatures of a transaction sign the same message, so its hash is kept.
  let lastMessage: Uint8Array | undefined;
  let lastHash: Uint8Array = new Uint8Array(0);
  return {
    recover: (message, signature) => {
      if (message !== lastMessage) {
        lastMessage = message;
        lastHash = sha256(message);
      }
      const key = keyOf(lastHash, signature);
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const publicKey = recoverPublicKey(recoverKey, lastHash, signature);
      const signer = addressFromBytes(hash160(publicKey));
      keys?.add(signer, publicKey);
      cache.set(key, signer);
      return signer;
    },
    keys,
  };
}

/** Bytes of a cached signer: its key has 194 characters. */
const entrySize = 420;

/** Half the order of secp256k1 (as hex, like the s of a signature) and the order. */
const halfOrder = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';
const order = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

/** AvalancheGo reduces s modulo the order before it compares, so an s above the order may count as low (and is then invalid). */
function isHighS(signature: Uint8Array): boolean {
  const s = toHex(signature.subarray(32, 64));
  if (s <= halfOrder) return false;
  return BigInt(`0x${s}`) % order > BigInt(`0x${halfOrder}`);
}

export type SignatureFault = { code: 'SIGNATURE_MUTATED' } | { code: 'SIGNATURE_INVALID' } | { code: 'SIGNATURE_COMPRESSED' };
export class SignatureError extends Fault<SignatureFault> {}

/** AvalancheGo's messages. */
const signatureMessages: Readonly<Record<SignatureFault['code'], string>> = {
  SIGNATURE_MUTATED: 'signature was mutated from its original format',
  SIGNATURE_INVALID: 'invalid signature',
  SIGNATURE_COMPRESSED: "wasn't expecting a compressed key",
};

/** Every reason why a signature has no signer. */
export const signatureFaults = (Object.keys(signatureMessages) as SignatureFault['code'][]).map((code): SignatureFault => ({ code }));

export const signatureError = (fault: SignatureFault): SignatureError => new SignatureError(signatureMessages[fault.code], fault);
