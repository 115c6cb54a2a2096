import { servicePath } from './example-request.ts';
import type { OpenApi, OpenRpc, Operation, RpcMethod } from './reference-types.ts';

type Described =
  | { readonly kind: 'method'; readonly method: RpcMethod }
  | { readonly kind: 'route'; readonly method: string; readonly path: string; readonly operation: Operation };

/** A method of the Node RPC or a route, which has a page of its own. */
export type ReferenceEntry = {
  /** What follows `/api/` in the address of its page: `avm.getTx`, `data/getUtxosByAddresses`. */
  readonly page: string;
  /** The name of the method, or the operation ID of the route: the anchor of its line. */
  readonly id: string;
  /** `RPC`, `GET`, `POST`, … */
  readonly verb: string;
  readonly path: string;
  readonly summary: string;
  readonly described: Described;
};

export type ReferenceGroup = { readonly id: string; readonly name: string; readonly entries: readonly ReferenceEntry[] };

/** All methods and routes of a port by service and tag, in the order of the documents. */
export function groupEntries(openApi: OpenApi, openRpc: OpenRpc | undefined): ReferenceGroup[] {
  const methods = openRpc?.methods ?? [];
  const services = [...new Set(methods.map(({ tags }) => tags[0]?.name ?? ''))];
  const routes = Object.entries(openApi.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb: verb.toUpperCase(), operation })),
  );
  return [
    ...services.map((service) => groupOf(`Node RPC: ${service}`, methods.filter(({ tags }) => tags[0]?.name === service).map(methodEntry))),
    ...openApi.tags.map(({ name }) =>
      groupOf(
        name,
        routes
          .filter(({ operation }) => operation.tags.includes(name))
          .map(({ path, verb, operation }) => routeEntry(name, path, verb, operation)),
      ),
    ),
  ];
}

const groupOf = (name: string, entries: readonly ReferenceEntry[]): ReferenceGroup => ({
  id: `group-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
  name,
  entries,
});

const methodEntry = (method: RpcMethod): ReferenceEntry => ({
  page: method.name,
  id: method.name,
  verb: 'RPC',
  path: servicePath(method),
  summary: method.summary ?? '',
  described: { kind: 'method', method },
});

/** `tag` begins with the API: `Data: UTXOs`. */
const routeEntry = (tag: string, path: string, verb: string, operation: Operation): ReferenceEntry => ({
  page: `${(tag.split(':')[0] ?? '').toLowerCase()}/${operation.operationId}`,
  id: operation.operationId,
  verb,
  path,
  summary: operation.summary,
  described: { kind: 'route', method: verb, path, operation },
});
