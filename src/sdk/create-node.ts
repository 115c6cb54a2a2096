import { type NodeApi, requireServicePath } from '../api/client/client.ts';
import { subscribe } from '../api/client/events.ts';
import { SeracError } from '../api/client/fault.ts';
import { createNamespaces } from '../api/client/namespaces.ts';
import { createLog } from '../app/log/log.ts';
import { writeError } from '../app/platform/stderr.ts';
import { startNode } from '../app/programs/start-node.ts';
import { version } from '../app/version.ts';
import { formatSecret } from '../avm/wallet/key.ts';
import { callHandler, toStandardResponse } from './local-request.ts';
import { callMethod, openLocalEvents } from './local-rpc.ts';
import type { NodeOptions } from './node-options.ts';
import { configFromOptions } from './options-config.ts';
import { createEnv } from './runtime-env.ts';

/** An X-Chain node inside this process. It shares nothing with other nodes of the process. */
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
  /** By lower-case name. */
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Uint8Array;
};

/** Methods after which events of before are no longer of interest. */
const restoringMethods: ReadonlySet<string> = new Set(['dev.revert', 'dev.reset']);

/** Starts a node in this process: no port, and the chain in memory unless `dataDir` is given. */
export async function createNode(options: NodeOptions = {}): Promise<LocalNode> {
  const config = configFromOptions(options);
  const { log: write = writeError } = options;
  const log = createLog(write, () => config.logLevel);
  // A full disk closes the node, but must not end the program that it is part of.
  const env = { ...createEnv({ version, log }), exit: () => {} };
  const node = await startNode(config, env, { listens: false });
  let url: string | undefined;
  let closed: Promise<void> | undefined;
  let eventsStart = await node.eventPosition();
  const requireOpen = (): void => {
    if (closed !== undefined) throw new SeracError('the node is closed; create another one', { code: 'NODE_CLOSED' });
  };
  const close = (): Promise<void> => {
    closed ??= node.close();
    return closed;
  };
  const call = async (path: string, method: string, params: object): Promise<unknown> => {
    requireOpen();
    const result = await callMethod(node.handler, path, method, params);
    if (restoringMethods.has(method)) eventsStart = await node.eventPosition();
    return result;
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
      return subscribe((query) => openLocalEvents(node.handler, query), { ...filter, after: filter.after ?? eventsStart });
    },
    fetch: async (target, { method = 'GET', headers, body } = {}) => {
      requireOpen();
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
      const request = { method, target, ...(headers && { headers }), ...(bytes && { body: bytes }) };
      return toStandardResponse(await callHandler(node.handler, request));
    },
    listen: async (port) => {
      requireOpen();
      url = await node.listen(port);
      return url;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
