import type { MessageOfKind } from '../messages/message.ts';
import type { SignedAddress } from './own-address.ts';
import type { NetworkRules } from './peer-context.ts';

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
