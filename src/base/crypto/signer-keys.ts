import type { Address } from '../bytes/address.ts';
import { createCache } from '../cache/cache.ts';
import type { CacheBudget } from '../cache/cache-budget.ts';

/** Public keys of recently recovered signers, so that the index can store them without recovering them again. */
export type SignerKeys = {
  readonly get: (signer: Address) => Uint8Array | undefined;
  /** Copies a compressed public key, which begins at `at` in `bytes`. */
  readonly add: (signer: Address, bytes: Uint8Array, at?: number) => void;
};

/** Bytes of a cached key. */
const entrySize = 240;

/** Length of a compressed public key. */
export const publicKeyLength = 33;

/** A key that is dropped before its transaction is accepted is stored when its owner signs again. */
export function createSignerKeys(budget?: CacheBudget): SignerKeys {
  const keys = createCache<Address, Uint8Array>('signerKeys', { size: entrySize, budget });
  return {
    get: keys.get,
    add: (signer, bytes, at = 0) => {
      if (keys.get(signer) === undefined) keys.set(signer, bytes.slice(at, at + publicKeyLength));
    },
  };
}
