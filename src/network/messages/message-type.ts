import { MessageError, malformed } from './fault.ts';
import { type ElementType, type FieldType, wrongIdLength } from './field-types.ts';
import { varintSize, WireReader, WireWriter, wireTypes } from './wire.ts';

/** A field of a message: its number, and how its value is read and written with the tag. */
export type Field<T> = {
  readonly number: number;
  readonly name: string;
  readonly absent: () => T;
  readonly isRequired: boolean;
  /** Size with tags; 0 if the value is the absent one. */
  readonly size: (value: T) => number;
  readonly write: (writer: WireWriter, value: T) => void;
  /** Reads one occurrence, or skips it if its wire type does not fit, as Go does. */
  readonly read: (reader: WireReader, previous: T) => T;
};

// biome-ignore lint/suspicious/noExplicitAny: a field both takes and returns its type, so no other type fits all of them
export type Fields = { readonly [name: string]: Field<any> };
export type MessageOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };
export type MessageType<F extends Fields> = ElementType<MessageOf<F>> & {
  readonly fields: F;
  /** Reads one occurrence, merged into an earlier one. The caller checks `requireIds` after the last. */
  readonly readMerged: (reader: WireReader, previous: MessageOf<F> | undefined) => MessageOf<F>;
  /** Throws if a field that must hold an ID is absent. */
  readonly requireIds: (value: MessageOf<F>) => void;
  /** The message alone, without a length before it. */
  readonly encode: (value: MessageOf<F>) => Buffer;
  readonly decode: (bytes: Uint8Array) => MessageOf<F>;
};

export function field<T>(number: number, type: FieldType<T>): Field<T> {
  const tag = number * 8 + type.wireType;
  const tagSize = varintSize(tag);
  return {
    number,
    name: type.name,
    absent: () => type.absent,
    isRequired: type.isRequired ?? false,
    size: (value) => (type.isAbsent(value) ? 0 : tagSize + type.size(value)),
    write: (writer, value) => {
      if (type.isAbsent(value)) return;
      writer.varint(tag);
      type.write(writer, value);
    },
    read: (reader, previous) => {
      if (reader.wireType === type.wireType) return type.read(reader);
      reader.skip();
      return previous;
    },
  };
}

/** A repeated field. More than `max` elements are rejected, or dropped if `excess` says so. */
export function repeated<T>(number: number, type: ElementType<T>, max: number, excess: 'rejected' | 'dropped' = 'rejected'): Field<T[]> {
  const tag = number * 8 + type.wireType;
  const tagSize = varintSize(tag);
  return {
    number,
    name: `repeated ${type.name}; more than ${max} are ${excess}`,
    absent: () => [],
    isRequired: false,
    size: (values) => values.reduce((sum, value) => sum + tagSize + type.size(value), 0),
    write: (writer, values) => {
      for (const value of values) {
        writer.varint(tag);
        type.write(writer, value);
      }
    },
    read: (reader, values) => {
      if (reader.wireType !== type.wireType) reader.skip();
      else if (values.length < max) values.push(type.read(reader));
      else if (excess === 'dropped') reader.skip();
      else throw tooMany(max);
      return values;
    },
  };
}

/** A repeated number in packed form; the form with one tag per number is read too. */
export function packed<T>(number: number, type: FieldType<T>, max: number): Field<T[]> {
  const tag = number * 8 + wireTypes.bytes;
  const tagSize = varintSize(tag);
  const contentSize = (values: readonly T[]) => values.reduce((sum, value) => sum + type.size(value), 0);
  const push = (reader: WireReader, values: T[]) => {
    if (values.length >= max) throw tooMany(max);
    values.push(type.read(reader));
  };
  return {
    number,
    name: `repeated ${type.name}; more than ${max} are rejected`,
    absent: () => [],
    isRequired: false,
    size: (values) => {
      if (values.length === 0) return 0;
      const size = contentSize(values);
      return tagSize + varintSize(size) + size;
    },
    write: (writer, values) => {
      if (values.length === 0) return;
      writer.varint(tag);
      writer.varint(contentSize(values));
      for (const value of values) type.write(writer, value);
    },
    read: (reader, values) => {
      if (reader.wireType === type.wireType) push(reader, values);
      else if (reader.wireType === wireTypes.bytes)
        within(reader, () => {
          while (reader.offset < reader.end) push(reader, values);
        });
      else reader.skip();
      return values;
    },
  };
}

