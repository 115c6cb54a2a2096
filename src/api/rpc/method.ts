import type { AnyFault } from '../../base/fault.ts';
import { type RpcParam, readRpcParams } from './params.ts';
import { createParamsReader } from './params-reader.ts';
import type { CacheResults } from './result-cache.ts';
import type { Json } from './write-json.ts';

/** A JSON-RPC method: its parameters, and a function from its dependencies and parameters to its result. */
export type Method<D, P> = {
  readonly params: RpcParam<P>;
  readonly run: (deps: D, params: P) => Json | Promise<Json>;
  /** Only the writer process can run it, for example because it changes state. */
  readonly needsWriter: boolean;
  /** The version of AvalancheGo that deprecated it, or null. */
  readonly deprecated: string | null;
  /** Whether a result depends on the parameters and the accepted state only, so that it may be cached until the next commit; null: never. */
  readonly isCacheable: ((result: Json) => boolean) | null;
};

export type MethodOptions = {
  readonly needsWriter?: boolean;
  readonly deprecated?: string;
  readonly isCacheable?: (result: Json) => boolean;
};

// biome-ignore lint/suspicious/noExplicitAny: each method has its own parameter type, which only its own `run` receives
export type MethodTable<D> = { readonly [name: string]: Method<D, any> };

/** Declares methods with the same dependencies: `methodTable<Deps>()({ getHeight: method(noParams, ({ chain }) => …) })`. */
export const methodTable =
  <D>() =>
  <T extends MethodTable<D>>(table: T): T =>
    table;

export const method = <D, P>(
  params: RpcParam<P>,
  run: Method<D, P>['run'],
  { needsWriter = false, deprecated, isCacheable }: MethodOptions = {},
): Method<D, P> => ({
  params,
  run,
  needsWriter,
  deprecated: deprecated ?? null,
  isCacheable: isCacheable ?? null,
});

/** A method with its dependencies: `readParams` takes the JSON text of the parameters (null: absent), `run` takes what it returned. */
export type BoundMethod = {
  readonly needsWriter: boolean;
  /** Names of its parameters. */
  readonly paramNames: readonly string[];
  readonly readParams: (params: string | null) => unknown;
  readonly run: (params: unknown) => Json | Promise<Json>;
};

export type Service = {
  readonly name: string;
  readonly methods: ReadonlyMap<string, BoundMethod>;
  /** Replaces AvalancheGo's error for a method that the service does not have. */
  readonly unknownMethodError?: CreateUnknownMethodError;
};

export type CreateUnknownMethodError = (method: string) => AnyFault;

/** Without `cacheResults` no results are cached. */
export function createService<D>(name: string, table: MethodTable<D>, deps: D, cacheResults?: CacheResults): Service {
  const methods = Object.entries(table).map(([name, { params, run, needsWriter, isCacheable }]): [string, BoundMethod] => {
    const runBound = (values: unknown) => run(deps, values);
    const bound: BoundMethod = {
      needsWriter,
      paramNames: [...Object.keys(params.fields ?? {}), ...Object.keys(params.aliases ?? {})],
      // The parameters of a method that writes, such as a transaction, do not repeat.
      readParams: needsWriter ? (raw) => readRpcParams(params, raw) : createParamsReader(params),
      run: isCacheable === null || cacheResults === undefined ? runBound : (cacheResults(runBound, isCacheable) as BoundMethod['run']),
    };
    return [name, bound];
  });
  return { name, methods: new Map(methods) };
}

/** All methods of one route. */
export type Services = {
  /** One entry per service of the route, by name: the error for a method the service does not have; undefined for AvalancheGo's error. */
  readonly unknownMethodErrors: ReadonlyMap<string, CreateUnknownMethodError | undefined>;
  /** By full name, such as `avm.getTx`. */
  readonly methods: ReadonlyMap<string, BoundMethod>;
  /** Replaces AvalancheGo's errors for every name that is not in `methods`. */
  readonly unknownMethodError?: CreateUnknownMethodError;
  /** Only in reader processes: sends a call with `needsWriter` to the writer process, unchanged. */
  readonly forwardToWriter?: (request: Uint8Array) => Promise<RpcResponse>;
};

/**
 * A response. The body is empty if the call was a notification. `methodRan`: the method was found, its parameters were valid, and it ran.
 * `isUnavailable`: the call needed another process, which did not answer.
 */
export type RpcResponse = { readonly body: string | Uint8Array; readonly methodRan: boolean; readonly isUnavailable?: true };

export function combineServices(...services: readonly Service[]): Services {
  const methods = services.flatMap(({ name, methods }) =>
    [...methods].map(([key, method]): [string, BoundMethod] => [`${name}.${key}`, method]),
  );
  return {
    unknownMethodErrors: new Map(services.map(({ name, unknownMethodError }) => [name, unknownMethodError])),
    methods: new Map(methods),
  };
}
