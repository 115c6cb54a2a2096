import type { AnyFault } from '../fault.ts';
import { type Param, readParams } from './params.ts';
import type { Json } from './write-json.ts';

/** One method: what it takes, and a function from what it depends on and what it was given to its answer. */
export type Row<D, P> = {
  readonly params: Param<P>;
  readonly run: (deps: D, params: P) => Json | Promise<Json>;
  /** It changes something, so only the writing process may run it. */
  readonly writer: boolean;
  /** The version of AvalancheGo that deprecated it, or null. */
  readonly deprecated: string | null;
};

export type RowOptions = { readonly writer?: boolean; readonly deprecated?: string };

// biome-ignore lint/suspicious/noExplicitAny: each row has parameters of its own type, and only its own `run` ever sees them
export type Rows<D> = { readonly [name: string]: Row<D, any> };

/** A table of methods over the same dependencies: `methods<Deps>()({ getHeight: row(noParams, ({ chain }) => …) })`. */
export const methods =
  <D>() =>
  <R extends Rows<D>>(rows: R): R =>
    rows;

export const row = <D, P>(params: Param<P>, run: Row<D, P>['run'], { writer = false, deprecated }: RowOptions = {}): Row<D, P> => ({
  params,
  run,
  writer,
  deprecated: deprecated ?? null,
});

/** A method joined to its dependencies: `read` takes the JSON text of a call's parameters (null: none), `run` what came of it. */
export type Call = {
  readonly writer: boolean;
  /** Names of its parameters. */
  readonly params: readonly string[];
  readonly read: (params: string | null) => unknown;
  readonly run: (params: unknown) => Json | Promise<Json>;
};

export type Service = {
  readonly name: string;
  readonly calls: ReadonlyMap<string, Call>;
  /** What to say of a method it does not have, instead of the peer's words. */
  readonly missing?: Missing;
};

export type Missing = (method: string) => AnyFault;

export function service<D>(name: string, rows: Rows<D>, deps: D): Service {
  const calls = Object.entries(rows).map(([method, { params, run, writer }]): [string, Call] => [
    method,
    { writer, params: Object.keys(params.fields ?? {}), read: (raw) => readParams(params, raw), run: (given) => run(deps, given) },
  ]);
  return { name, calls: new Map(calls) };
}

/** Every method that one route answers, by its full name. */
export type Services = {
  readonly names: ReadonlyMap<string, Missing | undefined>;
  readonly calls: ReadonlyMap<string, Call>;
  /** What to say of a name that belongs to no service here. */
  readonly missing?: Missing;
  /** Given in a process that may not write: hands a call of a writing method, as it came, to the process that may. */
  readonly forward?: (request: Uint8Array) => Promise<Reply>;
};

/**
 * An empty body means no answer: the call was a notification. `called`: a method was found, its parameters fitted, it ran.
 * `isUnavailable`: another process was needed for it and did not answer.
 */
export type Reply = { readonly body: string | Uint8Array; readonly called: boolean; readonly isUnavailable?: true };

export function servicesOf(...services: readonly Service[]): Services {
  const calls = services.flatMap(({ name, calls }) => [...calls].map(([method, call]): [string, Call] => [`${name}.${method}`, call]));
  return { names: new Map(services.map(({ name, missing }) => [name, missing])), calls: new Map(calls) };
}
