import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/**
 * A wire type as a value: one definition gives reading, writing, the JSON text and (by TypeOf) the static type.
 * JSON is made as text at once: it is exact for u64, and there is no tree of objects to build and walk.
 */
export type Codec<T> = {
  readonly read: (reader: Reader) => T;
  readonly write: (writer: Writer, value: T) => void;
  readonly json: (value: T, context: JsonContext) => string;
};

/** A codec of something: where a table holds codecs of many types and the type is recovered by TypeOf. */
// biome-ignore lint/suspicious/noExplicitAny: a codec both takes and gives its type, so no other type fits all of them
export type AnyCodec = Codec<any>;

export type TypeOf<C> = C extends Codec<infer T> ? T : never;

/** What a wire value needs from outside to be shown: names of addresses on their chain. */
export type JsonContext = {
  readonly address: (address: Address) => string;
  readonly id: (id: Id) => string;
};
