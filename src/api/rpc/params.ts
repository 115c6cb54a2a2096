import { cb58Decode } from '../../base/bytes/cb58.ts';
import { type Id, parseId, zeroId } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import type { Encoding } from '../contract/kinds.ts';
import { badArgument, type RpcFault, repeatedParam, unknownParam } from './fault.ts';
import { createMemberNames, findMemberName, jsonKindAt, parseString, scanArray, scanObject, skipSpace, skipValue } from './json-scan.ts';
import { maxTextLength } from './limits.ts';

/**
 * Reads one parameter from its JSON text by Go's rules: a missing value is the zero value, null keeps the previous value, and a repeated
 * member is read over the previous one (so objects merge). The static type follows from the declaration.
 */
export type RpcParam<T> = {
  readonly zero: T;
  /** Name of the type, for the documentation and `data` of errors. */
  readonly type: string;
  /** Reads the valid JSON value between `from` and `to`. */
  read(text: string, from: number, to: number, previous: T): T;
};

export type ParamsOf<P> = P extends RpcParam<infer T> ? T : never;

type Fields = { readonly [name: string]: RpcParam<unknown> };
type Aliases = { readonly [alias: string]: string };
type Values<F extends Fields> = { readonly [K in keyof F]: ParamsOf<F[K]> };

/** Reads the parameters of a call: an object, or an array whose first element is that object; null if absent. AvalancheGo: gorilla/rpc/v2/json2, ReadRequest. */
export function readRpcParams<T>(param: RpcParam<T>, raw: string | null): T {
  if (raw === null) return param.zero;
  if (jsonKindAt(raw, 0) !== 'array') return param.read(raw, 0, raw.length, param.zero);
  const first = skipSpace(raw, 1);
  return raw[first] === ']' ? param.zero : param.read(raw, first, skipValue(raw, first), param.zero);
}

/** An object. As in Go, unknown members are ignored and the last of repeated members counts. */
export const obj = <F extends Fields>(fields: F): RpcParam<Values<F>> => objectOf(fields, {}, false);

/** An object whose unknown and repeated members are refused: ignoring a misspelt parameter would do something else than what was asked for. */
export const strictObj = <F extends Fields>(fields: F, aliases: Aliases = {}): RpcParam<Values<F>> => objectOf(fields, aliases, true);

function objectOf<F extends Fields>(fields: F, aliases: Aliases, isStrict: boolean): RpcParam<Values<F>> {
  const table = [...Object.keys(fields).map((name) => [name, name] as const), ...Object.entries(aliases)].map(([given, name]) => ({
    given,
    name,
    param: fields[name] as RpcParam<unknown>,
  }));
  const names = createMemberNames(table.map(({ given }) => given));
  const zero: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(fields).map(([name, { zero }]) => [name, zero]));
  const read = (text: string, from: number, _to: number, previous: typeof zero) => {
    const kind = jsonKindAt(text, from);
    if (kind === 'null') return previous;
    if (kind !== 'object') throw badArgument('', 'object');
    const values = { ...previous };
    const seen = isStrict ? new Set<string>() : undefined;
    scanObject(text, from, (key, keyEnd, start, end) => {
      const field = table[findMemberName(names, text, key, keyEnd)];
      if (field === undefined) {
        if (isStrict) throw unknownParam(parseString(text, key, keyEnd), names.names);
        return;
      }
      const { name, param } = field;
      if (seen?.has(name)) throw repeatedParam(field.given, name);
      seen?.add(name);
      values[name] = readField(name, param, text, start, end, values[name]);
    });
    return values;
  };
  return { zero, type: 'object', read } as RpcParam<unknown> as RpcParam<Values<F>>;
}

/** For methods without parameters. A value that is given must still be an object. */
export const noParams = obj({});

/** Far above the limits of the methods, which have their own error messages. */
const maxListLength = 16_384;

