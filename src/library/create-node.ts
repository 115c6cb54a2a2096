import { createLog } from '../cli/log.ts';
import { createEnv } from '../env.ts';
import { Fault } from '../fault.ts';
import { startNode } from '../node.ts';
import { writeError } from '../platform/stderr.ts';
import { version } from '../version.ts';
import { callHandler, toStandardResponse } from './local-request.ts';
import type { NodeOptions } from './node-options.ts';
import { configFromOptions } from './options-config.ts';
import { callMethod } from './rpc.ts';

/** An X-Chain node inside this process. It shares nothing with other nodes of the process. */
export type LocalNode = {
  /** The URL of the last `listen`; undefined before. */
  readonly url: string | undefined;
  /**
   * Calls a method of the Node RPC (`avm.getHeight`) without a socket and returns its result. A bigint in the parameters is sent as a decimal
   * string; an integer in the result that a number cannot hold exactly is a bigint. Throws an RpcError if the node refuses.
   */
  readonly rpc: (method: string, params?: object) => Promise<unknown>;
  /** Sends an HTTP request to any route of the node without a socket: `fetch('/v1/networks')`. */
  readonly fetch: (target: string, init?: FetchOptions) => Promise<Response>;
  /** Serves HTTP on a port of 127.0.0.1 (or `httpHost`), for SDKs; 0 picks a free port. Returns the URL. */
  readonly listen: (port: number) => Promise<string>;
  /** Stops the node and closes its ports and files. May be called twice. */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type FetchOptions = {
  readonly method?: string;
  /** By lower-case name. */
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Uint8Array;
};

/** Starts a node in this process: no port, and the chain in memory unless `dataDir` is given. */
export async function createNode(options: NodeOptions = {}): Promise<LocalNode> {
  const config = configFromOptions(options);
  const { log: write = writeError } = options;
  const log = createLog(write, () => config.logLevel);
  // A full disk closes the node, but must not end the program that it is part of.
  const env = { ...(await createEnv({ version, log })), exit: () => {} };
  const node = await startNode(config, env, { listens: false });
  let url: string | undefined;
  let closed: Promise<void> | undefined;
  const requireOpen = (): void => {
    if (closed !== undefined) throw new LibraryError('the node is closed; create another one', { code: 'NODE_CLOSED' });
  };
  const close = (): Promise<void> => {
    closed ??= node.close();
    return closed;
  };
  return {
    get url() {
      return url;
    },
    rpc: async (method, params = {}) => {
      requireOpen();
      return callMethod(node.handler, method, params);
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

export type LibraryFault = { code: 'NODE_CLOSED' };
export class LibraryError extends Fault<LibraryFault> {}
