import type { Address } from '../bytes/address.ts';
import { hash160 } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import { type PublicKeyText, type RecoverPublicKey, toBase64 } from './render-credential.ts';

/**
 * Recovers public keys and caches them by owner. Recovering a key costs as much as rendering twenty outputs, but an owner always signs with
 * the same key, so one recovery serves all its signatures.
 */
export function createPublicKeyCache(recover: RecoverPublicKey): PublicKeyText {
  const cache = new Map<Address, string>();
  const addToCache = (owner: Address, key: Uint8Array, text: string): void => {
    // Some transactions were accepted without signature checks, so the signer may not be the owner; see verify/exemptions.ts.
    if (toHex(hash160(key)) !== owner) return;
    if (cache.size >= maxCachedKeys) cache.clear();
    cache.set(owner, text);
  };
  return (owner, signed) => {
    const cached = owner && cache.get(owner);
    if (cached !== undefined) return cached;
    const { unsigned, signature } = signed();
    const key = recover(unsigned, signature);
    if (key === undefined) return undefined;
    const text = toBase64(key);
    if (owner !== undefined) addToCache(owner, key, text);
    return text;
  };
}

/** A busy network has some hundred thousand owners; with a smaller cache most keys of a page would be recovered again, at 70 µs each. */
const maxCachedKeys = 131_072;
