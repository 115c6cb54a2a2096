import { fromHex } from '../../base/bytes/hex.ts';
import { endpointText, ipText } from '../../base/bytes/ip-address.ts';
import { type NodeId, nodeIdOfCertificate } from '../../base/bytes/node-id.ts';
import { CertificateError, certificatePublicKey, verifyStakingSignature } from '../identity/staking-certificate.ts';
import { encodeClaim } from '../messages/encoded-message.ts';
import type { MessageOfKind } from '../messages/message.ts';
import {
  type BloomFilter,
  type BloomFilterState,
  bloomCapacity,
  bloomHash,
  bloomSize,
  createBloomFilter,
  type WritableBloomFilter,
} from '../protocol/bloom-filter.ts';
import { PeerError } from '../protocol/fault.ts';
import { type ClaimedAddress, claimedAddressBytes, claimGossipId, readIp } from '../protocol/signed-ip.ts';
import type { NetworkCounters } from './network-counters.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { Peer } from './peer.ts';
import type { SignedAddress, VerifiedPeer } from './peer-handshake.ts';
import type { Endpoint } from './socket.ts';
import { type PeerTiming, sample } from './timing.ts';

/** An address that a node signed with the key of its certificate. */
export type NodeAddress = ClaimedAddress & {
  readonly node: NodeId;
  readonly certificate: Uint8Array;
  readonly signature: Uint8Array;
};

/** Which peers a requester knows: those in its filter. */
export type KnownFilter = { readonly filter: BloomFilter; readonly salt: Uint8Array };

type Claim = MessageOfKind<'peerList'>['peers'][number];

/** The addresses that peers tell each other: what this node learns from peer lists, and what it passes on. network.ts makes one. */
export type AddressBook = ReturnType<typeof createAddressBook>;

export function createAddressBook({
  self,
  timing,
  options,
  counters,
  isWanted,
  own,
  connected,
  dial,
  foreignClaim,
}: {
  readonly self: NodeId;
  readonly timing: PeerTiming;
  readonly options: NetworkOptions;
  readonly counters: NetworkCounters;
  readonly isWanted: (node: NodeId) => boolean;
  readonly own: () => SignedAddress | undefined;
  readonly connected: () => Iterable<Peer>;
  /** Dials a wanted node at a new address. */
  readonly dial: (node: NodeId, endpoint: Endpoint) => void;
  /** An address signed with the key of this node, by another process. */
  readonly foreignClaim: (address: string) => void;
}) {
  const known = createKnownAddresses(timing);
  const latest = () => timing.unixSeconds() + BigInt(Math.floor(options.maxClockDifference / 1000));

  const noteOwnClaim = (address: NodeAddress): void => {
    const ownTime = own()?.timestamp;
    if (ownTime === undefined || address.timestamp <= ownTime || address.timestamp > latest()) return;
    if (hasValidSignature(address)) foreignClaim(endpointText(ipText(address.ip), address.port));
  };
  const learnOne = (claim: Claim): void => {
    const address = parseClaim(claim);
    const { node } = address;
    if (node === self) return void noteOwnClaim(address);
    if (!isWanted(node) || !known.isNewer(node, address.timestamp)) {
      counters.uselessPeerListBytes += claim.certificate.length + claim.signature.length + claim.ip.length + 10;
      return;
    }
    if (address.timestamp > latest()) throw badClaim('its time is too far in the future');
    if (!hasValidSignature(address)) throw badClaim('the signature is not by the TLS key');
    // Bytes of a message are views into it.
    known.add({
      ...address,
      ip: new Uint8Array(address.ip),
      certificate: new Uint8Array(address.certificate),
      signature: new Uint8Array(address.signature),
    });
    dial(node, { ip: ipText(address.ip), port: address.port });
  };

  const wantedPeers = (): Peer[] => [...connected()].filter(({ node }) => isWanted(node));
  const claims = new WeakMap<NodeAddress, Uint8Array>();
  const claimOf = (address: NodeAddress): Uint8Array => {
    const cached = claims.get(address);
    if (cached !== undefined) return cached;
    const { certificate, ip, port, timestamp, signature } = address;
    const claim = encodeClaim({ certificate, ip, port, timestamp, signature, txId: unusedTxId });
    claims.set(address, claim);
    return claim;
  };

  return {
    /** The addresses that this node knows, as requests for addresses carry them. */
    filter: known.filter,
    /** Takes the addresses of a peer list. Throws a PeerError for a bad signature. */
    learn: (claims: readonly Claim[]): void => claims.forEach(learnOne),
    addConnected: (peer: Peer): void => void (isWanted(peer.node) && known.add(addressOf(peer))),
    /** Addresses of connected, wanted nodes that a peer does not know, encoded. AvalancheGo: network/ip_tracker.go, getGossipableIPs. */
    claimsFor: (peer: NodeId, filter: KnownFilter | undefined): Uint8Array[] => {
      const candidates: NodeAddress[] = [];
      for (const other of wantedPeers()) if (other.node !== peer) candidates.push(known.get(other.node) ?? addressOf(other));
      return known.selectUnknown(candidates, filter, options.peerListSize).map(claimOf);
    },
    /** How many addresses this node passes on. */
    passedOn: (): number => wantedPeers().length,
    endpointOf: (node: NodeId): Endpoint | undefined => {
      const address = known.get(node);
      return address && { ip: ipText(address.ip), port: address.port };
    },
    reset: (): void => {
      known.reset(isWanted);
      // Nodes that became validators while they were connected.
      for (const peer of connected()) if (isWanted(peer.node)) known.add(addressOf(peer));
    },
    count: known.count,
    filterState: known.filterState,
  };
}

