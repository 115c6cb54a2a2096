import { compare } from '../bytes/octets.ts';
import type { Codec } from '../codec/codec.ts';
import { pack } from '../codec/pack.ts';

/** Index of the first item that is not greater than its predecessor, or -1 if all are sorted and unique. */
export const firstUnsortedIndex = <T>(items: readonly T[], order: (a: T, b: T) => number): number =>
  items.findIndex((item, i) => i > 0 && order(items[i - 1] as T, item) >= 0);

/** The same for items compared by their encoded bytes; equal items may be allowed. */
export function firstUnsortedEncodedIndex<T>(codec: Codec<T>, items: readonly T[], equals: 'equals allowed' | 'no equals'): number {
  if (items.length < 2) return -1;
  const encoded = items.map((item) => pack(codec, item));
  const least = equals === 'equals allowed' ? 1 : 0;
  return encoded.findIndex((bytes, i) => i > 0 && compare(encoded[i - 1] as Uint8Array, bytes) >= least);
}
