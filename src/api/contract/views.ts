import type { kinds, Types } from './kinds.ts';
import type { AnyOf, AnySchema, Anything, Defaulted, List, MapOf, ObjectOf, OneOf, OneOrList, Optional, Wire } from './schema.ts';

/**
 * Static types that follow from a schema. Each schema has four (`Types` in kinds.ts): on the wire, for a handler, for a caller of the client, from
 * the client.
 */

/** One of the types of a schema: that of its kind in kinds.ts, or composed from the types of its parts. */
// A schema that is not known has an unknown value; without this line the type of all schemas would be expanded for ever.
type ViewOf<S, V extends keyof Types> = AnySchema extends S
  ? unknown
  : S extends { readonly kind: infer K extends keyof ComposedViews<S, V> }
    ? ComposedViews<S, V>[K]
    : S extends { readonly kind: infer K extends keyof typeof kinds }
      ? NonNullable<(typeof kinds)[K]['types']>[V]
      : never;

/** The types of kinds with parts. json-schema.ts has their JSON Schema. */
interface ComposedViews<S, V extends keyof Types> {
  readonly oneOf: S extends OneOf<infer Text> ? Text : never;
  readonly list: S extends List<infer I> ? readonly ViewOf<I, V>[] : never;
  /** A caller may pass one item alone. */
  readonly oneOrList: S extends OneOrList<infer I> ? readonly ViewOf<I, V>[] | (V extends 'in' ? ViewOf<I, V> : never) : never;
  readonly map: S extends MapOf<infer I> ? { readonly [name: string]: ViewOf<I, V> } : never;
  readonly object: S extends ObjectOf<infer F> ? ObjectView<F, V> : never;
  readonly anyOf: S extends AnyOf<infer Alternatives extends readonly unknown[]> ? ViewOf<Alternatives[number], V> : never;
  readonly wire: S extends Wire<infer J> ? ViewOf<J, V> : never;
  readonly anything: S extends Anything<infer T> ? T : never;
}

type OptionalKeys<F> = { [K in keyof F]: F[K] extends Optional ? K : never }[keyof F];
export type Required<S> = S extends Optional<infer I> ? I : S;
type Flat<T> = { readonly [K in keyof T]: T[K] };

type ObjectView<F, V extends keyof Types> = V extends 'param'
  ? { readonly [K in keyof F]: ViewOf<Required<F[K]>, V> }
  : Flat<
      { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: ViewOf<F[K], V> } & {
        readonly [K in OptionalKeys<F>]?: V extends 'in' ? ViewOf<Required<F[K]>, V> | undefined : ViewOf<Required<F[K]>, V>;
      }
    >;

/** The JSON of a schema, as a page or a caller without the client reads it. */
export type JsonOf<S> = ViewOf<S, 'json'>;
/** What a caller of the client passes for a schema. */
export type InOf<S> = ViewOf<S, 'in'>;
/** What the client returns for a schema. */
export type OutOf<S> = ViewOf<S, 'out'>;
/** What a caller of the client passes for parameters. */
export type InputOf<F> = ObjectView<F, 'in'>;
/**
 * Parameters of a Node RPC method as its handler gets them: by Go's rules a missing one has the zero value of its type. One of several texts
 * is any text: the handler has the error for another one.
 */
export type ParamsOf<F> = { readonly [K in keyof F]: Required<F[K]> extends OneOf ? string : ViewOf<Required<F[K]>, 'param'> };
/** Parameters of a route as its handler gets them: a missing one has its default, or is undefined. */
export type ValuesOf<F> = {
  readonly [K in keyof F]: F[K] extends Optional<infer I>
    ? I extends Defaulted<unknown>
      ? ViewOf<I, 'param'>
      : ViewOf<I, 'param'> | undefined
    : ViewOf<F[K], 'param'>;
};

/** What a handler returns for JSON of the type `T`: any part may be rendered already (`Raw`), a missing property undefined, an integer a bigint. */
export type Answer<T, Raw> =
  | Raw
  | (T extends number
      ? T | bigint
      : T extends readonly (infer I)[]
        ? readonly Answer<I, Raw>[]
        : T extends object
          ? { readonly [K in keyof T]: object extends Pick<T, K> ? Answer<T[K], Raw> | undefined : Answer<T[K], Raw> }
          : T);