export function list<T>(item: RpcParam<T>, max: number = maxListLength): RpcParam<readonly T[]> {
  const read = (text: string, from: number, _to: number, previous: readonly T[]) => {
    const kind = jsonKindAt(text, from);
    const items: T[] = [];
    // Go sets a slice to nil on null, unlike the scalars.
    if (kind === 'null') return items;
    if (kind !== 'array') throw badArgument('');
    scanArray(text, from, (start, end) => {
      const at = items.length;
      if (at >= max) throw badArgument('');
      items.push(readField(`${at}`, item, text, start, end, previous[at] ?? item.zero));
      return true;
    });
    return items;
  };
  return { zero: [], type: `${item.type}[]`, read };
}

/** A string of any length, for transactions and other encoded bytes. */
export const longStr = scalar('', 'string', (raw) => (jsonKindAt(raw, 0) === 'string' ? parseString(raw, 0, raw.length) : undefined));

/** A name, an address or an ID. Errors repeat it, so one above `maxTextLength` is rejected without being read. */
export const str: RpcParam<string> = {
  ...longStr,
  read: (text, from, to, previous) => {
    if (to - from > maxTextLength) throw badArgument('');
    return longStr.read(text, from, to, previous);
  },
};

export const bool = scalar(false, 'boolean', (raw) => (raw === 'true' ? true : raw === 'false' ? false : undefined));

/** Integers: a JSON number or the same in quotes, digits only. AvalancheGo: utils/json/uint64.go. */
export const u64 = scalar(0n, 'uint64', (raw) => integer(raw, 0xffffffffffffffffn));
export const u32 = scalar(0, 'uint32', (raw) => smallInteger(raw, 0xffffffffn));
export const u8 = scalar(0, 'uint8', (raw) => smallInteger(raw, 0xffn));

/** A 32-byte ID in CB58. Escapes between the quotes are not resolved. AvalancheGo: ids/id.go, UnmarshalJSON. */
export const idParam: RpcParam<Id> = scalar(zeroId, 'ID', (raw) =>
  jsonKindAt(raw, 0) === 'string' ? parseId(raw.slice(1, -1)) : undefined,
);

/** A node ID as text. AvalancheGo: ids/node_id.go. */
export const nodeId = scalar('NodeID-111111111111111111116DBWJs', 'NodeID', (raw) => {
  const text = raw.slice(1, -1);
  return text.startsWith('NodeID-') && cb58Decode(text.slice(7)).length === 20 ? text : undefined;
});

const encodings: ReadonlyMap<string, Encoding> = new Map([
  ['"hex"', 'hex'],
  ['"hexc"', 'hexc'],
  ['"hexnc"', 'hexnc'],
  ['"json"', 'json'],
]);

/** The encoding of bytes in the response. AvalancheGo: utils/formatting/encoding.go. */
export const encoding: RpcParam<Encoding> = scalar('hex', 'encoding', (raw) =>
  raw.length > maxTextLength ? undefined : encodings.get(raw.toLowerCase()),
);

function scalar<T>(zero: T, type: string, parse: (raw: string) => T | undefined): RpcParam<T> {
  const read = (text: string, from: number, to: number, previous: T) => {
    if (jsonKindAt(text, from) === 'null') return previous;
    const value = parse(text.slice(from, to));
    if (value === undefined) throw badArgument('');
    return value;
  };
  return { zero, type, read };
}

const integerText = /^(?:"0*([0-9]{1,20})"|0*([0-9]{1,20}))$/;

function integer(raw: string, max: bigint): bigint | undefined {
  if (raw.length > maxTextLength) return undefined;
  const found = integerText.exec(raw);
  if (found === null) return undefined;
  const value = BigInt(found[1] ?? found[2] ?? '');
  return value <= max ? value : undefined;
}

function smallInteger(raw: string, max: bigint): number | undefined {
  const value = integer(raw, max);
  return value === undefined ? undefined : Number(value);
}

/** Reads a member or element. Every error inside becomes `badArgument` with the path of the argument and its expected type. */
function readField<T>(name: string, param: RpcParam<T>, text: string, from: number, to: number, previous: T): T {
  try {
    return param.read(text, from, to, previous);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    const fault = cause.fault as RpcFault;
    const isInside = fault.code === 'RPC_BAD_ARGUMENT' && fault.argument !== '';
    throw isInside ? badArgument(`${name}.${fault.argument}`, fault.expected) : badArgument(name, param.type);
  }
}
