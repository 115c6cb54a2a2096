import type { Id } from '../../base/bytes/id.ts';
import type { MessageOfKind } from '../messages/message.ts';
import { type BloomFilter, parseBloomFilter } from './bloom-filter.ts';
import { PeerError } from './fault.ts';
import { type ClaimedAddress, claimedAddressBytes, readIp } from './signed-ip.ts';

export type Version = { readonly major: number; readonly minor: number; readonly patch: number };

/** Reads a version such as 1.14.2; undefined for any other text. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})$/.exec(text) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

export type HandshakeRules = {
  readonly networkId: number;
  readonly version: Version;
  /** The lowest version of a peer at this time; it rises with upgrades. */
  readonly minimumVersion: Version;
  readonly nowSeconds: bigint;
  /** `--network-max-clock-difference`. */
  readonly maxClockDifference: bigint;
  /** ACPs that are being voted on; others are ignored. */
  readonly currentAcps: ReadonlySet<number>;
  /** Verifies a signature by the key of the peer's TLS certificate. */
  readonly verifyTlsSignature: (message: Uint8Array, signature: Uint8Array) => boolean;
};

/** A peer by its handshake. The BLS signature is checked apart, against the key that a validator registered. */
export type HandshakePeer = {
  readonly address: ClaimedAddress;
  readonly addressBytes: Uint8Array;
  readonly version: Version & { readonly name: string };
  readonly upgradeTime: bigint;
  readonly trackedSubnets: readonly Id[];
  readonly supportedAcps: readonly number[];
  readonly objectedAcps: readonly number[];
  readonly knownPeers: { readonly filter: BloomFilter; readonly salt: Uint8Array } | undefined;
  readonly allSubnets: boolean;
};

/** Checks a handshake in AvalancheGo's order; a failed check closes the connection. AvalancheGo: network/peer/peer.go, handleHandshake. */
export function verifyHandshake(handshake: MessageOfKind<'handshake'>, rules: HandshakeRules): HandshakePeer {
  if (handshake.networkId !== rules.networkId) throw bad('networkId', `${handshake.networkId} instead of ${rules.networkId}`);
  const difference = handshake.myTime - rules.nowSeconds;
  if (difference > rules.maxClockDifference || -difference > rules.maxClockDifference)
    throw bad('myTime', `the clocks differ by ${difference} s; at most ${rules.maxClockDifference} are allowed`);
  const current = (acps: readonly number[]) => [...new Set(acps)].filter((acp) => rules.currentAcps.has(acp));
  const supportedAcps = current(handshake.supportedAcps);
  const objectedAcps = current(handshake.objectedAcps);
  if (supportedAcps.some((acp) => objectedAcps.includes(acp))) throw bad('objectedAcps', 'an ACP is both supported and objected to');
  const { knownPeers } = handshake;
  const filter = knownPeers && { filter: parseBloomFilter(knownPeers.filter), salt: knownPeers.salt };
  const address = { ip: readIp(handshake.ip), port: handshake.port & 0xffff, timestamp: handshake.ipSigningTime };
  if (address.port === 0) throw bad('port', 'it is 0');
  if (address.timestamp > rules.nowSeconds + rules.maxClockDifference) throw bad('ipSigningTime', 'it is too far in the future');
  const addressBytes = claimedAddressBytes(address);
  if (!rules.verifyTlsSignature(addressBytes, handshake.ipTlsSignature)) throw bad('ipTlsSignature', 'it is not by the TLS key');
  const { name = '', major = 0, minor = 0, patch = 0 } = handshake.client ?? {};
  const version = { name, major, minor, patch };
  if (!isCompatible(version, rules.version, rules.minimumVersion))
    throw bad('client', `version ${major}.${minor}.${patch} is not compatible`);
  return {
    address,
    addressBytes,
    version,
    upgradeTime: handshake.upgradeTime,
    trackedSubnets: handshake.trackedSubnets,
    supportedAcps,
    objectedAcps,
    knownPeers: filter,
    allSubnets: handshake.allSubnets,
  };
}

/** Whether a peer's version is new enough and not of a later major version. AvalancheGo: version/compatibility.go. */
export const isCompatible = (version: Version, own: Version, minimum: Version): boolean =>
  version.major <= own.major && compareVersions(version, minimum) >= 0;

const compareVersions = (a: Version, b: Version): number => a.major - b.major || a.minor - b.minor || a.patch - b.patch;

const bad = (field: string, reason: string) => new PeerError(`bad handshake: ${field}: ${reason}`, { code: 'PEER_BAD_HANDSHAKE', field });
