import { compare } from '../bytes/octets.ts';
import type { Codec } from '../codec/codec.ts';
import { pack } from '../codec/pack.ts';

/** Position of the first item that does not come strictly after the one before it, or -1. */
export const firstNotAfter = <T>(items: readonly T[], order: (a: T, b: T) => number): number =>
  items.findIndex((item, i) => i > 0 && order(items[i - 1] as T, item) >= 0);

/** The same for the order of encoded bytes, where equal items may be allowed. Each item is encoded once. */
export function firstNotAfterEncoded<T>(codec: Codec<T>, items: readonly T[], equals: 'equals allowed' | 'no equals'): number {
  if (items.length < 2) return -1;
  const encoded = items.map((item) => pack(codec, item));
  const least = equals === 'equals allowed' ? 1 : 0;
  return encoded.findIndex((bytes, i) => i > 0 && compare(encoded[i - 1] as Uint8Array, bytes) >= least);
}
