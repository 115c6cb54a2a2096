import { clientServices } from '../contract/client-services.ts';
import type { CallOf, MethodRow, MethodRows } from '../contract/method.ts';
import { decode, encodeFields, isRecord } from './convert.ts';

type ServiceName = keyof typeof clientServices;

type Namespace<T> = { readonly [N in keyof T]: CallOf<T[N]> };

/** A function for every method of a node, by service: `dev.send({ to, amount: 5n })`. */
export type Namespaces = { readonly [S in ServiceName]: Namespace<(typeof clientServices)[S]['methods']> };

/** Calls a method at a path with parameters that are JSON values, and returns its result as JSON values. */
type CallMethod = (path: string, method: string, params: object) => Promise<unknown>;

export function createNamespaces(call: CallMethod): Namespaces {
  const namespaces = Object.entries(clientServices).map(([service, { path, prefix, methods }]) => {
    const calls = Object.entries(methods as MethodRows).map(([name, row]) => {
      const method = prefix + name;
      return [name, async (argument?: unknown) => decode(row.result, await call(path, method, encodeParams(row, argument)), '')] as const;
    });
    return [service, Object.fromEntries(calls)] as const;
  });
  return Object.fromEntries(namespaces) as unknown as Namespaces;
}

/** The parameters of a call as JSON values. */
export function encodeParams({ params, bare }: MethodRow, argument: unknown): object {
  if (argument === undefined) return {};
  const isBare = !isRecord(argument) && bare !== undefined;
  return encodeFields(params, isBare ? { [bare]: argument } : (argument as object), '');
}

/** The path of the service that a method such as `avm.getHeight` belongs to; undefined if there is none. */
export function findServicePath(method: string): string | undefined {
  const [service = ''] = method.split('.', 1);
  return Object.hasOwn(clientServices, service) ? clientServices[service as ServiceName].path : undefined;
}
