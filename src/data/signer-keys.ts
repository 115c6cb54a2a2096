import type { Address } from '../bytes/address.ts';
import { hash160 } from '../bytes/hash.ts';
import { toHex } from '../bytes/hex.ts';
import type { Tx } from '../tx/tx.ts';
import { base64, type KeyText, type RecoverPublicKey } from './render-credential.ts';

/**
 * Public keys as answers show them. Recovering one costs as much as rendering twenty outputs, but whoever signed for an output is its owner:
 * what was recovered once is good for everything else the same owner signed.
 */
export function createSignerKeys(recover: RecoverPublicKey): KeyText {
  const known = new Map<Address, string>();
  const remember = (owner: Address, key: Uint8Array, text: string): void => {
    // A transaction that the network accepted without looking may be signed by anybody; see verify/quirks.ts.
    if (toHex(hash160(key)) !== owner) return;
    if (known.size >= maxKnown) known.clear();
    known.set(owner, text);
  };
  return (owner: Address | undefined, tx: Tx, signature: Uint8Array) => {
    const before = owner && known.get(owner);
    if (before !== undefined) return before;
    const key = recover(tx, signature);
    if (key === undefined) return undefined;
    const text = base64(key);
    if (owner !== undefined) remember(owner, key, text);
    return text;
  };
}

/** A busy network has some hundred thousand owners; where fewer are remembered, most keys of a page are recovered anew, at 70 µs each. */
const maxKnown = 131_072;
