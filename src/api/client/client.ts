import { attempt } from '../../base/fault.ts';
import type { ChainEvent } from '../contract/events.ts';
import { type EventFilter, type Events, subscribe } from './events.ts';
import { SeracError } from './fault.ts';
import { createNamespaces, findServicePath, type Namespaces } from './namespaces.ts';
import { createRpcClient, type RpcClient, type RpcClientOptions } from './rpc-client.ts';
import { readChunks } from './server-sent-events.ts';

/** What a node offers to programs, in this process or over HTTP. */
export type NodeApi = Namespaces & {
  /**
   * Calls a method by its name, such as `avm.getHeight`, and returns its result as JSON. A bigint in the parameters is sent as a decimal
   * string; an integer in the result that a number cannot hold exactly is a bigint. Throws a SeracError.
   */
  readonly rpc: (method: string, params?: object) => Promise<unknown>;
  /**
   * Subscribes to events. Over HTTP they begin with the next one, unless `after` says otherwise. If events were lost, a caller who asked for
   * `reset` gets that event, every other one the error `EVENTS_LOST`.
   */
  readonly events: <K extends ChainEvent['kind'] = ChainEvent['kind']>(
    filter?: EventFilter<K>,
  ) => Events<Extract<ChainEvent, { readonly kind: K }>>;
};

/** A client of a node over HTTP. */
export type Client = NodeApi & { readonly url: string };

/** Creates a client of any AvalancheGo or Serac node, of its URL or of options. It opens no connection by itself. */
export function createClient(node: string | RpcClientOptions): Client {
  const rpc = createRpcClient(typeof node === 'string' ? { url: node } : node);
  return {
    ...createNamespaces(rpc.call),
    url: rpc.url,
    rpc: async (method, params = {}) => rpc.call(requireServicePath(method), method, params),
    events: (filter = {}) => subscribe((query, signal) => openEventStream(rpc, query, signal), filter),
  };
}

export function requireServicePath(method: string): string {
  const path = findServicePath(method);
  if (path !== undefined) return path;
  throw new SeracError(`no service has the method ${JSON.stringify(method)}; methods begin with avm., wallet., info., health. or dev.`, {
    code: 'UNKNOWN_SERVICE',
    method,
  });
}

/** Opens `/ext/events` over HTTP. */
export async function openEventStream(
  client: RpcClient,
  query: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<AsyncIterable<Uint8Array>> {
  const response = await client.request(`/ext/events?${query}`, { headers: { accept: 'text/event-stream', ...headers }, signal });
  if (response.ok && response.body !== null) return readChunks(response.body);
  const text = (await client.readText(response)).slice(0, 300);
  throw new SeracError(`${client.url}/ext/events: ${readRefusal(text) ?? (text || `status ${response.status}`)}`, {
    code: 'NODE_HTTP',
    url: client.url,
    status: response.status,
  });
}

/** The reasons in the JSON of a refused request; undefined if the text is something else. */
function readRefusal(text: string): string | undefined {
  const { message } = (attempt(() => JSON.parse(text)) ?? {}) as { readonly message?: unknown };
  const reasons = [message].flat().filter((reason) => typeof reason === 'string');
  return reasons.length === 0 ? undefined : reasons.join('; ');
}
