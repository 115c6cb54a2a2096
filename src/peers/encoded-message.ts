import { encodeFrame } from '../p2p-messages/frame.ts';
import { isCompressedKind, type Message, type MessageKind } from '../p2p-messages/message.ts';

/** A message as a frame, encoded once for all its receivers. */
export type EncodedMessage = { readonly kind: MessageKind; readonly frame: Uint8Array; readonly isCompressed: boolean };

export function encodeForPeers(message: Message, compression: 'zstd' | 'none'): EncodedMessage {
  const isCompressed = compression === 'zstd' && isCompressedKind(message.kind);
  return { kind: message.kind, frame: encodeFrame(message, { compress: isCompressed }), isCompressed };
}

const compressedTag = 0x12;

/** Whether a received message is compressed. */
export const isCompressedBytes = (message: Uint8Array): boolean => message[0] === compressedTag;
