import type { KeyObject } from 'node:crypto';
import { messageOf } from '../../base/fault.ts';
import type { BlsSigner } from '../identity/bls.ts';
import { signStaking, verifyStakingSignature } from '../identity/staking-certificate.ts';
import type { MessageOfKind } from '../messages/message.ts';
import { parseBloomFilter } from '../protocol/bloom-filter.ts';
import { PeerError } from '../protocol/fault.ts';
import { type HandshakePeer, isCompatible, type Version, verifyHandshake } from '../protocol/handshake.ts';
import { type ClaimedAddress, claimedAddressBytes } from '../protocol/signed-ip.ts';
import type { KnownFilter } from './address-book.ts';

/** What this node announces in its handshake, and accepts in those of others. */
export type NetworkRules = {
  readonly networkId: number;
  readonly compatibility: Compatibility;
  /** ACPs that are being voted on. */
  readonly currentAcps: ReadonlySet<number>;
};

/** What versions of other nodes this node accepts. AvalancheGo: version/compatibility.go. */
export type Compatibility = {
  /** Version that this node announces. */
  readonly version: Version & { readonly name: string };
  readonly minimum: Version;
  /** The minimum from the time of the newest upgrade on. */
  readonly minimumAfterUpgrade: Version;
  /** Unix seconds of the newest upgrade; peers compare it with theirs. */
  readonly upgradeTime: bigint;
};

/** The lowest version that is accepted now. */
const minimumVersion = ({ minimum, minimumAfterUpgrade, upgradeTime }: Compatibility, now: bigint): Version =>
  now < upgradeTime ? minimum : minimumAfterUpgrade;

/** Whether a peer with this version may stay connected at `now`, in Unix seconds. */
export const isVersionAccepted = (version: HandshakePeer['version'], { compatibility }: NetworkRules, now: bigint): boolean =>
  isCompatible(version, compatibility.version, minimumVersion(compatibility, now));

/** The address of this node with the signatures of its keys. */
export type SignedAddress = ClaimedAddress & { readonly tlsSignature: Uint8Array; readonly blsSignature: Uint8Array };

/** Signs an address. It is signed once per start; peers prefer the claim with the later time. AvalancheGo: network/peer/ip_signer.go. */
export async function signAddress(
  address: ClaimedAddress,
  keys: { readonly privateKey: KeyObject; readonly signer: BlsSigner },
): Promise<SignedAddress> {
  const bytes = claimedAddressBytes(address);
  const blsSignature = await keys.signer.signPossession(bytes);
  return { ...address, tlsSignature: signStaking(keys.privateKey, bytes), blsSignature };
}

/** What this node says of itself to a new peer. */
export const createOwnHandshake = (
  { networkId, compatibility: { version, upgradeTime } }: NetworkRules,
  { ip, port, timestamp, tlsSignature, blsSignature }: SignedAddress,
  myTime: bigint,
  knownPeers: MessageOfKind<'handshake'>['knownPeers'],
): MessageOfKind<'handshake'> => ({
  kind: 'handshake',
  networkId,
  myTime,
  ip,
  port,
  upgradeTime,
  ipSigningTime: timestamp,
  ipTlsSignature: tlsSignature,
  trackedSubnets: [],
  client: version,
  supportedAcps: [],
  objectedAcps: [],
  knownPeers,
  ipBlsSignature: blsSignature,
  allSubnets: false,
});

/** A peer by its handshake, with the signatures of its address. */
export type VerifiedPeer = HandshakePeer & { readonly tlsSignature: Uint8Array; readonly blsSignature: Uint8Array };

/**
 * Checks the handshake of a peer, except its BLS signature. Returns the reason if it is bad. Bytes are copied: they outlive the message. `now` is in
 * Unix seconds, `maxClockDifference` in milliseconds.
 */
export function verifyPeer(
  message: MessageOfKind<'handshake'>,
  certificate: Uint8Array,
  rules: NetworkRules,
  maxClockDifference: number,
  now: bigint,
): VerifiedPeer | string {
  try {
    const verified = verifyHandshake(copyHandshake(message), {
      networkId: rules.networkId,
      version: rules.compatibility.version,
      minimumVersion: minimumVersion(rules.compatibility, now),
      nowSeconds: now,
      maxClockDifference: BigInt(Math.floor(maxClockDifference / 1000)),
      currentAcps: rules.currentAcps,
      verifyTlsSignature: (bytes, signature) => verifyStakingSignature(certificate, bytes, signature) === true,
    });
    const [tlsSignature, blsSignature] = [new Uint8Array(message.ipTlsSignature), new Uint8Array(message.ipBlsSignature)];
    return { ...verified, tlsSignature, blsSignature };
  } catch (error) {
    if (error instanceof PeerError) return messageOf(error);
    throw error;
  }
}

/** Only the filter and the address refer to the bytes of the frame after the check. The largest filter takes 1.5 ms here, with `Uint8Array.from` 80. */
const copyHandshake = (message: MessageOfKind<'handshake'>): MessageOfKind<'handshake'> => ({
  ...message,
  ip: new Uint8Array(message.ip),
  knownPeers: message.knownPeers && {
    filter: new Uint8Array(message.knownPeers.filter),
    salt: new Uint8Array(message.knownPeers.salt),
  },
});

/** The filter of a request for addresses, or the reason why it is bad. */
export function readFilter(known: MessageOfKind<'getPeerList'>['knownPeers']): KnownFilter | string {
  if (known === undefined) return 'a request for peers without a filter';
  try {
    return { filter: parseBloomFilter(known.filter), salt: known.salt };
  } catch (error) {
    if (error instanceof PeerError) return messageOf(error);
    throw error;
  }
}
