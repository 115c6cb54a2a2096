import { MessageError } from './fault.ts';
import { encodeCompressed, encodeMessage, type Message, maxMessageSize } from './message.ts';

/** A frame: a big-endian u32 length, then the message. AvalancheGo: network/peer/msg_length.go. */
const prefixSize = 4;

export function encodeFrame(message: Message, options: { readonly compress: boolean }): Buffer {
  const frame = options.compress ? encodeCompressed(message, prefixSize) : encodeMessage(message, prefixSize);
  frame.writeUInt32BE(frame.length - prefixSize, 0);
  return frame;
}

/** Cuts the bytes of a connection into messages. */
export type FrameReader = {
  /**
   * Takes the next bytes and returns the messages they complete, as copies that later calls do not change. Throws FRAME_TOO_LARGE when a length
   * exceeds 2 MiB: the connection must be closed. Memory grows with the bytes received, not with the length that a peer announces.
   */
  readonly push: (chunk: Uint8Array) => Uint8Array[];
  /** Bytes of the incomplete frame. */
  readonly pending: () => number;
};

export function createFrameReader(): FrameReader {
  let buffer = Buffer.alloc(0);
  let filled = 0;

  const append = (chunk: Uint8Array): void => {
    const needed = filled + chunk.length;
    if (needed > buffer.length) {
      const wider = Buffer.allocUnsafe(Math.min(Math.max(needed, 2 * buffer.length), Math.max(needed, prefixSize + maxMessageSize)));
      buffer.copy(wider, 0, 0, filled);
      buffer = wider;
    }
    buffer.set(chunk, filled);
    filled = needed;
  };

  return {
    pending: () => filled,
    push: (chunk) => {
      append(chunk);
      const messages: Uint8Array[] = [];
      let at = 0;
      while (filled - at >= prefixSize) {
        const length = buffer.readUInt32BE(at);
        if (length > maxMessageSize) throw frameTooLarge(length);
        if (filled - at - prefixSize < length) break;
        messages.push(Uint8Array.prototype.slice.call(buffer, at + prefixSize, at + prefixSize + length));
        at += prefixSize + length;
      }
      // The buffer is released between frames: an idle peer holds no memory.
      const rest = filled - at;
      if (at > 0) buffer = rest === 0 ? Buffer.alloc(0) : Buffer.from(buffer.subarray(at, filled));
      filled = rest;
      return messages;
    },
  };
}

const frameTooLarge = (length: number) =>
  new MessageError(`frame of ${length} bytes exceeds ${maxMessageSize}`, { code: 'FRAME_TOO_LARGE', length, max: maxMessageSize });
