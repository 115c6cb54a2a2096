import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocketHandlers } from '../../api/http/message.ts';

/** WebSockets (RFC 6455) that only send, for servers on Node. On Bun they are part of its HTTP server. */

/** The most bytes of a message of the client. All messages are ignored, so none needs to be long. */
const maxMessage = 1024;

/** Milliseconds without traffic after which a connection is closed, and for the client to close it after the last frame. */
const idleTimeout = 60_000;
const closeTimeout = 1000;

/** Pings are not answered while more bytes than this wait to be sent: the client does not read. */
const maxUnsent = 65_536;

const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;
const closeCodes = { normal: 1000, protocolError: 1002, tooLarge: 1009 } as const;

/** Whether a request asks for a WebSocket, correctly or not. */
export const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/** The answer to the key of a request for a WebSocket; undefined if the request is not a valid one. */
export function acceptKey({ headers }: IncomingMessage): string | undefined {
  const key = headers['sec-websocket-key'] ?? '';
  if (headers['sec-websocket-version'] !== '13' || !/^[A-Za-z0-9+/]{22}==$/.test(key)) return undefined;
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/** Makes a connection a WebSocket. `head` is what the client sent after its request. */
export function openWebSocket(
  socket: Socket,
  head: Uint8Array,
  {
    key,
    headers,
    handlers,
  }: { readonly key: string; readonly headers: Readonly<Record<string, string>>; readonly handlers: WebSocketHandlers },
): void {
  const lines = Object.entries({ Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Accept': key, ...headers });
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  let isClosing = false;
  const close = (code: number): void => {
    if (isClosing) return;
    isClosing = true;
    socket.end(formatFrame(opcodes.close, Buffer.from([code >> 8, code & 255])));
    socket.setTimeout(closeTimeout);
  };
  const reader = createFrameReader({
    onPing: (payload) => {
      if (!isClosing && socket.writableLength < maxUnsent) socket.write(formatFrame(opcodes.pong, payload));
    },
    onEnd: close,
  });
  socket.setNoDelay(true);
  socket.setTimeout(idleTimeout, () => socket.destroy());
  socket.on('data', reader);
  socket.on('drain', () => !isClosing && handlers.onDrain());
  socket.once('end', () => close(closeCodes.normal));
  socket.once('close', handlers.onClose);
  handlers.onOpen({
    send: (text) => !isClosing && socket.write(formatFrame(opcodes.text, Buffer.from(text))),
    close: () => close(closeCodes.normal),
    terminate: () => socket.destroy(),
  });
  reader(head);
}

/** One whole message, unmasked, as servers send it. */
export function formatFrame(opcode: number, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  header[0] = 0x80 | opcode;
  header[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, payload]);
}

type FrameReaderHandlers = {
  readonly onPing: (payload: Uint8Array) => void;
  /** The client closes the connection, or has sent what closes it; with the code to answer. */
  readonly onEnd: (code: number) => void;
};

/** Reads the frames of a client from chunks as they arrive. Holds at most one frame. */
export function createFrameReader({ onPing, onEnd }: FrameReaderHandlers): (chunk: Uint8Array) => void {
  let unread: Uint8Array = new Uint8Array(0);
  let messageBytes = 0;
  let isEnded = false;
  const end = (code: number): void => {
    isEnded = true;
    unread = new Uint8Array(0);
    onEnd(code);
  };
  return (chunk) => {
    if (isEnded) return;
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    while (!isEnded) {
      const frame = parseFrame(unread);
      if (frame === undefined) return;
      if (typeof frame === 'number') return end(frame);
      unread = unread.subarray(frame.size);
      const { opcode, payload } = frame;
      if (opcode === opcodes.close) return end(closeCodes.normal);
      if (opcode === opcodes.ping) onPing(payload);
      if (opcode >= opcodes.close) continue;
      messageBytes += payload.length;
      if (messageBytes > maxMessage) return end(closeCodes.tooLarge);
      if (frame.isLast) messageBytes = 0;
    }
  };
}

type Frame = { readonly opcode: number; readonly isLast: boolean; readonly payload: Uint8Array; readonly size: number };

/** The first frame in some bytes; undefined if it is not complete, a close code if it is not acceptable. */
function parseFrame(bytes: Uint8Array): Frame | number | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const opcode = first & 15;
  const isLast = (first & 0x80) !== 0;
  const short = second & 127;
  const isControl = opcode >= opcodes.close;
  // Extensions are not negotiated, frames of clients are masked, control frames are short and not fragmented.
  if ((first & 0x70) !== 0 || (second & 0x80) === 0 || opcode > opcodes.pong || (opcode > 2 && !isControl)) return closeCodes.protocolError;
  if (isControl && (short > 125 || !isLast)) return closeCodes.protocolError;
  if (short === 127) return closeCodes.tooLarge;
  const start = short === 126 ? 8 : 6;
  if (bytes.length < start) return undefined;
  const length = short === 126 ? ((bytes[2] as number) << 8) | (bytes[3] as number) : short;
  if (length > maxMessage) return closeCodes.tooLarge;
  if (bytes.length < start + length) return undefined;
  const payload = new Uint8Array(length);
  for (let i = 0; i < length; i++) payload[i] = (bytes[start + i] as number) ^ (bytes[start - 4 + (i & 3)] as number);
  return { opcode, isLast, payload, size: start + length };
}
