import { ClaimedIp, messageTable } from './message-table.ts';
import type { MessageOf } from './message-type.ts';
import { wireTypes } from './wire-reader.ts';
import { varintSize, WireWriter } from './wire-writer.ts';

/**
 * Peer lists of claims that are encoded once: the same addresses are in many lists. The result is that of `encodeMessage` for a message of the
 * kind `peerList`.
 */
export const encodeClaim = (claim: MessageOf<typeof ClaimedIp.fields>): Uint8Array => ClaimedIp.encode(claim);

/** Returns the message of encoded claims. There must be no more of them than a peer list may have. */
export function encodePeerList(claims: readonly Uint8Array[]): Buffer {
  const contentSize = claims.reduce((sum, { length }) => sum + 1 + varintSize(length) + length, 0);
  const out = Buffer.allocUnsafe(1 + varintSize(contentSize) + contentSize);
  const writer = new WireWriter(out);
  writer.varint(listTag);
  writer.varint(contentSize);
  for (const claim of claims) {
    writer.varint(claimTag);
    writer.varint(claim.length);
    writer.raw(claim);
  }
  return out;
}

const { peerList } = messageTable;
const listTag = peerList.number * 8 + wireTypes.bytes;
const claimTag = peerList.type.fields.peers.number * 8 + wireTypes.bytes;
