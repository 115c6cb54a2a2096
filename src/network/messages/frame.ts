import { MessageError } from './fault.ts';
import { compressMessage, encodeMessage, isCompressedKind, type Message, maxMessageSize } from './message.ts';

/** A frame: a big-endian u32 length, then the message. AvalancheGo: network/peer/msg_length.go. */
const prefixSize = 4;

/** Unread bytes are copied to a smaller buffer when this many bytes before them were taken, and at least as many as are left: else most were copied often. */
const largeBuffer = 65_536;

/** The buffer of an incomplete frame grows by this factor, up to the size of the frame. */
const growth = 4;

/** Messages up to this size are copied: a view would keep all that came with it in memory. */
const smallMessage = 4096;

const emptyBuffer = Buffer.alloc(0);

/** `compress`: messages of the kinds that AvalancheGo compresses are compressed. */
export const encodeFrame = (message: Message, { compress }: { readonly compress: boolean }): Buffer =>
  compress && isCompressedKind(message.kind) ? compressFrame(encodeMessage(message)) : writeLength(encodeMessage(message, prefixSize));

/** The frame of an encoded message, as it is. */
export const plainFrame = (message: Uint8Array): Buffer => writeLength(Buffer.concat([Buffer.alloc(prefixSize), message]));

/** The frame of an encoded message, compressed. */
export const compressFrame = (message: Uint8Array): Buffer => writeLength(compressMessage(message, prefixSize));

function writeLength(frame: Buffer): Buffer {
  frame.writeUInt32BE(frame.length - prefixSize, 0);
  return frame;
}

/** The size of the frame around a message. */
export const frameSize = (message: number): number => prefixSize + message;

/** The size of the message in a frame. */
export const messageSize = (frame: Uint8Array): number => frame.length - prefixSize;

/** Cuts the bytes of a connection into messages. */
type FrameReader = {
  /**
   * Adds the next bytes of the connection, which must not change afterwards. Memory grows with the bytes received, not with the length that a
   * peer announces.
   */
  readonly append: (chunk: Uint8Array) => void;
  /**
   * The length of the frame that begins at the first unread byte; undefined if it has not arrived. Throws FRAME_TOO_LARGE above 2 MiB: the
   * connection must be closed.
   */
  readonly announced: () => number | undefined;
  /** Returns the next message if it is complete. Later calls do not change it. */
  readonly take: () => Uint8Array | undefined;
  /** Appends bytes and returns all messages that are complete then. */
  readonly push: (chunk: Uint8Array) => Uint8Array[];
  /** Bytes that are not yet taken. */
  readonly pending: () => number;
};

export function createFrameReader(): FrameReader {
  // Bytes that were read are never overwritten, so large messages are views and most chunks are not copied: a flood leaves less to collect.
  let buffer: Buffer = emptyBuffer;
  let start = 0;
  let end = 0;

  const append = (chunk: Uint8Array): void => {
    if (start === end) {
      buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      start = 0;
      end = chunk.length;
      return;
    }
    if (end + chunk.length > buffer.length) {
      const unread = end - start;
      const needed = unread + chunk.length;
      const wider = Buffer.allocUnsafe(Math.max(needed, Math.min(incompleteSize(unread), growth * needed)));
      buffer.copy(wider, 0, start, end);
      buffer = wider;
      start = 0;
      end = unread;
    }
    buffer.set(chunk, end);
    end += chunk.length;
  };
  /** The size of the frame that is being read, at most the largest one. */
  const incompleteSize = (unread: number): number =>
    frameSize(unread < prefixSize ? 0 : Math.min(buffer.readUInt32BE(start), maxMessageSize));
  const announced = (): number | undefined => {
    if (end - start < prefixSize) return undefined;
    const length = buffer.readUInt32BE(start);
    if (length > maxMessageSize) throw frameTooLarge(length);
    return length;
  };
  const take = (): Uint8Array | undefined => {
    const length = announced();
    if (length === undefined || end - start - prefixSize < length) return undefined;
    const from = start + prefixSize;
    start = from + length;
    const message = length > smallMessage ? buffer.subarray(from, start) : Uint8Array.prototype.slice.call(buffer, from, start);
    // The buffer is released between frames: an idle peer holds no memory.
    if (start === end || (start > largeBuffer && start >= end - start)) {
      buffer = start === end ? emptyBuffer : Buffer.from(buffer.subarray(start, end));
      end -= start;
      start = 0;
    }
    return message;
  };

  return {
    append,
    announced,
    take,
    push: (chunk) => {
      append(chunk);
      const messages: Uint8Array[] = [];
      for (let message = take(); message !== undefined; message = take()) messages.push(message);
      return messages;
    },
    pending: () => end - start,
  };
}

const frameTooLarge = (length: number) =>
  new MessageError(`frame of ${length} bytes exceeds ${maxMessageSize}`, { code: 'FRAME_TOO_LARGE', length, max: maxMessageSize });
