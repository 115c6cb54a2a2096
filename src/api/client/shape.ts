import { SeracError } from './fault.ts';

/**
 * The form of a parameter or of a part of a result: its types, and the conversion to and from JSON. `In`: what a caller may pass. `Out`: what
 * a caller gets.
 */
export type Shape<In, Out = In> = {
  readonly encode: (value: In, path: string) => unknown;
  readonly decode: (json: unknown, path: string) => Out;
};

/** A parameter or property that may be missing. */
export type Optional<S> = S & { readonly isOptional: true };

// biome-ignore lint/suspicious/noExplicitAny: a shape of any type; the functions of a table are only called with its own values
export type AnyShape = Shape<any, any> | Optional<Shape<any, any>>;
export type Shapes = { readonly [name: string]: AnyShape };

type OptionalKeys<F extends Shapes> = { [K in keyof F]: F[K] extends { readonly isOptional: true } ? K : never }[keyof F];
/** What a caller passes for a shape. */
export type InOf<S> = S extends Shape<infer In, infer _> ? In : never;
type OutOf<S> = S extends Shape<infer _, infer Out> ? Out : never;
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** What a caller passes for an object of these shapes. */
export type InputOf<F extends Shapes> = Flat<
  { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: InOf<F[K]> } & { readonly [K in OptionalKeys<F>]?: InOf<F[K]> | undefined }
>;
/** What a caller gets for an object of these shapes. */
export type OutputOf<F extends Shapes> = Flat<
  { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: OutOf<F[K]> } & { readonly [K in OptionalKeys<F>]?: OutOf<F[K]> }
>;

export const optional = <In, Out>(shape: Shape<In, Out>): Optional<Shape<In, Out>> => ({ ...shape, isOptional: true });

/** A value of one JSON type, unchanged. */
const plain = <T>(type: 'string' | 'number' | 'boolean'): Shape<T> => ({
  encode: (value) => value,
  decode: (json, path) => {
    if (typeof json === type) return json as T;
    throw badResult(path, type);
  },
});

export const text = plain<string>('string');
/** A number that need not be an integer. */
export const number = plain<number>('number');
export const flag = plain<boolean>('boolean');
/** A text of a closed list. */
export const oneOf = <T extends string>(): Shape<T> => text as unknown as Shape<T>;

/** Any JSON, unchanged: what the documentation describes in words. */
export const anyJson = <T = unknown>(): Shape<T> => ({ encode: (value) => value, decode: (json) => json as T });

/** A height, a time in Unix seconds, an index or a count. In JSON it is a number or a decimal string; every one fits a number exactly. */
export const count: Shape<number | bigint, number> = {
  encode: (value, path) => requireExact(value, path),
  decode: (json, path) => {
    const value = typeof json === 'string' && /^-?\d{1,16}$/.test(json) ? Number(json) : json;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw badResult(path, 'integer');
  },
};

/** An integer up to 2^64 in the smallest unit of an asset, such as nAVAX: a bigint in results, a decimal string in JSON. */
export const amount: Shape<bigint | number | string, bigint> = {
  encode: (value, path) => (typeof value === 'string' ? value : requireExact(value, path)),
  decode: (json, path) => {
    if (typeof json === 'bigint') return json;
    if (typeof json === 'number' && Number.isSafeInteger(json)) return BigInt(json);
    if (typeof json === 'string' && /^-?\d{1,40}$/.test(json)) return BigInt(json);
    throw badResult(path, 'integer');
  },
};

/** A parameter that is a number or a text: a time, a duration, the index of an account. */
export const numberOrText: Shape<number | bigint | string> = {
  encode: (value, path) => (typeof value === 'string' ? value : requireExact(value, path)),
  decode: (json) => json as number | string,
};

export const list = <In, Out>(item: Shape<In, Out>): Shape<readonly In[], readonly Out[]> => ({
  encode: (value, path) => value.map((each, i) => item.encode(each, `${path}[${i}]`)),
  decode: (json, path) => {
    if (!Array.isArray(json)) throw badResult(path, 'list');
    return json.map((each, i) => item.decode(each, `${path}[${i}]`));
  },
});

/** One value or a list of them, as a parameter. */
export const oneOrList = <In, Out>(item: Shape<In, Out>): Shape<In | readonly In[], unknown> => ({
  encode: (value, path) => (isList(value) ? list(item).encode(value, path) : item.encode(value, path)),
  decode: (json) => json,
});

/** An object. Properties that are not declared are left out of results, and sent as they are in parameters: the node reports misspelled ones. */
export function record<F extends Shapes>(fields: F): Shape<InputOf<F>, OutputOf<F>> {
  const rows = Object.entries(fields);
  return {
    encode: (value, path) => {
      const out: Record<string, unknown> = {};
      for (const [name, item] of Object.entries(value)) {
        const shape = Object.hasOwn(fields, name) ? fields[name] : undefined;
        if (item !== undefined) out[name] = shape === undefined ? item : shape.encode(item, joinPath(path, name));
      }
      return out;
    },
    decode: (json, path) => {
      if (!isRecord(json)) throw badResult(path, 'object');
      const out: Record<string, unknown> = {};
      for (const [name, shape] of rows) {
        const value = json[name];
        if (value === undefined && 'isOptional' in shape) continue;
        out[name] = shape.decode(value, joinPath(path, name));
      }
      return out as OutputOf<F>;
    },
  };
}

/** An object with any names and values of one shape. */
export const mapOf = <In, Out>(item: Shape<In, Out>): Shape<{ readonly [name: string]: In }, { readonly [name: string]: Out }> => ({
  encode: (value) => value,
  decode: (json, path) => {
    if (!isRecord(json)) throw badResult(path, 'object');
    return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, item.decode(value, joinPath(path, name))]));
  },
});

/** JSON of a transaction, block or output, in which `amount` and `locktime` become bigints at every depth: they may exceed 2^53. */
export const wireJson = <T>(): Shape<T> => ({ encode: (value) => value, decode: (json) => withBigints(json) as T });

function withBigints(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withBigints);
  if (!isRecord(json)) return json;
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(json))
    out[name] = typeof value === 'number' && bigintNames.has(name) ? BigInt(value) : withBigints(value);
  return out;
}

const bigintNames: ReadonlySet<string> = new Set(['amount', 'locktime']);

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value);
export const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const joinPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function requireExact(value: number | bigint, path: string): number | string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  throw new SeracError(`parameter ${path} is ${value}, which is not an exact integer; pass a bigint or a decimal string`, {
    code: 'BAD_PARAMETER',
    parameter: path,
    expected: 'integer',
  });
}

const badResult = (path: string, expected: string) =>
  new SeracError(`the node returned a result of another form: ${path || 'it'} is not ${/^[aio]/.test(expected) ? 'an' : 'a'} ${expected}`, {
    code: 'NODE_BAD_RESULT',
    path,
    expected,
  });
