import type { Address } from '../bytes/address.ts';
import { boundedMap } from '../bytes/bounded-map.ts';

/** Public keys of recently recovered signers, so that the index can store them without recovering them again. */
export type SignerKeys = {
  readonly get: (signer: Address) => Uint8Array | undefined;
  /** Copies a compressed public key, which begins at `at` in `bytes`. */
  readonly add: (signer: Address, bytes: Uint8Array, at?: number) => void;
};

/** Length of a compressed public key. */
export const publicKeyLength = 33;

/** `size` is the number of keys. A key that is dropped before its transaction is accepted is stored when its owner signs again. */
export function createSignerKeys(size = 8192): SignerKeys {
  const keys = boundedMap<Address, Uint8Array>(size);
  return {
    get: keys.get,
    add: (signer, bytes, at = 0) => {
      if (keys.get(signer) === undefined) keys.set(signer, bytes.slice(at, at + publicKeyLength));
    },
  };
}
