import { ipText } from '../../base/bytes/ip-address.ts';
import { type NodeId, nodeIdOfCertificate } from '../../base/bytes/node-id.ts';
import { CertificateError, certificatePublicKey } from '../identity/parse-certificate.ts';
import { verifyStakingSignature } from '../identity/staking-signature.ts';
import type { MessageOfKind } from '../messages/message.ts';
import { encodeClaim } from '../messages/peer-list.ts';
import { PeerError } from '../protocol/fault.ts';
import { claimedAddressBytes, readIp } from '../protocol/signed-ip.ts';
import type { NetworkCounters } from './counters.ts';
import { endpointText } from './ip-address.ts';
import { createKnownAddresses, type KnownFilter, type NodeAddress } from './known-addresses.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { SignedAddress } from './own-address.ts';
import type { Peer, VerifiedPeer } from './peer-context.ts';
import type { Endpoint } from './socket.ts';
import type { PeerTiming } from './timing.ts';

type Claim = MessageOfKind<'peerList'>['peers'][number];

type AddressBookDeps = {
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
};

/** The addresses that peers tell each other: what this node learns, and what it passes on. */
export function createAddressBook(deps: AddressBookDeps) {
  const { self, timing, options, isWanted } = deps;
  const known = createKnownAddresses(timing);
  const latest = () => timing.unixSeconds() + BigInt(Math.floor(options.maxClockDifference / 1000));

  const noteOwnClaim = (address: NodeAddress): void => {
    const own = deps.own();
    if (own === undefined || address.timestamp <= own.timestamp || address.timestamp > latest()) return;
    if (hasValidSignature(address)) deps.foreignClaim(endpointText(ipText(address.ip), address.port));
  };
  const learnOne = (claim: Claim): void => {
    const address = parseClaim(claim);
    const { node } = address;
    if (node === self) return void noteOwnClaim(address);
    if (!isWanted(node) || !known.isNewer(node, address.timestamp)) {
      deps.counters.uselessPeerListBytes += claim.certificate.length + claim.signature.length + claim.ip.length + 10;
      return;
    }
    if (address.timestamp > latest()) throw badClaim('its time is too far in the future');
    if (!hasValidSignature(address)) throw badClaim('the signature is not by the TLS key');
    // Bytes of a message are views into it.
    known.add({
      ...address,
      ip: Uint8Array.from(address.ip),
      certificate: Uint8Array.from(address.certificate),
      signature: Uint8Array.from(address.signature),
    });
    deps.dial(node, { ip: ipText(address.ip), port: address.port });
  };

  const wantedPeers = (): Peer[] => [...deps.connected()].filter(({ node }) => isWanted(node));
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
    filter: known.filter,
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
      for (const peer of deps.connected()) if (isWanted(peer.node)) known.add(addressOf(peer));
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
