import { createCache } from '../../base/cache/cache.ts';
import { copyText } from '../../base/cache/copy-text.ts';
import type { AnyFault } from '../../base/fault.ts';
import type { Encoding } from '../contract/kinds.ts';
import type { Encoded, MethodRow, MethodRows } from '../contract/method.ts';
import type { AnySchema } from '../contract/schema.ts';
import type { Answer, JsonOf, ParamsOf } from '../contract/views.ts';
import { compileParams } from './compile-params.ts';
import { type RpcParam, readRpcParams } from './params.ts';
import type { CacheResults } from './result-cache.ts';
import { type Json, type RawJson, rawJson, writeJson } from './write-json.ts';

/** What a handler returns for a result of the type `T`. */
export type Rendered<T> = Answer<T, RawJson>;

type ResultOf<R> =
  R extends Encoded<infer N> ? { readonly [K in N]: Json } & { readonly encoding: Encoding } : R extends AnySchema ? JsonOf<R> : never;

/** A function from the dependencies of a service and the parameters of a method to its result. */
type Run<D, M> = M extends MethodRow<infer P, infer R> ? (deps: D, params: ParamsOf<P>) => Promise<Rendered<ResultOf<R>>> : never;

type HandlerOptions = {
  /** Only the writer process can run it, for example because it changes state. */
  readonly needsWriter?: true;
  /** Whether a result depends on the parameters and the accepted state only, so that it may be cached until the next commit. */
  readonly isCacheable?: (result: Json) => boolean;
  /** Whether the result never changes: it is made once. Only of methods without parameters. */
  readonly isConstant?: true;
};

type Handler<D, M> = Run<D, M> | (HandlerOptions & { readonly run: Run<D, M> });

/** A method of the contract with its handler. */
type Method<D> = HandlerOptions & {
  readonly row: MethodRow;
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own parameter type, which `implement` has checked
  readonly run: (deps: D, params: any) => Promise<Json>;
};

type MethodTable<D, N extends string = string> = { readonly [name in N]: Method<D> };

/**
 * Adds the handlers to rows of the contract: `implement<Deps>()(rows, { getHeight: ({ chain }) => … })`. A missing or an extra handler, or one
 * with other parameters or another result than its row, does not compile.
 */
export const implement =
  <D>() =>
  <R extends MethodRows>(rows: R, handlers: { readonly [N in keyof R]: Handler<D, R[N]> }): MethodTable<D, keyof R & string> =>
    Object.fromEntries(
      Object.entries(rows).map(([name, row]) => {
        const handler = handlers[name] as Method<D>['run'] | (HandlerOptions & { readonly run: Method<D>['run'] });
        return [name, typeof handler === 'function' ? { row, run: handler } : { row, ...handler }];
      }),
    ) as MethodTable<D, keyof R & string>;

/** A method with its dependencies: `readParams` takes the JSON text of the parameters (null: absent), `run` takes what it returned. */
export type BoundMethod = {
  readonly needsWriter: boolean;
  /** Names of its parameters. */
  readonly paramNames: readonly string[];
  readonly readParams: (params: string | null) => unknown;
  readonly run: (params: unknown) => Promise<Json>;
  readonly meter?: Meter;
};

/** Records the calls of a method, each from reading its parameters to its result. */
type Meter = {
  /** Seconds of a monotonic clock. */
  readonly now: () => number;
  readonly record: (seconds: number, isError: boolean) => void;
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
  const methods = Object.entries(table).map(([name, { row, run, needsWriter = false, isCacheable, isConstant }]): [string, BoundMethod] => {
    const runBound = isConstant ? renderOnce(() => run(deps, {})) : (values: unknown) => run(deps, values);
    const bound: BoundMethod = {
      needsWriter,
      paramNames: [...Object.keys(row.params), ...Object.keys(row.aliases ?? {})],
      // The parameters of a method that writes, such as a transaction, do not repeat.
      readParams: compileAtFirstCall(row, needsWriter ? createPlainReader : createParamsReader),
      run: isCacheable === undefined || cacheResults === undefined ? runBound : (cacheResults(runBound, isCacheable) as BoundMethod['run']),
    };
    return [name, bound];
  });
  return { name, methods: new Map(methods) };
}

/** Runs a method at its first call and returns its result as JSON, which every later call gets too. */
function renderOnce(run: () => Promise<Json>): () => Promise<Json> {
  let rendered: Promise<Json> | undefined;
  return () => {
    rendered ??= run().then((result) => rawJson(writeJson(result)));
    return rendered;
  };
}

type ReadParams = (raw: string | null) => object;

const createPlainReader =
  (params: RpcParam<object>): ReadParams =>
  (raw) =>
    readRpcParams(params, raw);

/** A program starts sooner if the parameters of its eighty methods are compiled when they are called. */
function compileAtFirstCall(row: MethodRow, create: (params: RpcParam<object>) => ReadParams): ReadParams {
  let read: ReadParams | undefined;
  return (raw) => {
    read ??= create(compileParams(row));
    return read(raw);
  };
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
 * `isUnavailable`: the call has no result, because this process or the writer process is too busy now; the router answers with status 503.
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

/** Returns the services with every method replaced by what `change` returns for it. */
export const mapMethods = (services: Services, change: (method: BoundMethod, name: string) => BoundMethod): Services => ({
  ...services,
  methods: new Map([...services.methods].map(([name, method]) => [name, change(method, name)])),
});

/** Returns the services with every call recorded by the meter of its method, which is created here, once. */
export const meterServices = (services: Services, meterOf: (method: string) => Meter): Services =>
  mapMethods(services, (method, name) => ({ ...method, meter: meterOf(name) }));

/** Longer texts are not cached. One address or ID has about 100 characters. */
const maxCachedLength = 256;

/** Bytes of an entry beside its text. */
const entrySize = 600;

/**
 * Creates a function that reads the parameters of a method and caches them by their text: clients poll with the same parameters. Errors are
 * not cached. The text is copied before it is read, so that no parameter holds the body of a request.
 */
export function createParamsReader<T extends NonNullable<unknown>>(param: RpcParam<T>): (raw: string | null) => T {
  const cache = createCache<string, T>('params', { size: (raw) => 2 * raw.length + entrySize });
  return (raw) => {
    if (raw === null || raw.length > maxCachedLength) return readRpcParams(param, raw);
    const cached = cache.get(raw);
    if (cached !== undefined) return cached;
    const params = readRpcParams(param, copyText(raw));
    cache.set(raw, params);
    return params;
  };
}
