import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/**
 * A wire type: one definition gives reading, writing, the JSON text and (by TypeOf) the static type.
 * JSON is written directly as text: it is exact for u64, and no tree of objects has to be built.
 */
export type Codec<T> = {
  readonly read: (reader: Reader) => T;
  readonly write: (writer: Writer, value: T) => void;
  readonly json: (value: T, context: JsonContext) => string;
  /** The number of bytes; undefined if it depends on the value. */
  readonly size?: number;
};

/** A codec of any type, for tables that hold codecs of many types; TypeOf recovers the type. */
// biome-ignore lint/suspicious/noExplicitAny: a codec both takes and returns its type, so no other type fits all of them
export type AnyCodec = Codec<any>;

export type TypeOf<C> = C extends Codec<infer T> ? T : never;

/** How addresses and ids are formatted in JSON; addresses depend on the chain and the network. */
export type JsonContext = { readonly address: (address: Address) => string; readonly id: (id: Id) => string };
