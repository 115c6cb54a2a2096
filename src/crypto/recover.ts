import { type Address, addressFromBytes } from '../bytes/address.ts';
import { boundedMap } from '../bytes/bounded-map.ts';
import { hash160, sha256 } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import type { RecoverKey } from './curve.ts';
import { SignatureError } from './fault.ts';

/** Who signed: the address behind a 65-byte signature (r, s, recovery id) of a message. Throws a SignatureError. */
export type RecoverSigner = (message: Uint8Array, signature: Uint8Array) => Address;

/**
 * Signer recovery by the peer's rules, in its order. Peer: utils/crypto/secp256k1/secp256k1.go, RecoverPublicKeyFromHash:
 * a high s is refused first; recovery ids 4 to 7 recover and are then refused as "compressed"; all else that fails is invalid.
 */
export function recoverSigner(recoverKey: RecoverKey, hash: Uint8Array, signature: Uint8Array): Address {
  if (isHighS(signature)) throw new SignatureError('signature was mutated from its original format', { code: 'SIGNATURE_MUTATED' });
  const recoveryID = signature[64] as number;
  const key = recoveryID > 7 ? undefined : recoverKey(hash, signature.subarray(0, 64), recoveryID & 3);
  if (key === undefined) throw new SignatureError('invalid signature', { code: 'SIGNATURE_INVALID' });
  if (recoveryID > 3) throw new SignatureError("wasn't expecting a compressed key", { code: 'SIGNATURE_COMPRESSED' });
  return addressFromBytes(hash160(key));
}

/** Who signed what, remembered. */
export type SignerCache = {
  readonly recover: RecoverSigner;
  /** Somebody else has recovered this one: another thread, off the hot path. */
  readonly remember: (hash: Uint8Array, signature: Uint8Array, signer: Address) => void;
};

/**
 * Recovery with a memory by (hash, signature): a transaction is judged when issued, when built into a block and when that block is
 * verified, and costs its signatures once.
 */
export function createSignerCache(recoverKey: RecoverKey, size = 16_384): SignerCache {
  const known = boundedMap<string, Address>(size);
  const keyOf = (hash: Uint8Array, signature: Uint8Array) => toHex(hash) + toHex(signature);
  // The same message is signed by every input of a transaction; hashing it once is enough.
  let lastMessage: Uint8Array | undefined;
  let lastHash: Uint8Array = new Uint8Array(0);
  return {
    recover: (message, signature) => {
      if (message !== lastMessage) {
        lastMessage = message;
        lastHash = sha256(message);
      }
      const key = keyOf(lastHash, signature);
      const before = known.get(key);
      if (before !== undefined) return before;
      const signer = recoverSigner(recoverKey, lastHash, signature);
      known.set(key, signer);
      return signer;
    },
    remember: (hash, signature, signer) => known.set(keyOf(hash, signature), signer),
  };
}

/** Half the order of secp256k1 and the order itself, as the bytes a signature has. */
const halfOrder = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';
const order = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

/** The peer reduces s by the order before it compares, so an s past the order may be low again (and is then simply invalid). */
function isHighS(signature: Uint8Array): boolean {
  const s = toHex(signature.subarray(32, 64));
  if (s <= halfOrder) return false;
  return BigInt(`0x${s}`) % order > BigInt(`0x${halfOrder}`);
}
