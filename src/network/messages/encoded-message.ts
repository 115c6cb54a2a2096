import { compressFrame, encodeFrame, messageSize, plainFrame } from './frame.ts';
import { encodeMessage, isCompressedKind, type Message, type MessageKind } from './message.ts';
import { ClaimedIp, messageTable } from './message-table.ts';
import type { MessageOf } from './message-type.ts';
import { varintSize, WireWriter, wireTypes } from './wire.ts';

/** A message as a frame, encoded once for all its receivers. */
export type EncodedMessage = {
  readonly kind: MessageKind;
  readonly frame: Uint8Array;
  readonly isCompressed: boolean;
  /** Bytes that compression saved; negative if the message grew. */
  readonly saved: number;
};

type Compression = 'zstd' | 'none';

export const encodeForPeers = (message: Message, compression: Compression): EncodedMessage =>
  compression === 'zstd' && isCompressedKind(message.kind)
    ? compressed(message.kind, encodeMessage(message))
    : plain(message.kind, encodeFrame(message, { compress: false }));

/** A peer list of claims that are encoded already. */
export const encodeClaims = (claims: readonly Uint8Array[], compression: Compression): EncodedMessage =>
  compression === 'zstd' ? compressed('peerList', encodePeerList(claims)) : plain('peerList', plainFrame(encodePeerList(claims)));

const plain = (kind: MessageKind, frame: Uint8Array): EncodedMessage => ({ kind, frame, isCompressed: false, saved: 0 });

/** Shorter messages are sent as they are, which every node accepts: compressing costs both sides more than the bytes that it saves. */
const minCompressed = 512;

function compressed(kind: MessageKind, message: Uint8Array): EncodedMessage {
  if (message.length < minCompressed) return plain(kind, plainFrame(message));
  const frame = compressFrame(message);
  return { kind, frame, isCompressed: true, saved: message.length - messageSize(frame) };
}

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
