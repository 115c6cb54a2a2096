import { compressFrame, encodeFrame, messageSize, plainFrame } from '../messages/frame.ts';
import { encodeMessage, isCompressedKind, type Message, type MessageKind } from '../messages/message.ts';
import { encodePeerList } from '../messages/peer-list.ts';

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
    : { kind: message.kind, frame: encodeFrame(message, { compress: false }), isCompressed: false, saved: 0 };

/** A peer list of claims that are encoded already. */
export const encodeClaims = (claims: readonly Uint8Array[], compression: Compression): EncodedMessage =>
  compression === 'zstd'
    ? compressed('peerList', encodePeerList(claims))
    : { kind: 'peerList', frame: plainFrame(encodePeerList(claims)), isCompressed: false, saved: 0 };

function compressed(kind: MessageKind, message: Uint8Array): EncodedMessage {
  const frame = compressFrame(message);
  return { kind, frame, isCompressed: true, saved: message.length - messageSize(frame) };
}
