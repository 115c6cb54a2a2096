import { MessageError } from './fault.ts';
import { compressedNumber, messageTable } from './message-table.ts';
import type { Fields, MessageOf, MessageType } from './message-type.ts';
import { varintSize, WireReader, WireWriter, wireTypes } from './wire.ts';
import { compressZstd, decompressZstd } from './zstd.ts';

type Table = typeof messageTable;
export type MessageKind = keyof Table & string;
type ValueOf<K extends MessageKind> = Table[K]['type'] extends MessageType<infer F> ? MessageOf<F> : never;

/** A message between peers: its kind and the fields of its row in the table. Byte fields are views into the frame: copy what outlives it. */
export type Message = { [K in MessageKind]: { readonly kind: K } & ValueOf<K> }[MessageKind];
export type MessageOfKind<K extends MessageKind> = Extract<Message, { kind: K }>;

/** The largest message, compressed and decompressed. AvalancheGo: utils/constants/networking.go, DefaultMaxMessageSize. */
export const maxMessageSize = 2 * 1024 * 1024;

type Row = { readonly kind: MessageKind; readonly number: number; readonly compressed: boolean; readonly type: MessageType<Fields> };
const rows = Object.entries(messageTable).map(([kind, row]) => ({ kind, ...row }) as unknown as Row);
const byKind = new Map(rows.map((row) => [row.kind, row]));
const byNumber: (Row | undefined)[] = [];
for (const row of rows) byNumber[row.number] = row;

/** Encodes a message without compression; `headroom` bytes are left free before it. */
export function encodeMessage(message: Message, headroom = 0): Buffer {
  const row = byKind.get(message.kind) as Row;
  const tag = row.number * 8 + wireTypes.bytes;
  const value = message as MessageOf<Fields>;
  const size = varintSize(tag) + row.type.size(value);
  if (size > maxMessageSize) throw tooLarge(size);
  const out = Buffer.allocUnsafe(headroom + size);
  const writer = new WireWriter(out, headroom);
  writer.varint(tag);
  row.type.write(writer, value);
  return out;
}

/** Encodes an encoded message compressed; `headroom` bytes are left free before it. */
export function compressMessage(message: Uint8Array, headroom = 0): Buffer {
  const content = compressZstd(message);
  const tag = compressedNumber * 8 + wireTypes.bytes;
  const out = Buffer.allocUnsafe(headroom + 1 + varintSize(content.length) + content.length);
  const writer = new WireWriter(out, headroom);
  writer.varint(tag);
  writer.varint(content.length);
  writer.raw(content);
  return out;
}

/** Whether AvalancheGo compresses messages of a kind. */
export const isCompressedKind = (kind: MessageKind): boolean => (byKind.get(kind) as Row).compressed;

/**
 * Decodes a message, decompressing it if it is compressed; `onDecompressed` then gets its size. Throws a MessageError for anything that
 * AvalancheGo ignores.
 */
export function decodeMessage(bytes: Uint8Array, onDecompressed: (size: number) => void = () => {}): Message {
  const outer = readOuter(bytes);
  if (!(outer instanceof Uint8Array)) return outer;
  if (outer.length === 0) throw unknown();
  const decompressed = decompressZstd(outer, maxMessageSize);
  onDecompressed(decompressed.length);
  const inner = readOuter(decompressed);
  // A compressed message inside a compressed one is not allowed.
  if (inner instanceof Uint8Array) throw unknown();
  return inner;
}

/** Reads the outer message, whose fields are alternatives: the last one counts, and occurrences of the same one are merged. */
function readOuter(bytes: Uint8Array): Message | Uint8Array {
  if (bytes.length > maxMessageSize) throw tooLarge(bytes.length);
  const reader = new WireReader(bytes);
  let row: Row | undefined;
  let value: MessageOf<Fields> | undefined;
  let compressed: Uint8Array | undefined;
  while (reader.nextTag()) {
    const found = byNumber[reader.field];
    if (reader.wireType !== wireTypes.bytes) reader.skip();
    else if (reader.field === compressedNumber) {
      compressed = reader.view();
      row = undefined;
      value = undefined;
    } else if (found === undefined) reader.skip();
    else {
      compressed = undefined;
      value = naming(found, () => found.type.readMerged(reader, found === row ? value : undefined));
      row = found;
    }
  }
  if (compressed !== undefined) return compressed;
  if (row === undefined || value === undefined) throw unknown();
  const [foundRow, read] = [row, value];
  naming(foundRow, () => foundRow.type.requireIds(read));
  // The object was created by this call: adding a property is cheaper than a copy.
  return Object.assign(value, { kind: row.kind }) as unknown as Message;
}

/** Runs a part of the decoder; an error that it throws names the kind of the message. */
function naming<T>(row: Row, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MessageError) error.messageKind = row.kind;
    throw error;
  }
}

const unknown = () => new MessageError('unknown message', { code: 'MESSAGE_UNKNOWN' });
const tooLarge = (length: number) =>
  new MessageError(`message of ${length} bytes exceeds ${maxMessageSize}`, { code: 'MESSAGE_TOO_LARGE', length, max: maxMessageSize });
