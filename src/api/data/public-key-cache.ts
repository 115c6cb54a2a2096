import type { Address } from '../../base/bytes/address.ts';
import { hash160 } from '../../base/bytes/hash.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { createCache } from '../../base/cache/cache.ts';
import type { IndexReads } from '../../ledger/index-read/index-reads.ts';

/** Recovers the compressed public key of a signature of an unsigned transaction; undefined for an invalid signature. */
export type RecoverPublicKey = (unsigned: Uint8Array, signature: Uint8Array) => Uint8Array | undefined;

/** Returns the public key of a signature as responses show it (base64). `owner` is the owner that signed, if known. */
export type PublicKeyText = (owner: Address | undefined, signed: () => Signed) => string | undefined;

/** A signature and the unsigned transaction that it signs. */
type Signed = { readonly unsigned: Uint8Array; readonly signature: Uint8Array };

export type PublicKeyCache = ReturnType<typeof createPublicKeyCache>;

/**
 * Public keys as responses show them, cached by owner: those that are stored, and those that are recovered from signatures. Recovering a key
 * costs as much as rendering twenty outputs, but an owner always signs with the same key, so one recovery serves all its signatures.
 */
export function createPublicKeyCache(recover: RecoverPublicKey) {
  const cache = createCache<Address, string>('publicKeys', { size: entrySize });
  const addToCache = (owner: Address, key: Uint8Array, text: string): void => {
    // Some transactions were accepted without signature checks, so the signer may not be the owner; see verify/exemptions.ts.
    if (toHex(hash160(key)) === owner) cache.set(owner, text);
  };
  /** Adds stored keys that were read. */
  const add = (keys: ReadonlyMap<Address, Uint8Array>): void => {
    for (const [owner, key] of keys) addToCache(owner, key, toBase64(key));
  };
  const text: PublicKeyText = (owner, signed) => {
    const cached = owner && cache.get(owner);
    if (cached !== undefined) return cached;
    const { unsigned, signature } = signed();
    const key = recover(unsigned, signature);
    if (key === undefined) return undefined;
    const recovered = toBase64(key);
    if (owner !== undefined) addToCache(owner, key, recovered);
    return recovered;
  };
  return {
    add,
    text,
    /** Reads the stored keys of owners that are not cached. */
    load: async (reads: Pick<IndexReads, 'publicKeys'>, owners: ReadonlySet<Address>): Promise<void> => {
      const missing = [...owners].filter((owner) => cache.get(owner) === undefined);
      if (missing.length > 0) add(await reads.publicKeys(missing));
    },
  };
}

/** Bytes of a cached key. A busy network has some hundred thousand owners; a key that is not cached is read again, at some 3 µs. */
const entrySize = 190;

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