/** AvalancheGo sends 32 zero bytes. */
const unusedTxId = new Uint8Array(32);

function addressOf(peer: Peer): NodeAddress {
  const { address, tlsSignature } = peer.handshake() as VerifiedPeer;
  return { ...address, node: peer.node, certificate: peer.certificate, signature: tlsSignature };
}

const hasValidSignature = (address: NodeAddress): boolean =>
  verifyStakingSignature(address.certificate, claimedAddressBytes(address), address.signature) === true;

function parseClaim({ certificate, ip, port, timestamp, signature }: Claim): NodeAddress {
  try {
    certificatePublicKey(certificate);
  } catch (error) {
    if (error instanceof CertificateError) throw badClaim(error.message);
    throw error;
  }
  const address = { ip: readIp(ip), port: port & 0xffff, timestamp };
  if (address.port === 0) throw badClaim('its port is 0');
  return { ...address, node: nodeIdOfCertificate(certificate), certificate, signature };
}

const badClaim = (reason: string) => new PeerError(`bad address in a peer list: ${reason}`, { code: 'PEER_BAD_CLAIM', reason });

const saltSize = 32;
const minCount = 128;
const targetFalsePositives = 0.001;
const maxFalsePositives = 0.01;
/** A node may change its address this often until the filter is reset: it must not fill the filter. */
const maxEntriesPerNode = 2;

/**
 * The newest known addresses of the nodes that this node wants to be connected to, and the bloom filter of them that requests for peer lists
 * carry. AvalancheGo: network/ip_tracker.go.
 */
export function createKnownAddresses(timing: Pick<PeerTiming, 'randomBytes'>) {
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
  /** Whether an address is newer than the known one. */
  const isNewer = (node: NodeId, timestamp: bigint): boolean => {
    const known = addresses.get(node);
    return known === undefined || timestamp > known.timestamp;
  };
  resetFilter();

  return {
    isNewer,
    /** Adds an address whose signature is valid. Returns false if it is not newer. */
    add: (address: NodeAddress): boolean => {
      if (!isNewer(address.node, address.timestamp)) return false;
      addresses.set(address.node, address);
      if (bloom.count() >= capacity) resetFilter();
      else addToFilter(address);
      return true;
    },
    get: (node: NodeId): NodeAddress | undefined => addresses.get(node),
    /** Up to `count` of some addresses that the requester does not know, in random order. No more are tested than needed: each test hashes. */
    selectUnknown: (from: readonly NodeAddress[], known: KnownFilter | undefined, count: number): NodeAddress[] =>
      sample(from, count, timing, (address) => known === undefined || !known.filter.contains(bloomHash(gossipKey(address), known.salt))),
    /** Filter and salt as they are sent. */
    filter: (): { readonly filter: Uint8Array; readonly salt: Uint8Array } => ({ filter: bloom.bytes(), salt }),
    /** Forgets nodes that are not wanted any more, and creates a new filter with a new salt. */
    reset: (isWanted: (node: NodeId) => boolean): void => {
      for (const node of addresses.keys()) if (!isWanted(node)) addresses.delete(node);
      resetFilter();
    },
    count: (): number => addresses.size,
    filterState: (): BloomFilterState => ({ count: bloom.count(), max: capacity, hashes: size.hashes, entries: size.entryBytes, resets }),
  };
}
