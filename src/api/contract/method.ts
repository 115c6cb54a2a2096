import type { Encoding } from './kinds.ts';
import type { AnySchema, Fields } from './schema.ts';
import type { InOf, InputOf, OutOf, Required } from './views.ts';

/** A method of the Node RPC: its parameters by name, its result, and the parameter that a caller of the client may pass alone. */
export type MethodRow<P extends Fields = Fields, R extends AnySchema | Encoded = AnySchema | Encoded, B extends string = string> = {
  readonly params: P;
  readonly result: R;
  readonly bare?: B;
  /** Unknown and repeated parameters are refused: ignoring a misspelt one would do something else than what was asked for. */
  readonly isStrict?: true;
  /** Other names of parameters: the parameter that each one stands for. */
  readonly aliases?: { readonly [alias: string]: string };
  /** The parameters are an array in their order, not an object. */
  readonly isPositional?: true;
};

export type MethodRows = { readonly [name: string]: MethodRow };

/** The result of a method with `encoding`: the property `name` is an object for `json` and a text for every other encoding. */
export type Encoded<N extends string = string, S extends AnySchema = AnySchema> = {
  readonly kind: 'encoded';
  readonly name: N;
  readonly json: S;
};

export const encoded = <N extends string, S extends AnySchema>(name: N, json: S): Encoded<N, S> => ({ kind: 'encoded', name, json });

/** Declares a method. `bare`: the parameter that may be passed alone. */
export const method = <P extends Fields, R extends AnySchema | Encoded, B extends keyof P & string = never>(
  params: P,
  result: R,
  bare?: B,
): MethodRow<P, R, B> => ({ params, result, bare });

/** Declares a `dev.*` method. An asset may be given as `asset` too, the name of the command line's flag. */
export const devMethod = <P extends Fields, R extends AnySchema, B extends keyof P & string = never>(
  params: P,
  result: R,
  bare?: B,
): MethodRow<P, R, B> => ({
  ...method(params, result, bare),
  isStrict: true,
  aliases: 'assetID' in params ? { asset: 'assetID' } : undefined,
});

/** Declares a method whose parameters are an array. */
export const positionalMethod = <P extends Fields, R extends AnySchema>(params: P, result: R): MethodRow<P, R, never> => ({
  params,
  result,
  isPositional: true,
});

/** The parameters of a row as a caller passes them: an object, or the value of the parameter that may be alone. */
type ParamsArgument<P extends Fields, B extends string> = InputOf<P> | ([B] extends [never] ? never : BareOf<P, B>);

type BareOf<P, B> = B extends keyof P ? InOf<Required<P[B]>> : never;

type Arguments<P extends Fields, B extends string> =
  object extends InputOf<P> ? [params?: ParamsArgument<P, B>] : [params: ParamsArgument<P, B>];

/** The function of a row in the client. */
export type CallOf<M> =
  M extends MethodRow<infer P, infer R, infer B>
    ? R extends Encoded<infer N, infer S>
      ? <E extends Encoding = 'hex'>(
          params: (InputOf<P> & { readonly encoding?: E }) | BareOf<P, B>,
        ) => Promise<{ readonly [K in N]: E extends 'json' ? OutOf<S> : string } & { readonly encoding: E }>
      : (...args: Arguments<P, B>) => Promise<OutOf<R>>
    : never;

/** The result of a row in the client. */
export type ResultOf<M> = M extends MethodRow<infer _P, infer R, infer _B> ? OutOf<R> : never;

/**
 * What the documents say about a method beside its types: a call to a newly started node and its result or error; `…` replaces values that
 * differ between nodes. It is apart from the rows, because the browser's client loads those.
 */
export type MethodDoc = {
  readonly summary: string;
  /** The version of AvalancheGo that deprecated it. */
  readonly deprecated?: string;
  readonly params?: unknown;
} & ({ readonly result: string } | { readonly error: string });

/** The documentation of each method of a table; a method without one is a compile error. */
export type DocsOf<Rows> = { readonly [method in keyof Rows]: MethodDoc };
