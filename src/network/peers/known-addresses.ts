import { fromHex } from '../../base/bytes/hex.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import {
  type BloomFilter,
  type BloomFilterState,
  bloomCapacity,
  bloomHash,
  bloomSize,
  createBloomFilter,
  type WritableBloomFilter,
} from '../protocol/bloom-filter.ts';
import { type ClaimedAddress, claimGossipId } from '../protocol/signed-ip.ts';
import { type PeerTiming, sample } from './timing.ts';

/** An address that a node signed with the key of its certificate. */
export type NodeAddress = ClaimedAddress & {
  readonly node: NodeId;
  readonly certificate: Uint8Array;
  readonly signature: Uint8Array;
};

/** Which peers a requester knows: those in its filter. */
export type KnownFilter = { readonly filter: BloomFilter; readonly salt: Uint8Array };

/**
 * The newest known addresses of the nodes that this node wants to be connected to, and the bloom filter of them that requests for peer lists
 * carry. AvalancheGo: network/ip_tracker.go.
 */
type KnownAddresses = {
  /** Whether an address is newer than the known one. */
  readonly isNewer: (node: NodeId, timestamp: bigint) => boolean;
  /** Adds an address whose signature is valid. Returns false if it is not newer. */
  readonly add: (address: NodeAddress) => boolean;
  readonly get: (node: NodeId) => NodeAddress | undefined;
  /** Up to `count` of some addresses that the requester does not know, in random order. */
  readonly selectUnknown: (from: readonly NodeAddress[], known: KnownFilter | undefined, count: number) => NodeAddress[];
  /** Filter and salt as they are sent. */
  readonly filter: () => { readonly filter: Uint8Array; readonly salt: Uint8Array };
  /** Forgets nodes that are not wanted any more, and creates a new filter with a new salt. */
  readonly reset: (isWanted: (node: NodeId) => boolean) => void;
  readonly count: () => number;
  readonly filterState: () => BloomFilterState;
};

const saltSize = 32;
const minCount = 128;
const targetFalsePositives = 0.001;
const maxFalsePositives = 0.01;
/** A node may change its address this often until the filter is reset: it must not fill the filter. */
const maxEntriesPerNode = 2;

export function createKnownAddresses(timing: Pick<PeerTiming, 'randomBytes'>): KnownAddresses {
  const addresses = new Map<NodeId, NodeAddress>();
  const additions = new Map<NodeId, number>();
  let bloom: WritableBloomFilter;
  let salt: Uint8Array;
  let capacity = 0;
  let size: ReturnType<typeof bloomSize>;
  let resets = 0;

  const resetFilter = (): void => {
    size = bloomSize(Math.max(minCount, maxEntriesPerNode * addresses.size), targetFalsePositives);
    const { hashes, entryBytes } = size;
    resets++;
    bloom = createBloomFilter(timing.randomBytes(8 * hashes), entryBytes);
    salt = timing.randomBytes(saltSize);
    capacity = bloomCapacity(hashes, entryBytes, maxFalsePositives);
    additions.clear();
    for (const address of addresses.values()) addToFilter(address);
  };
  /** Every answer with a peer list needs the keys of the same addresses. */
  const gossipKeys = new WeakMap<NodeAddress, Uint8Array>();
  const gossipKey = (address: NodeAddress): Uint8Array => {
    const cached = gossipKeys.get(address);
    if (cached !== undefined) return cached;
    const key = fromHex(claimGossipId(address.node, address.timestamp));
    gossipKeys.set(address, key);
    return key;
  };
  const addToFilter = (address: NodeAddress): void => {
    const count = additions.get(address.node) ?? 0;
    if (count >= maxEntriesPerNode) return;
    if (bloom.add(bloomHash(gossipKey(address), salt))) additions.set(address.node, count + 1);
  };
  /** Only as many addresses are tested as are needed, because each test hashes. */
  const selectUnknown: KnownAddresses['selectUnknown'] = (from, known, count) =>
    sample(from, count, timing, (address) => known === undefined || !known.filter.contains(bloomHash(gossipKey(address), known.salt)));
  const isNewer = (node: NodeId, timestamp: bigint): boolean => {
    const known = addresses.get(node);
    return known === undefined || timestamp > known.timestamp;
  };
  resetFilter();

  return {
    isNewer,
    add: (address) => {
      if (!isNewer(address.node, address.timestamp)) return false;
      addresses.set(address.node, address);
      if (bloom.count() >= capacity) resetFilter();
      else addToFilter(address);
      return true;
    },
    get: (node) => addresses.get(node),
    selectUnknown,
    filter: () => ({ filter: bloom.bytes(), salt }),
    reset: (isWanted) => {
      for (const node of addresses.keys()) if (!isWanted(node)) addresses.delete(node);
      resetFilter();
    },
    count: () => addresses.size,
    filterState: () => ({ count: bloom.count(), max: capacity, hashes: size.hashes, entries: size.entryBytes, resets }),
  };
}
