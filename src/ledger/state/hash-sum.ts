import { sha256Into } from '../../base/bytes/hash.ts';
import { equal } from '../../base/bytes/octets.ts';

/**
 * A sum of hashes modulo 2^256. Two lists of entries have the same sum if they have the same entries in any order: so lists of millions are
 * compared without sorting them and without looking up each entry.
 */
export type HashSum = {
  readonly add: (entry: Uint8Array) => void;
  readonly bytes: () => Uint8Array;
  readonly equals: (other: HashSum) => boolean;
};

export function createHashSum(): HashSum {
  const words = new Uint32Array(8);
  const hash = new Uint8Array(32);
  const view = new DataView(hash.buffer);
  const bytes = (): Uint8Array => {
    const sum = new Uint8Array(32);
    const sumView = new DataView(sum.buffer);
    for (const [i, word] of words.entries()) sumView.setUint32(4 * i, word);
    return sum;
  };
  return {
    add: (entry) => {
      sha256Into(entry, hash);
      let carry = 0;
      for (let i = 7; i >= 0; i--) {
        const total = (words[i] as number) + view.getUint32(4 * i) + carry;
        words[i] = total;
        carry = total > 0xffff_ffff ? 1 : 0;
      }
    },
    bytes,
    equals: (other) => equal(bytes(), other.bytes()),
  };
}

/** Creates a function that joins numbers and bytes to an entry of a sum. The next call overwrites the entry. */
export function createEntryWriter(): (numbers: readonly number[], ...parts: readonly Uint8Array[]) => Uint8Array {
  let buffer = Buffer.alloc(1024);
  return (numbers, ...parts) => {
    const size = parts.reduce((sum, part) => sum + part.length, 8 * numbers.length);
    if (size > buffer.length) buffer = Buffer.alloc(2 * size);
    let at = 0;
    for (const number of numbers) at = buffer.writeDoubleBE(number, at);
    for (const part of parts) {
      buffer.set(part, at);
      at += part.length;
    }
    return buffer.subarray(0, size);
  };
}
