import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import type {
  AnyOf,
  AnySchema,
  Anything,
  Defaulted,
  List,
  MapOf,
  ObjectOf,
  OneOf,
  OneOrList,
  Optional,
  ScalarKind,
  Wire,
} from './schema.ts';

/** Static types that follow from a schema. */

export type Encoding = 'hex' | 'hexc' | 'hexnc' | 'json';

/** Addresses of a request. `hrp`: the HRP of the first one, so that the response can use the same one. */
export type AddressList = { readonly owners: readonly Address[]; readonly hrp: string };
type HeightOrId = { readonly height: number } | { readonly id: Id };

/** `json`: on the wire. `param`: as a handler gets a parameter. `in`: as a caller of the client passes it. `out`: as the client returns it. */
type View<Json, Param = Json, In = Json, Out = In> = { readonly json: Json; readonly param: Param; readonly in: In; readonly out: Out };
type ViewName = keyof View<unknown>;

type Exact = number | bigint;

/** A kind of schema without parts that is missing here does not compile. */
type Scalars = Closed<{
  readonly text: View<string>;
  readonly longText: View<string>;
  readonly flag: View<boolean>;
  readonly number: View<number>;
  readonly integer: View<number>;
  readonly bigInteger: View<number, bigint, Exact, bigint>;
  readonly digits: View<string, bigint, Exact | string, bigint>;
  readonly digitsCount: View<string, number, Exact, number>;
  readonly nothing: View<null>;
  readonly id: View<string, Id>;
  readonly nodeID: View<string>;
  readonly encoding: View<Encoding>;
  /** An encoding of methods that have no JSON. They get the others too and refuse them with AvalancheGo's text. */
  readonly hexEncoding: View<'hex' | 'hexc' | 'hexnc', Encoding, 'hex' | 'hexc' | 'hexnc'>;
  readonly u64: View<number | string, bigint, Exact, number>;
  readonly u32: View<number | string, number, Exact, number>;
  readonly u8: View<number | string, number, Exact, number>;
  readonly time: View<number | string, bigint | undefined, Exact | string>;
  readonly duration: View<number | string, bigint | undefined, Exact | string>;
  readonly uuid: View<string>;
  readonly heightOrId: View<string, HeightOrId>;
  readonly utxoID: View<string, Id>;
  readonly chainName: View<string>;
  readonly networkName: View<string>;
  readonly amount: View<string, bigint, Exact | string>;
  readonly numberOrText: View<number | string, string, Exact | string>;
  readonly addresses: View<string, AddressList>;
  readonly assets: View<string, readonly Id[]>;
}>;
type Closed<T extends { readonly [K in ScalarKind]: View<unknown> }> = T;

// A schema that is not known has an unknown value; without this line the type of all schemas would be expanded for ever.
type ViewOf<S, V extends ViewName> = AnySchema extends S
  ? unknown
  : S extends Anything<infer T>
    ? T
    : S extends Wire<infer J>
      ? ViewOf<J, V>
      : S extends OneOf<infer T>
        ? T
        : S extends List<infer I>
          ? readonly ViewOf<I, V>[]
          : S extends OneOrList<infer I>
            ? V extends 'in'
              ? ViewOf<I, V> | readonly ViewOf<I, V>[]
              : readonly ViewOf<I, V>[]
            : S extends MapOf<infer I>
              ? { readonly [name: string]: ViewOf<I, V> }
              : S extends ObjectOf<infer F>
                ? ObjectView<F, V>
                : S extends AnyOf<infer A extends readonly unknown[]>
                  ? ViewOf<A[number], V>
                  : S extends { readonly kind: infer K extends keyof Scalars }
                    ? Scalars[K][V]
                    : never;

type OptionalKeys<F> = { [K in keyof F]: F[K] extends Optional ? K : never }[keyof F];
export type Required<S> = S extends Optional<infer I> ? I : S;
type Flat<T> = { readonly [K in keyof T]: T[K] };

type ObjectView<F, V extends ViewName> = V extends 'param'
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
