import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idLength } from '../../base/bytes/id.ts';
import { MessageError, malformed } from './fault.ts';
import { varint64Size, varintSize, type WireReader, type WireWriter, wireTypes } from './wire.ts';

/** A protobuf type of one value: how it is read and written without its tag, and its text for the docs. */
export type ElementType<T> = {
  readonly name: string;
  readonly wireType: number;
  readonly size: (value: T) => number;
  readonly write: (writer: WireWriter, value: T) => void;
  readonly read: (reader: WireReader) => T;
};

/** A type that a field can have by itself. */
export type FieldType<T> = ElementType<T> & {
  /** The value of an absent field. A field with this value is not written. */
  readonly absent: T;
  readonly isAbsent: (value: T) => boolean;
  /** Whether a message without this field is rejected. */
  readonly isRequired?: true;
};

const number = { wireType: wireTypes.varint, absent: 0, isAbsent: (value: number) => value === 0, size: varintSize };

export const uint32: FieldType<number> = {
  ...number,
  name: 'uint32',
  write: (writer, value) => writer.varint(value),
  read: (reader) => reader.u32(),
};

/** An enum of small values; others are kept, as in proto3. */
export const enumeration: FieldType<number> = { ...uint32, name: 'enum' };

/** A signed number in zigzag form. */
export const sint32: FieldType<number> = {
  ...number,
  name: 'sint32',
  size: (value) => varintSize(zigzag(value)),
  write: (writer, value) => writer.varint(zigzag(value)),
  read: (reader) => {
    const bits = reader.u32();
    return (bits >>> 1) ^ -(bits & 1);
  },
};

const zigzag = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0;

export const uint64: FieldType<bigint> = {
  name: 'uint64',
  wireType: wireTypes.varint,
  absent: 0n,
  isAbsent: (value) => value === 0n,
  size: varint64Size,
  write: (writer, value) => writer.varint64(value),
  read: (reader) => reader.u64(),
};

export const bool: FieldType<boolean> = {
  name: 'bool',
  wireType: wireTypes.varint,
  absent: false,
  isAbsent: (value) => !value,
  size: () => 1,
  write: (writer, value) => writer.varint(value ? 1 : 0),
  read: (reader) => reader.bool(),
};

const emptyBytes = new Uint8Array(0);

/** Bytes, as a view into the frame. `max` is a limit of the protocol; without it the size of the frame is the limit. */
export const bytes = (max = Number.POSITIVE_INFINITY): FieldType<Uint8Array> => ({
  name: max === Number.POSITIVE_INFINITY ? 'bytes' : `bytes, at most ${max}`,
  wireType: wireTypes.bytes,
  absent: emptyBytes,
  isAbsent: (value) => value.length === 0,
  size: (value) => varintSize(value.length) + value.length,
  write: (writer, value) => {
    writer.varint(value.length);
    writer.raw(value);
  },
  read: (reader) => requireSize(reader.view(), max),
});

/** An ID: exactly 32 bytes, never absent. */
export const id: FieldType<Id> = {
  name: `bytes, exactly ${idLength}`,
  wireType: wireTypes.bytes,
  absent: '' as Id,
  isRequired: true,
  isAbsent: (value) => value.length === 0,
  size: (value) => 1 + value.length / 2,
  write: (writer, value) => {
    writer.varint(value.length / 2);
    writer.hex(value);
  },
  read: (reader) => {
    const view = reader.view();
    if (view.length !== idLength) throw wrongIdLength(view.length);
    return toHex(view) as Id;
  },
};

/** Text in UTF-8; Go rejects a message with invalid UTF-8. */
export const text = (max: number): FieldType<string> => ({
  name: `string, at most ${max} bytes`,
  wireType: wireTypes.bytes,
  absent: '',
  isAbsent: (value) => value.length === 0,
  size: (value) => {
    const size = Buffer.byteLength(value);
    return varintSize(size) + size;
  },
  write: (writer, value) => {
    writer.varint(Buffer.byteLength(value));
    writer.utf8(value);
  },
  read: (reader) => {
    try {
      return utf8.decode(requireSize(reader.view(), max));
    } catch (error) {
      throw error instanceof MessageError ? error : malformed('UTF-8');
    }
  },
});

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const wrongIdLength = (length: number) =>
  new MessageError(`expected an ID of ${idLength} bytes but got ${length}`, { code: 'MESSAGE_ID_LENGTH', length });

function requireSize(view: Uint8Array, max: number): Uint8Array {
  if (view.length > max)
    throw new MessageError(`field of ${view.length} bytes exceeds ${max}`, { code: 'MESSAGE_FIELD_TOO_LARGE', length: view.length, max });
  return view;
}
