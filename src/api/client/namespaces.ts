import { devRows } from './dev-methods.ts';
import { type AnyMethodRow, type CallOf, encodeParams } from './method-row.ts';
import { avmRows, healthRows, infoRows, walletRows } from './node-methods.ts';

/** The services of a node: the path of each, and its methods. Functions, types and conversions of all clients come from this table. */
export const services = {
  avm: { path: '/ext/bc/X', methods: avmRows },
  wallet: { path: '/ext/bc/X/wallet', methods: walletRows },
  info: { path: '/ext/info', methods: infoRows },
  health: { path: '/ext/health', methods: healthRows },
  dev: { path: '/ext/dev', methods: devRows },
} as const;

export type ServiceName = keyof typeof services;

type Namespace<T> = { readonly [N in keyof T]: CallOf<T[N]> };

/** A function for every method of a node, by service: `dev.send({ to, amount: 5n })`. */
export type Namespaces = { readonly [S in ServiceName]: Namespace<(typeof services)[S]['methods']> };

/** Calls a method at a path with parameters that are JSON values, and returns its result as JSON values. */
export type CallMethod = (path: string, method: string, params: object) => Promise<unknown>;

export function createNamespaces(call: CallMethod): Namespaces {
  const namespaces = Object.entries(services).map(([service, { path, methods }]) => {
    const calls = Object.entries(methods as { readonly [name: string]: AnyMethodRow }).map(([name, row]) => {
      const method = `${service}.${name}`;
      return [name, async (argument?: unknown) => row.result.decode(await call(path, method, encodeParams(row, argument)), '')] as const;
    });
    return [service, Object.fromEntries(calls)] as const;
  });
  return Object.fromEntries(namespaces) as unknown as Namespaces;
}

/** The path of the service that a method such as `avm.getHeight` belongs to; undefined if there is none. */
export function findServicePath(method: string): string | undefined {
  const [service = ''] = method.split('.', 1);
  return Object.hasOwn(services, service) ? services[service as ServiceName].path : undefined;
}
