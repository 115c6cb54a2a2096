import { fromHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { RandomBytes } from '../consensus/weighted-sample.ts';
import {
  type BloomFilterState,
  bloomCapacity,
  bloomHash,
  bloomSize,
  createBloomFilter,
  type WritableBloomFilter,
} from '../protocol/bloom-filter.ts';
import type { FilterParameters } from './gossip-parameters.ts';
import type { GossipPool } from './tx-gossip.ts';

const saltSize = 32;
const seedSize = 8;
/** A new filter has room for so many times the transactions in the pool. */
const growth = 3;

/** The bloom filter of the transactions in the mempool, which a pull request sends. AvalancheGo: vms/avm/network/gossip.go. */
export function createKnownFilter(parameters: FilterParameters, pool: Pick<GossipPool, 'items' | 'count'>, randomBytes: RandomBytes) {
  let salt: Uint8Array;
  let bloom: WritableBloomFilter;
  let max = 0;
  let size: ReturnType<typeof bloomSize>;
  let resets = 0;
  const put = (id: Id): void => {
    bloom.add(bloomHash(fromHex(id), salt));
  };
  /** A new salt, so that transactions that a false positive hid are found at last. */
  const reset = (): void => {
    const items = Math.max(parameters.minFilterItems, growth * pool.count());
    size = bloomSize(items, parameters.filterFalsePositives);
    const { hashes, entryBytes } = size;
    resets++;
    bloom = createBloomFilter(randomBytes(seedSize * hashes), entryBytes);
    salt = Uint8Array.from(randomBytes(saltSize));
    max = bloomCapacity(hashes, entryBytes, parameters.maxFilterFalsePositives);
    for (const { id } of pool.items()) put(id);
  };
  reset();
  return {
    add: (id: Id): void => {
      put(id);
      if (bloom.count() > max) reset();
    },
    read: (): { readonly filter: Uint8Array; readonly salt: Uint8Array } => ({ filter: bloom.bytes(), salt }),
    state: (): BloomFilterState => ({ count: bloom.count(), max, hashes: size.hashes, entries: size.entryBytes, resets }),
  };
}
