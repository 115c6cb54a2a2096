import { sha256 } from '../../base/bytes/hash.ts';
import { concat } from '../../base/bytes/octets.ts';
import { PeerError } from './fault.ts';

/**
 * A bloom filter in AvalancheGo's format: number of hashes, seeds, entries. A hash is two numbers of 32 bits, which is several times faster
 * than a bigint: a filter is asked about every transaction in the mempool. AvalancheGo: utils/bloom.
 */
export type BloomFilter = { readonly contains: (hash: BloomHash) => boolean };

export type WritableBloomFilter = BloomFilter & {
  /** Adds a hash. Returns false if the filter contained it. */
  readonly add: (hash: BloomHash) => boolean;
  /** How many hashes were added that it did not contain. */
  readonly count: () => number;
  readonly bytes: () => Uint8Array;
};

/** A filter that is replaced when it is full: additions, additions at which it is replaced, hashes, bytes, and how often it was replaced. */
export type BloomFilterState = {
  readonly count: number;
  readonly max: number;
  readonly hashes: number;
  readonly entries: number;
  readonly resets: number;
};

type BloomHash = { readonly high: number; readonly low: number };

/** The hash of a key: the first 8 bytes of sha256(key ‖ salt). */
export function bloomHash(key: Uint8Array, salt: Uint8Array): BloomHash {
  const digest = sha256(concat([key, salt]));
  const view = new DataView(digest.buffer, digest.byteOffset);
  return { high: view.getUint32(0), low: view.getUint32(4) };
}

const maxHashes = 16;
const seedSize = 8;

/** Reads a filter of a peer. It refers to `bytes`: copy them if they belong to a frame and the filter outlives it. */
export const parseBloomFilter = (bytes: Uint8Array): BloomFilter => {
  const { seeds, entries } = split(bytes);
  return { contains: (hash) => everyBit(seeds, entries, hash, () => {}) };
};

/** Creates an empty filter with the given random seeds, 8 bytes each. */
export function createBloomFilter(randomSeeds: Uint8Array, entryBytes: number): WritableBloomFilter {
  const bytes = concat([Uint8Array.of(randomSeeds.length / seedSize), randomSeeds, new Uint8Array(entryBytes)]);
  const { seeds, entries } = split(bytes);
  let count = 0;
  return {
    contains: (hash) => everyBit(seeds, entries, hash, () => {}),
    add: (hash) => {
      let isNew = false;
      everyBit(seeds, entries, hash, (index, mask) => {
        isNew ||= ((entries[index] as number) & mask) === 0;
        entries[index] = (entries[index] as number) | mask;
      });
      if (isNew) count++;
      return isNew;
    },
    count: () => count,
    bytes: () => new Uint8Array(bytes),
  };
}

/** Number of hashes and size for `count` elements at a probability of false positives. */
export function bloomSize(count: number, falsePositives: number): { readonly hashes: number; readonly entryBytes: number } {
  const bits = (-count * Math.log(falsePositives)) / (Math.LN2 * Math.LN2);
  const entryBytes = Math.max(1, Math.floor((bits + 7) / 8));
  const hashes = Math.ceil((entryBytes * 8 * Math.LN2) / count);
  return { hashes: Math.max(1, Math.min(maxHashes, hashes)), entryBytes };
}

/** How many elements a filter can hold until false positives have this probability. */
export const bloomCapacity = (hashes: number, entryBytes: number, falsePositives: number): number =>
  Math.ceil((-Math.log(1 - falsePositives ** (1 / hashes)) * entryBytes * 8) / hashes);

/** Visits the bits of a hash until `visit` leaves one at 0. Returns whether all are set. */
function everyBit(seeds: Uint32Array, entries: Uint8Array, hash: BloomHash, visit: (index: number, mask: number) => void): boolean {
  const bits = 8 * entries.length;
  const wrap = 2 ** 32 % bits;
  let { high, low } = hash;
  for (let i = 0; i < seeds.length; i += 2) {
    const rotatedHigh = (high << 17) | (low >>> 15);
    const rotatedLow = (low << 17) | (high >>> 15);
    high = (rotatedHigh ^ (seeds[i] as number)) >>> 0;
    low = (rotatedLow ^ (seeds[i + 1] as number)) >>> 0;
    // (high * 2^32 + low) mod bits; a filter of a message has fewer than 2^25 bits, so the product stays exact.
    const bit = ((high % bits) * wrap + low) % bits;
    const index = bit >>> 3;
    const mask = 1 << (bit & 7);
    visit(index, mask);
    if (((entries[index] as number) & mask) === 0) return false;
  }
  return true;
}

function split(bytes: Uint8Array): { seeds: Uint32Array; entries: Uint8Array } {
  const hashes = bytes[0] ?? 0;
  const at = 1 + seedSize * hashes;
  if (hashes < 1 || hashes > maxHashes) throw badFilter(`${hashes} hashes; 1 to ${maxHashes} are allowed`);
  if (bytes.length <= at) throw badFilter('no entries');
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { seeds: Uint32Array.from({ length: 2 * hashes }, (_, i) => view.getUint32(1 + 4 * i)), entries: bytes.subarray(at) };
}

const badFilter = (reason: string) => new PeerError(`bad bloom filter: ${reason}`, { code: 'PEER_BAD_FILTER', reason });
