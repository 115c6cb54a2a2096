import { type NodeApi, requireServicePath } from '../api/client/client.ts';
import { type Events, subscribe } from '../api/client/events.ts';
import { SeracError } from '../api/client/fault.ts';
import { createNamespaces } from '../api/client/namespaces.ts';
import type { ChainEvent } from '../api/contract/events.ts';
import type { HttpResponse } from '../api/http/message.ts';
import { version } from '../app/home.ts';
import { writeError } from '../app/platform/runtime.ts';
import { createEnv } from '../app/platform/runtime-env.ts';
import { startNode } from '../app/programs/start-node.ts';
import { formatSecret } from '../avm/wallet/key.ts';
import { createLog } from '../base/log/log.ts';
import { createKeepAlive, type KeepAlive } from './keep-alive.ts';
import { callHandler, toStandardResponse } from './local-request.ts';
import { callMethod, openLocalEvents } from './local-rpc.ts';
import type { NodeOptions } from './node-options.ts';
import { configFromOptions } from './options-config.ts';

/** An X-Chain node inside this process. It shares nothing with other nodes of the process but the limit of the memory of caches. */
export type LocalNode = NodeApi & {
  /** The funded accounts. Account 0 has the ewoq key and pays by default. */
  readonly accounts: readonly NodeAccount[];
  /** The URL of the last `listen`; undefined before. */
  readonly url: string | undefined;
  /**
   * Subscribes to events. They begin where the node was created or, after `dev.revert` or `dev.reset`, where that ended; `after` says
   * otherwise.
   */
  readonly events: NodeApi['events'];
  /** Sends an HTTP request to any route of the node without a socket: `fetch('/v1/networks')`. */
  readonly fetch: (target: string, init?: FetchOptions) => Promise<Response>;
  /** Serves HTTP on a port of 127.0.0.1 (or `httpHost`), for SDKs; 0 picks a free port. Returns the URL. */
  readonly listen: (port: number) => Promise<string>;
  /** Stops the node and closes its ports and files. May be called twice. */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type NodeAccount = {
  readonly index: number;
  readonly address: string;
  /** `PrivateKey-` and CB58, as AvalancheGo writes it. */
  readonly privateKey: string;
};

export type FetchOptions = {
  readonly method?: string;
  /** By name, in any case. */
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Uint8Array;
};

/** Methods after which events of before are no longer of interest. */
const restoringMethods: ReadonlySet<string> = new Set(['dev.revert', 'dev.reset']);

/**
 * Starts a node in this process: no port, and the chain in memory unless `dataDir` is given. It keeps the process running while it listens, and
 * while a call, an event or the body of a response is waited for.
 */
export function createNode(options: NodeOptions = {}): Promise<LocalNode> {
  const keepAlive = createKeepAlive();
  return keepAlive.during(startLocalNode(options, keepAlive));
}

async function startLocalNode(options: NodeOptions, keepAlive: KeepAlive): Promise<LocalNode> {
  const config = configFromOptions(options);
  const { log: write = (line: string) => writeError(`serac: ${line}`) } = options;
  let hasEnded = false;
  // Calls that were running when the node was closed fail afterwards.
  const log = createLog(write, () => (hasEnded ? 'off' : config.logLevel));
  // A full disk closes the node, but must not end the program that it is part of.
  const env = { ...createEnv({ version, log, keepsRunning: false }), exit: () => {} };
  const node = await startNode(config, env, { listens: false });
  let url: string | undefined;
  let closed: Promise<void> | undefined;
  let eventsStart = await node.eventPosition();
  const requireOpen = (): void => {
    if (closed !== undefined) throw new SeracError('the node is closed; create another one', { code: 'NODE_CLOSED' });
  };
  /** For a call that fails: if the node was closed meanwhile, that is the error to show. */
  const unlessClosed = (error: unknown): never => {
    requireOpen();
    throw error;
  };
  const close = (): Promise<void> => {
    closed ??= keepAlive.during(node.close()).finally(() => {
      hasEnded = true;
    });
    return closed;
  };
  const callOpenNode = async (path: string, method: string, params: object): Promise<unknown> => {
    requireOpen();
    const result = await callMethod(node.handler, path, method, params).catch(unlessClosed);
    if (restoringMethods.has(method)) eventsStart = await node.eventPosition();
    return result;
  };
  const call: typeof callOpenNode = (...args) => keepAlive.during(callOpenNode(...args));
  const openEvents = async (query: string): Promise<AsyncIterable<Uint8Array> | undefined> => {
    try {
      return await openLocalEvents(node.handler, query);
    } catch (error) {
      // The node was closed before the subscription was active.
      if (closed !== undefined) return undefined;
      throw error;
    }
  };
  const sendRequest = (target: string, { method = 'GET', headers, body }: FetchOptions): Promise<HttpResponse> => {
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    return callHandler(node.handler, { method, target, headers, body: bytes });
  };
  return {
    ...createNamespaces(call),
    accounts: node.accounts.map(({ index, key, address }) => ({ index, address, privateKey: formatSecret(key.secret) })),
    get url() {
      return url;
    },
    rpc: async (method, params = {}) => call(requireServicePath(method), method, params),
    events: (filter = {}) => {
      requireOpen();
      return withKeepAlive(subscribe(openEvents, { ...filter, after: filter.after ?? eventsStart }), keepAlive);
    },
    fetch: async (target, init = {}) => {
      requireOpen();
      return toStandardResponse(await keepAlive.during(sendRequest(target, init)), keepAlive);
    },
    listen: async (port) => {
      requireOpen();
      url = await keepAlive.during(node.listen(port));
      return url;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Events whose reader keeps the process running while it waits for the next one. */
function withKeepAlive<E extends ChainEvent>(events: Events<E>, { during }: KeepAlive): Events<E> {
  const held: Events<E> = {
    ...events,
    ready: during(events.ready),
    next: () => during(events.next()),
    [Symbol.asyncIterator]: () => held,
  };
  return held;
}
