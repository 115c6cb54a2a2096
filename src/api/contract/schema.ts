import type { kinds } from './kinds.ts';

/**
 * The words with which parameters, results, answers and events are declared. A declaration is plain data: a kind (kinds.ts) and what it needs.
 * Everything else follows from it: static types (views.ts), JSON Schema (json-schema.ts), and readers and converters (rpc/compile-params.ts,
 * rest/params.ts, rest/body-value.ts, client/convert.ts). No code is imported here, so that a browser can load the rows.
 */

/** The kinds whose declaration needs nothing but their name. */
type ScalarKind = Exclude<keyof typeof kinds, 'addresses' | 'assets' | 'numberOrText'>;

/** `isInBody`: as a parameter of a route, it is a property of the JSON body. */
type Described = { readonly description?: string; readonly isInBody?: true };

export type Scalar<K extends ScalarKind = ScalarKind> = Described & {
  readonly kind: K;
  readonly min?: number;
  readonly max?: number;
  readonly example?: string;
};
/** A schema whose value is this one if it is missing. */
export type Defaulted<D> = { readonly default: D };
export type OneOf<V extends string = string> = Described & {
  readonly kind: 'oneOf';
  readonly values: readonly V[];
  readonly example?: string;
  /** Values that other servers take, and what this one lacks for them. */
  readonly unavailable?: { readonly [value: string]: string };
};
type NumberOrText = Described & { readonly kind: 'numberOrText'; readonly type: string };
export type Lists<K extends 'addresses' | 'assets' = 'addresses' | 'assets'> = Described & {
  readonly kind: K;
  readonly max: number;
  readonly example?: string;
};
// Interfaces, because a type alias may not contain itself.
export interface List<I = AnySchema> extends Described {
  readonly kind: 'list';
  readonly items: I;
  readonly max?: number;
}
export interface OneOrList<I = AnySchema> extends Described {
  readonly kind: 'oneOrList';
  readonly items: I;
  readonly max: number;
  readonly type: string;
}
export interface MapOf<I = AnySchema> extends Described {
  readonly kind: 'map';
  readonly values: I;
}
export interface ObjectOf<F = Fields> extends Described {
  readonly kind: 'object';
  readonly title?: string;
  readonly properties: F;
  /** It may have properties that are not declared. */
  readonly isOpen?: true;
}
export interface AnyOf<S = readonly AnySchema[]> extends Described {
  readonly kind: 'anyOf';
  readonly title?: string;
  readonly schemas: S;
}
export interface Wire<I = AnySchema> extends Described {
  readonly kind: 'wire';
  readonly json: I;
}
/** `type` is never set: it carries the static type. */
export interface Anything<T = unknown> extends Described {
  readonly kind: 'anything';
  readonly isObject: boolean;
  readonly type?: T;
}

export type AnySchema =
  | (Scalar & Partial<Defaulted<unknown>>)
  | (OneOf & Partial<Defaulted<unknown>>)
  | NumberOrText
  | Lists
  | List
  | OneOrList
  | MapOf
  | ObjectOf
  | AnyOf
  | Wire
  | Anything;

/** A property or parameter that may be missing. */
export type Optional<S = AnySchema> = { readonly optional: S };
export type Fields = { readonly [name: string]: AnySchema | Optional };

export const optional = <S extends AnySchema>(schema: S): Optional<S> => ({ optional: schema });
export const isOptional = (field: AnySchema | Optional): field is Optional => 'optional' in field;
/** A parameter of a route that is a property of the JSON body. */
export const inBody = <S extends AnySchema>(schema: S): S => ({ ...schema, isInBody: true });
/** The schema of a property or parameter. */
export const schemaOf = (field: AnySchema | Optional): AnySchema => (isOptional(field) ? field.optional : field);

const scalar =
  <K extends ScalarKind>(kind: K) =>
  (description?: string): Scalar<K> => ({ kind, description });

