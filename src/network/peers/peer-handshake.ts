import { messageOf } from '../../base/fault.ts';
import { verifyStakingSignature } from '../identity/staking-signature.ts';
import type { MessageOfKind } from '../messages/message.ts';
import { parseBloomFilter } from '../protocol/bloom-filter.ts';
import { PeerError } from '../protocol/fault.ts';
import { verifyHandshake } from '../protocol/handshake.ts';
import type { KnownFilter } from './known-addresses.ts';
import { minimumVersion, type PeerContext, type VerifiedPeer } from './peer-context.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/**
 * Checks the handshake of a peer, except its BLS signature. Returns the reason if it is bad. Bytes are copied: they outlive the message.
 */
export function verifyPeer(context: PeerContext, message: MessageOfKind<'handshake'>, certificate: Uint8Array): VerifiedPeer | string {
  const { counters, rules } = context;
  const now = context.timing.unixSeconds();
  const difference = message.myTime - now;
  counters.clockSkews++;
  counters.clockSkewSum += Math.abs(Number(difference));
  try {
    const verified = verifyHandshake(copyHandshake(message), {
      networkId: rules.networkId,
      version: rules.compatibility.version,
      minimumVersion: minimumVersion(rules.compatibility, now),
      nowSeconds: now,
      maxClockDifference: BigInt(Math.floor(context.options.maxClockDifference / 1000)),
      currentAcps: rules.currentAcps,
      verifyTlsSignature: (bytes, signature) => verifyStakingSignature(certificate, bytes, signature) === true,
    });
    const [tlsSignature, blsSignature] = [Uint8Array.from(message.ipTlsSignature), Uint8Array.from(message.ipBlsSignature)];
    return { ...verified, tlsSignature, blsSignature };
  } catch (error) {
    if (error instanceof PeerError) return messageOf(error);
    throw error;
  }
}

/** Only the filter and the address refer to the bytes of the frame after the check. */
const copyHandshake = (message: MessageOfKind<'handshake'>): MessageOfKind<'handshake'> => ({
  ...message,
  ip: Uint8Array.from(message.ip),
  knownPeers: message.knownPeers && {
    filter: Uint8Array.from(message.knownPeers.filter),
    salt: Uint8Array.from(message.knownPeers.salt),
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

/**
 * How often a peer's requests for addresses are answered: one per second, ten at once. AvalancheGo asks one random peer every two seconds. A
 * request of 300 bytes can cause a response of 25 kB, and no response is owed.
 */
export const createAddressRequests = (now: number): TokenBucket => createTokenBucket(1, 10, now);
