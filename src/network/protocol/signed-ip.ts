import { fromHex } from '../../base/bytes/hex.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import { mapIp, unmapIp } from '../../base/bytes/ip-address.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { concat, u64Bytes } from '../../base/bytes/octets.ts';
import { PeerError } from './fault.ts';

/** The address that a node claims to have; nodes sign it with their TLS key and their BLS key. */
export type ClaimedAddress = {
  /** 4 or 16 bytes. */
  readonly ip: Uint8Array;
  readonly port: number;
  /** Unix seconds of the signature; of two claims the newer one counts. */
  readonly timestamp: bigint;
};

/** The bytes that are signed: IPv6 form of the address, port, time. AvalancheGo: network/peer/ip.go. */
export function claimedAddressBytes({ ip, port, timestamp }: ClaimedAddress): Uint8Array {
  const v6 = mapIp(ip);
  if (v6.length !== 16) throw badIp(ip.length);
  return concat([v6, Uint8Array.of(port >> 8, port & 0xff), u64Bytes(timestamp)]);
}

/** An address as a peer sent it, with IPv4-mapped IPv6 as IPv4. */
export function readIp(ip: Uint8Array): Uint8Array {
  if (ip.length !== 4 && ip.length !== 16) throw badIp(ip.length);
  return unmapIp(ip);
}

/**
 * The ID of a claim in the bloom filters of known peers: sha256 over node ID, time and 12 zero bytes, which AvalancheGo's buffer of 40 bytes
 * leaves. AvalancheGo: utils/ips/claimed_ip_port.go.
 */
export const claimGossipId = (nodeId: NodeId, timestamp: bigint): Id =>
  idOf(concat([fromHex(nodeId), u64Bytes(timestamp), new Uint8Array(12)]));

const badIp = (length: number) => new PeerError(`an IP address has 4 or 16 bytes, not ${length}`, { code: 'PEER_BAD_IP', length });
