import { compare } from '../../base/bytes/octets.ts';
import type { Codec } from '../../base/codec/codec.ts';
import { pack } from '../../base/codec/pack.ts';

type Equals = 'equals allowed' | 'no equals';

/** Index of the first item that is less than its predecessor, or equal to it unless that is allowed; -1 if all are sorted. */
export function firstUnsortedIndex<T>(items: readonly T[], order: (a: T, b: T) => number, equals: Equals = 'no equals'): number {
  for (let i = 1; i < items.length; i++) {
    const difference = order(items[i - 1] as T, items[i] as T);
    if (difference > 0 || (difference === 0 && equals === 'no equals')) return i;
  }
  return -1;
}

/** The same for items compared by their encoded bytes. */
export const firstUnsortedEncodedIndex = <T>(codec: Codec<T>, items: readonly T[], equals: Equals): number =>
  items.length < 2
    ? -1
    : firstUnsortedIndex(
        items.map((item) => pack(codec, item)),
        compare,
        equals,
      );