// A word for each kind without parts; what they mean is in kinds.ts.
export const text = scalar('text');
export const longText = scalar('longText');
export const flag = scalar('flag');
export const number = scalar('number');
export const integer = scalar('integer');
export const bigInteger = scalar('bigInteger');
export const integerText = scalar('integerText');
export const bigIntegerText = scalar('bigIntegerText');
export const nothing = scalar('nothing');
export const id = scalar('id');
export const nodeID = scalar('nodeID');
export const encoding = scalar('encoding');
export const hexEncoding = scalar('hexEncoding');
export const u64 = scalar('u64');
export const u32 = scalar('u32');
export const u8 = scalar('u8');
export const addressName = scalar('addressName');
export const time = scalar('time');
export const duration = scalar('duration');
export const uuid = scalar('uuid');
export const heightOrId = scalar('heightOrId');
export const utxoID = scalar('utxoID');
export const amount = scalar('amount');

/** Adds the value of a missing parameter. */
export const withDefault = <S extends AnySchema, const D>(schema: S, value: D): S & Defaulted<D> => ({ ...schema, default: value });

/** An integer as a parameter of a route, with its bounds. */
export const integerIn = (min: number, max?: number, description?: string): Scalar<'integer'> => ({
  kind: 'integer',
  min,
  max,
  description,
});

/** A text with an example and a limit other than the usual one, as a parameter of a route. */
export const textParam = (options: {
  readonly description?: string;
  readonly example?: string;
  readonly max?: number;
}): Scalar<'text'> => ({
  kind: 'text',
  ...options,
});
export const chainName = (description: string, example: string): Scalar<'chainName'> => ({ kind: 'chainName', description, example });
export const networkName = (description: string, example: string): Scalar<'networkName'> => ({ kind: 'networkName', description, example });
export const addresses = (
  max: number,
  description = `Addresses of the network, separated by commas, at most ${max}; each with or without X-, P- or C- before it.`,
): Lists<'addresses'> => ({ kind: 'addresses', max, description, example: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u' });
export const assets = (max: number, description: string): Lists<'assets'> => ({ kind: 'assets', max, description });

/** One of the given texts. */
export const oneOf = <const V extends string>(values: readonly V[], description?: string): OneOf<V> => ({
  kind: 'oneOf',
  values,
  description,
});
/** `type`: what the number or text is, for errors and documents. */
export const numberOrText = (type: string, description?: string): NumberOrText => ({
  kind: 'numberOrText',
  type,
  description,
});
export const list = <S extends AnySchema>(items: S, description?: string): List<S> => ({ kind: 'list', items, description });
/** A list with a limit of its own. */
export const listUpTo = <S extends AnySchema>(max: number, items: S): List<S> => ({ kind: 'list', items, max });
/** One value or a list of them, as a parameter. */
export const oneOrList = <S extends AnySchema>(items: S, type: string, max: number): OneOrList<S> => ({
  kind: 'oneOrList',
  items,
  type,
  max,
});
/** An object whose property names are not known in advance. */
export const map = <S extends AnySchema>(values: S, description?: string): MapOf<S> => ({ kind: 'map', values, description });
/** An object with a name: documents describe it once and refer to it. Every property is required unless it is `optional`. */
export const object = <F extends Fields>(title: string, properties: F, description?: string): ObjectOf<F> => ({
  kind: 'object',
  title,
  properties,
  description,
});
/** An object with a name that may have more properties than those. */
export const openObject = <F extends Fields>(title: string, properties: F): ObjectOf<F> => ({ ...object(title, properties), isOpen: true });
/** An object without a name. */
export const record = <F extends Fields>(properties: F): ObjectOf<F> => ({ kind: 'object', properties });
export const anyOf = <const S extends readonly AnySchema[]>(schemas: S, title?: string): AnyOf<S> => ({
  kind: 'anyOf',
  schemas,
  title,
});
/** The JSON of a transaction, block or output. The client keeps every property, also those that the schema does not have. */
export const wire = <S extends AnySchema>(json: S): Wire<S> => ({ kind: 'wire', json });
/** Any JSON value, of the static type `T`. */
export const anything = <T = unknown>(description?: string): Anything<NoInfer<T>> => ({
  kind: 'anything',
  isObject: false,
  description,
});
/** An object with any properties. */
export const anyObject = <T = { readonly [name: string]: unknown }>(description?: string): Anything<NoInfer<T>> => ({
  kind: 'anything',
  isObject: true,
  description,
});
