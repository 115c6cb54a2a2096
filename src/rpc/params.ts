import { cb58Decode } from '../bytes/cb58.ts';
import { type Id, parseId, zeroId } from '../bytes/id.ts';
import { Fault } from '../fault.ts';
import { badArgument, type RpcFault } from './fault.ts';
import { kindOf, nameAt, namesOf, scanArray, scanObject, skipSpace, skipValue, unquote } from './json-scan.ts';
import { maxTextLength } from './limits.ts';

/**
 * How one parameter is read from its JSON text, by Go's rules: what is missing keeps its zero value, null changes nothing,
 * and a value given twice is read over the one before (so objects merge). The static type comes from the declaration.
 */
export type Param<T> = {
  readonly zero: T;
  /** What it takes, for people: in the documentation and in `data` of an error. */
  readonly type: string;
  /** The members of an object, by name. */
  readonly fields?: Fields;
  /** Reads the sound value that lies between `from` and `to`. */
  read(text: string, from: number, to: number, before: T): T;
};

export type ParamsOf<P> = P extends Param<infer T> ? T : never;

type Fields = { readonly [name: string]: Param<unknown> };
type Values<F extends Fields> = { readonly [K in keyof F]: ParamsOf<F[K]> };

/** A call's parameters: an object, or an array that begins with it; null when the call has none. Peer: gorilla/rpc/v2/json2, ReadRequest. */
export function readParams<T>(param: Param<T>, raw: string | null): T {
  if (raw === null) return param.zero;
  if (kindOf(raw, 0) !== 'array') return param.read(raw, 0, raw.length, param.zero);
  const first = skipSpace(raw, 1);
  return raw[first] === ']' ? param.zero : param.read(raw, first, skipValue(raw, first), param.zero);
}

export function obj<F extends Fields>(fields: F): Param<Values<F>> {
  const names = namesOf(Object.keys(fields));
  const table = Object.entries(fields);
  const zero: Readonly<Record<string, unknown>> = Object.fromEntries(table.map(([name, param]) => [name, param.zero]));
  const read = (text: string, from: number, _to: number, before: typeof zero) => {
    const kind = kindOf(text, from);
    if (kind === 'null') return before;
    if (kind !== 'object') throw badArgument('', 'object');
    const values = { ...before };
    scanObject(text, from, (key, keyEnd, start, end) => {
      const field = table[nameAt(names, text, key, keyEnd)];
      if (field !== undefined) values[field[0]] = readField(field[0], field[1], text, start, end, values[field[0]]);
    });
    return values;
  };
  return { zero, type: 'object', fields, read } as Param<unknown> as Param<Values<F>>;
}

/** For methods that take nothing; what is given must still be an object. */
export const noParams = obj({});

/** Far above what any method takes; each method has its own limit and its own words for it. */
const maxListed = 16_384;

export function list<T>(item: Param<T>, max: number = maxListed): Param<readonly T[]> {
  const read = (text: string, from: number, _to: number, before: readonly T[]) => {
    const kind = kindOf(text, from);
    const items: T[] = [];
    // Go sets a slice to nil on null, unlike the scalars.
    if (kind === 'null') return items;
    if (kind !== 'array') throw badArgument('');
    scanArray(text, from, (start, end) => {
      const at = items.length;
      if (at >= max) throw badArgument('');
      items.push(readField(`${at}`, item, text, start, end, before[at] ?? item.zero));
      return true;
    });
    return items;
  };
  return { zero: [], type: `${item.type}[]`, read };
}

/** A text of any length, for transactions and other bytes written as text. */
export const longStr = scalar('', 'string', (raw) => (kindOf(raw, 0) === 'string' ? unquote(raw, 0, raw.length) : undefined));

/** A name, an address or an id: errors repeat it, so a very long one is refused unread. */
export const str: Param<string> = {
  ...longStr,
  read: (text, from, to, before) => {
    if (to - from > maxTextLength) throw badArgument('');
    return longStr.read(text, from, to, before);
  },
};

export const bool = scalar(false, 'boolean', (raw) => (raw === 'true' ? true : raw === 'false' ? false : undefined));

/** Integers: a JSON number or a quoted one, digits only. Peer: utils/json/uint64.go. */
export const u64 = scalar(0n, 'uint64', (raw) => integer(raw, 0xffffffffffffffffn));
export const u32 = scalar(0, 'uint32', (raw) => smallInteger(raw, 0xffffffffn));
export const u8 = scalar(0, 'uint8', (raw) => smallInteger(raw, 0xffn));

/** A 32-byte id in CB58. Peer: ids/id.go, UnmarshalJSON: what stands between the quotes is taken as it is, escapes and all. */
export const idParam: Param<Id> = scalar(zeroId, 'ID', (raw) => (kindOf(raw, 0) === 'string' ? parseId(raw.slice(1, -1)) : undefined));

/** A node id in its text form. Peer: ids/node_id.go. */
export const nodeId = scalar('NodeID-111111111111111111116DBWJs', 'NodeID', (raw) => {
  const text = raw.slice(1, -1);
  return text.startsWith('NodeID-') && cb58Decode(text.slice(7)).length === 20 ? text : undefined;
});

export type Encoding = 'hex' | 'hexc' | 'hexnc' | 'json';

const encodings: ReadonlyMap<string, Encoding> = new Map([
  ['"hex"', 'hex'],
  ['"hexc"', 'hexc'],
  ['"hexnc"', 'hexnc'],
  ['"json"', 'json'],
]);

/** How bytes are to be written. Peer: utils/formatting/encoding.go. */
export const encoding: Param<Encoding> = scalar('hex', 'encoding', (raw) =>
  raw.length > maxTextLength ? undefined : encodings.get(raw.toLowerCase()),
);

function scalar<T>(zero: T, type: string, parse: (raw: string) => T | undefined): Param<T> {
  const read = (text: string, from: number, to: number, before: T) => {
    if (kindOf(text, from) === 'null') return before;
    const value = parse(text.slice(from, to));
    if (value === undefined) throw badArgument('');
    return value;
  };
  return { zero, type, read };
}

const digits = /^(?:"0*([0-9]{1,20})"|0*([0-9]{1,20}))$/;

function integer(raw: string, max: bigint): bigint | undefined {
  if (raw.length > maxTextLength) return undefined;
  const found = digits.exec(raw);
  if (found === null) return undefined;
  const value = BigInt(found[1] ?? found[2] ?? '');
  return value <= max ? value : undefined;
}

function smallInteger(raw: string, max: bigint): number | undefined {
  const value = integer(raw, max);
  return value === undefined ? undefined : Number(value);
}

/** Whatever is wrong inside, the caller learns one text, which argument it was and what it takes. */
function readField<T>(name: string, param: Param<T>, text: string, from: number, to: number, before: T): T {
  try {
    return param.read(text, from, to, before);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    const fault = cause.fault as RpcFault;
    const isInside = fault.code === 'RPC_BAD_ARGUMENT' && fault.argument !== '';
    throw isInside ? badArgument(`${name}.${fault.argument}`, fault.expected) : badArgument(name, param.type);
  }
}