/** A message type. As a type of elements it is nested. */
export function message<F extends Fields>(fields: F): MessageType<F> {
  type Value = MessageOf<F>;
  type Row = { readonly name: string; readonly field: Field<unknown> };
  const rows = Object.entries(fields)
    .map(([name, row]): Row => ({ name, field: row }))
    .sort((a, b) => a.field.number - b.field.number);
  const byNumber: (Row | undefined)[] = [];
  for (const row of rows) byNumber[row.field.number] = row;
  const required = rows.filter((row) => row.field.isRequired);

  const contentSize = (value: Value): number => {
    let size = 0;
    for (const row of rows) size += row.field.size(value[row.name]);
    return size;
  };
  const writeContent = (writer: WireWriter, value: Value): void => {
    for (const row of rows) row.field.write(writer, value[row.name]);
  };
  const readContent = (reader: WireReader, previous: Value | undefined): Value => {
    const out: Record<string, unknown> = {};
    for (const row of rows) out[row.name] = previous === undefined ? row.field.absent() : previous[row.name];
    while (reader.nextTag()) {
      const row = byNumber[reader.field];
      if (row === undefined) reader.skip();
      else out[row.name] = row.field.read(reader, out[row.name]);
    }
    return out as Value;
  };
  const requireIds = (value: Value): void => {
    for (const { name } of required) if (value[name] === '') throw wrongIdLength(0);
  };
  return {
    name: `{${rows.map(({ name, field }) => `${field.number} ${name}: ${field.name}`).join('; ')}}`,
    wireType: wireTypes.bytes,
    fields,
    requireIds,
    encode: (value) => {
      const out = Buffer.allocUnsafe(contentSize(value));
      writeContent(new WireWriter(out), value);
      return out;
    },
    decode: (bytes) => {
      const value = readContent(new WireReader(bytes), undefined);
      requireIds(value);
      return value;
    },
    readMerged: (reader, previous) => within(reader, () => readContent(reader, previous)),
    size: (value) => {
      const size = contentSize(value);
      return varintSize(size) + size;
    },
    write: (writer, value) => {
      writer.varint(contentSize(value));
      writeContent(writer, value);
    },
    read: (reader) =>
      within(reader, () => {
        const value = readContent(reader, undefined);
        requireIds(value);
        return value;
      }),
  };
}

/** A nested message that may be absent. Occurrences are merged, as in all of protobuf. */
export function nested<F extends Fields>(number: number, type: MessageType<F>): Field<MessageOf<F> | undefined> {
  const tag = number * 8 + type.wireType;
  const tagSize = varintSize(tag);
  return {
    number,
    name: type.name,
    absent: () => undefined,
    isRequired: false,
    size: (value) => (value === undefined ? 0 : tagSize + type.size(value)),
    write: (writer, value) => {
      if (value === undefined) return;
      writer.varint(tag);
      type.write(writer, value);
    },
    read: (reader, previous) => {
      if (reader.wireType === type.wireType) return type.readMerged(reader, previous);
      reader.skip();
      return previous;
    },
  };
}

/** Reads a length and runs `read` on that many bytes, which it must consume. */
function within<T>(reader: WireReader, read: () => T): T {
  const outerEnd = reader.end;
  reader.end = reader.lengthEnd();
  const result = read();
  if (reader.offset !== reader.end) throw malformed('length');
  reader.end = outerEnd;
  return result;
}

const tooMany = (max: number) => new MessageError(`more than ${max} elements`, { code: 'MESSAGE_TOO_MANY_ELEMENTS', max });
