import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';

/**
 * The kinds of values without parts, one row each: its TypeScript types, then its JSON Schema. views.ts takes the types from here, json-schema.ts
 * the JSON Schema; schema.ts has a word for each kind, with which methods, routes and events are declared. No code is imported here, so that a
 * browser can load the rows. Kinds with parts (lists, objects, alternatives) are in views.ts and json-schema.ts.
 */
export const kinds = {
  /** A text. As a parameter of the Node RPC, at most 4,096 bytes of JSON: a name, an address or an ID that errors repeat. */
  text: kind<{ json: string }>({ type: 'string' }),
  /** A text of any length: transactions and other encoded bytes. */
  longText: kind<{ json: string }>({ type: 'string' }),
  flag: kind<{ json: boolean }>({ type: 'boolean' }),
  /** A number that need not be an integer. */
  number: kind<{ json: number }>({ type: 'number' }),
  /** An integer in JSON that a JavaScript number holds exactly. */
  integer: kind<{ json: number }>({ type: 'integer' }),
  /** An integer in JSON up to 2^64. */
  bigInteger: kind<{ json: number; param: bigint; in: Exact; out: bigint }>({ type: 'integer', format: 'uint64' }),
  /** A height, a time or a count as decimal digits in a JSON string. */
  integerText: kind<{ json: string; param: number; in: Exact; out: number }>({ type: 'string', pattern: '^-?[0-9]+$' }),
  /** An amount or another integer of any size, as decimal digits in a JSON string. */
  bigIntegerText: kind<{ json: string; param: bigint; in: Exact | string; out: bigint }>({ type: 'string', pattern: '^-?[0-9]+$' }),
  /** null. */
  nothing: kind<{ json: null }>({ type: 'null' }),
  /** A 32-byte ID in CB58. */
  id: kind<{ json: string; param: Id }>({ type: 'string', format: 'ID' }),
  nodeID: kind<{ json: string }>({ type: 'string', format: 'NodeID' }),
  /** The encoding of bytes in a result. */
  encoding: kind<{ json: Encoding }>({ type: 'string', enum: ['hex', 'hexc', 'hexnc', 'json'] }),
  /** The encoding, of methods that have no JSON. Their handlers get `json` too and refuse it with AvalancheGo's text. */
  hexEncoding: kind<{ json: HexEncoding; param: Encoding }>({ type: 'string', enum: ['hex', 'hexc', 'hexnc'] }),
  /** Unsigned integers as parameters of the Node RPC: a JSON number, or its digits in a JSON string. */
  u64: kind<{ json: number | string; param: bigint; in: Exact; out: number }>(unsigned('uint64', { minimum: 0 })),
  u32: kind<{ json: number | string; param: number; in: Exact; out: number }>(unsigned('uint32', { minimum: 0, maximum: 0xffff_ffff })),
  u8: kind<{ json: number | string; param: number; in: Exact; out: number }>(unsigned('uint8', { minimum: 0, maximum: 0xff })),
  /** A point in time: Unix seconds or RFC 3339. */
  time: kind<{ json: number | string; param: bigint | undefined; in: Exact | string }>({ type: ['integer', 'string'], format: 'time' }),
  /** Seconds, or a number with a unit such as `30d`. */
  duration: kind<{ json: number | string; param: bigint | undefined; in: Exact | string }>({
    type: ['integer', 'string'],
    format: 'duration',
  }),
  uuid: kind<{ json: string }>({ type: 'string', format: 'uuid' }),
  /** A block by its number or its ID. */
  heightOrId: kind<{ json: string; param: { readonly height: number } | { readonly id: Id } }>({ type: 'string' }),
  /** An output by its ID, or by transaction ID and index. */
  utxoID: kind<{ json: string; param: Id }>({ type: 'string' }),
  /** A chain in a path, by any of its names. */
  chainName: kind<{ json: string }>({ type: 'string' }),
  /** The network in a path. A server has one network, so all its names mean the same. */
  networkName: kind<{ json: string }>({ type: 'string' }),
  /** An amount of an asset in its smallest unit, as a parameter of a route. */
  amount: kind<{ json: string; param: bigint; in: Exact | string }>({ type: 'integer', minimum: 0 }),
  /** Addresses of the network, separated by commas. */
  addresses: kind<{ json: string; param: AddressList }>({ type: 'string' }),
  /** An address of the developer's chain: its text, the number of an account, or a label. */
  addressName: kind<{ json: number | string; param: string; in: Exact | string }>({
    type: ['integer', 'string'],
    format: 'address, account number or label',
  }),
  /** Assets by ID or alias, separated by commas. */
  assets: kind<{ json: string; param: readonly Id[] }>({ type: 'string' }),
  /** A number or a text. Its declaration names the format. */
  numberOrText: kind<{ json: number | string; param: string; in: Exact | string }>({ type: ['number', 'string'] }),
};

type HexEncoding = 'hex' | 'hexc' | 'hexnc';
export type Encoding = HexEncoding | 'json';

/** Addresses of a request. `hrp`: the HRP of the first one, so that the response can use the same one. */
export type AddressList = { readonly owners: readonly Address[]; readonly hrp: string };

type Exact = number | bigint;

/** The static types of a value. */
export type Types<Json = unknown, Param = unknown, In = unknown, Out = unknown> = {
  /** On the wire. */
  readonly json: Json;
  /** As a handler gets it as a parameter. */
  readonly param: Param;
  /** As a caller of the client passes it. */
  readonly in: In;
  /** As the client returns it. */
  readonly out: Out;
};

/** The types that a row states. Those that it does not: `param` and `in` are like `json`, `out` is like `in`. */
type Stated = Pick<Types, 'json'> & Partial<Types>;
type Complete<T extends Stated> = Types<T['json'], Or<T, 'param', T['json']>, Or<T, 'in', T['json']>, Or<T, 'out', Or<T, 'in', T['json']>>>;
type Or<T, Name extends string, Otherwise> = T extends { readonly [N in Name]: infer Found } ? Found : Otherwise;

/** The JSON Schema of a kind. */
type KindSchema = {
  readonly type: JsonType | readonly JsonType[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
};
export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/** `types` is never set: it carries the static types. */
type Kind<T extends Types> = { readonly jsonSchema: KindSchema; readonly types?: T };

function kind<T extends Stated>(jsonSchema: KindSchema): Kind<Complete<T>> {
  return { jsonSchema };
}

function unsigned(format: string, range: Pick<KindSchema, 'minimum' | 'maximum'>): KindSchema {
  return { type: ['integer', 'string'], format, ...range, pattern: '^[0-9]+$' };
}
