import { type AnyShape, type InOf, type InputOf, isRecord, type OutputOf, record, type Shape, type Shapes } from './shape.ts';

/** A method of a node: its parameters by name, its result, and the parameter that a caller may pass alone. */
export type MethodRow<P extends Shapes, R, B extends keyof P & string> = {
  readonly params: P;
  readonly result: R;
  readonly bare: B | undefined;
};

// biome-ignore lint/suspicious/noExplicitAny: a row with any parameters and result
export type AnyMethodRow = MethodRow<any, AnyShape | Encoded<string, any>, any>;

export function method<P extends Shapes, R extends Shapes>(params: P, result: R): MethodRow<P, Shape<unknown, OutputOf<R>>, never>;
export function method<P extends Shapes, R extends Shapes, B extends keyof P & string>(
  params: P,
  result: R,
  bare: B,
): MethodRow<P, Shape<unknown, OutputOf<R>>, B>;
export function method(params: Shapes, result: Shapes, bare?: string) {
  return { params, result: record(result), bare };
}

/** The result of a method with `encoding`: the property `name` is an object for `json` and a text for every other encoding. */
export type Encoded<N extends string, T> = {
  readonly name: N;
  readonly json: Shape<T>;
  readonly decode: (json: unknown, path: string) => unknown;
};

export type Encoding = 'hex' | 'hexc' | 'hexnc' | 'json';

/** A method that returns a transaction or a block in the encoding that the caller chooses. */
export const encodedMethod = <P extends Shapes, N extends string, T, B extends keyof P & string>(
  params: P,
  name: N,
  json: Shape<T>,
  bare: B,
): MethodRow<P, Encoded<N, T>, B> => ({
  params,
  result: {
    name,
    json,
    decode: (value, path) => {
      const { encoding, [name]: found } = isRecord(value) ? value : {};
      return { [name]: encoding === 'json' ? json.decode(found, `${path}.${name}`) : found, encoding };
    },
  },
  bare,
});

/** The parameters of a row as a caller passes them: an object, or the value of the parameter that may be alone. */
type ParamsArgument<P extends Shapes, B extends keyof P & string> = InputOf<P> | ([B] extends [never] ? never : NonNullable<InOf<P[B]>>);

type Arguments<P extends Shapes, B extends keyof P & string> =
  object extends InputOf<P> ? [params?: ParamsArgument<P, B>] : [params: ParamsArgument<P, B>];

/** The function of a row. */
export type CallOf<M> =
  M extends MethodRow<infer P, Encoded<infer N, infer T>, infer B>
    ? <E extends Encoding = 'hex'>(
        params: (InputOf<P> & { readonly encoding?: E }) | NonNullable<InOf<P[B]>>,
      ) => Promise<{ readonly [K in N]: E extends 'json' ? T : string } & { readonly encoding: E }>
    : M extends MethodRow<infer P, Shape<unknown, infer R>, infer B>
      ? (...args: Arguments<P, B>) => Promise<R>
      : never;

/** The result of a row. */
export type ResultOf<M> = M extends MethodRow<infer _P, Shape<unknown, infer R>, infer _B> ? R : never;

/** The parameters of a call as JSON values. */
export function encodeParams({ params, bare }: AnyMethodRow, argument: unknown): object {
  if (argument === undefined) return {};
  const isBare = !isRecord(argument) && bare !== undefined;
  return record(params as Shapes).encode(isBare ? { [bare]: argument } : (argument as object), '') as object;
}
