import type { Handler } from '../../api/http/message.ts';
import { devStatePath } from '../../api/http/node-routes.ts';
import type { ServerIndex } from '../../api/rest/index-page.ts';
import type { BannerInfo } from '../../cli/banner.ts';
import type { Config } from '../config/config.ts';
import type { ServeOptions, Server } from '../platform/serve.ts';
import { countReaders } from '../setup/cache-budget.ts';
import type { Env } from '../setup/env.ts';
import { type ReaderPool, type ReaderPoolOptions, startReaders } from '../workers/supervisor.ts';
import type { ApiSelection } from './api.ts';
import { apisOnOwnPorts } from './api-parts.ts';
import type { Handlers } from './handlers.ts';
import { withRequestLog } from './request-log.ts';
import { serveOptions, urlOf } from './serve-options.ts';
import { createServerIndex } from './server-index.ts';

export type NodeServerParts = {
  /** False: opens no port and starts no reader processes, which share the port. */
  readonly listens: boolean;
  readonly apis: BannerInfo['apis'];
  /** Aliases of the chains beside the X-Chain. */
  readonly aliases: readonly string[];
  /** Adds a server to those that are closed together. */
  readonly closeLater: (close: () => void | Promise<void>) => void;
  readonly isStopping: () => boolean;
};

export type OpenParts = Required<Pick<ReaderPoolOptions, 'onChange' | 'onRefused'>> & {
  readonly handlers: Handlers;
  /** Handles the requests that reader processes pass on. */
  readonly relayHandler: Handler;
  readonly relayedPaths: readonly string[];
  readonly nodeID: string;
};

/** The ports of a node and its reader processes. */
export type NodeServers = {
  readonly readerCount: number;
  /** Opens the ports and starts the reader processes. */
  readonly open: (parts: OpenParts) => Promise<ReaderPool>;
  /** Opens one more port of the configured host; 0 picks a free one. Returns the URL. */
  readonly listen: (port: number) => Promise<string>;
  /** The URL of the main port; empty if the node does not listen. */
  readonly url: () => string;
  /** The URL of the Data or Metrics API; undefined if it is off. */
  readonly apiUrl: (part: 'data' | 'stats') => string | undefined;
  readonly index: () => ServerIndex;
};

export function createNodeServers(config: Config, env: Env, parts: NodeServerParts): NodeServers {
  const { listens, apis, aliases, closeLater, isStopping } = parts;
  const readerCount = listens ? countReaders(config, env) : 0;
  let mainHandler: Handler = () => ({ status: 503, headers: {}, body: '' });
  let url = '';
  /** The servers of the APIs that have a port of their own. */
  const others = new Map<ApiSelection, Server>();

  const listenOn = async (port: number): Promise<number> => {
    const server = await listenShared({ ...serveOptions(config), port, handler: withRequestLog(mainHandler, env) }, env, readerCount > 0);
    closeLater(server.close);
    // `close` was called meanwhile and may have passed these servers already.
    if (isStopping()) await server.close();
    return server.port;
  };

  const apiUrl = (part: 'data' | 'stats', mainUrl: string): string | undefined => {
    if (!config[part].enabled) return undefined;
    const selection = part === 'data' ? 'data' : 'metrics';
    if (!apisOnOwnPorts(config).some((row) => row.selection === selection)) return mainUrl;
    return urlOf(config, others.get(selection)?.port ?? 0);
  };

  const index = (): ServerIndex =>
    createServerIndex(env.version, config, { apis, data: apiUrl('data', ''), stats: apiUrl('stats', ''), aliases });

  const open = async ({ handlers, relayHandler, relayedPaths, nodeID, onChange, onRefused }: OpenParts): Promise<ReaderPool> => {
    mainHandler = handlers.main;
    const mainPort = listens ? await listenOn(config.http.port) : undefined;
    if (mainPort !== undefined) url = urlOf(config, mainPort);
    for (const { selection, port, handler } of listens ? handlers.ownPorts : []) {
      const other = await env.serve({ ...serveOptions(config), port, handler: withRequestLog(handler, env) });
      closeLater(other.close);
      others.set(selection, other);
    }
    // Reader processes forward state files to this port: their channel to the writer process carries whole messages only.
    const stateServer =
      apis.dev === true && readerCount > 0
        ? await env.serve({ ...serveOptions(config), host: '127.0.0.1', port: 0, handler: onlyPath(devStatePath, mainHandler) })
        : undefined;
    if (stateServer !== undefined) closeLater(stateServer.close);
    const readers = startReaders(readerCount, env, {
      handler: relayHandler,
      start: {
        nodeID,
        port: mainPort ?? 0,
        relayedPaths,
        index: index(),
        ...(stateServer && { statePort: stateServer.port }),
      },
      onChange,
      onRefused,
    });
    closeLater(readers.stop);
    return readers;
  };

  return {
    readerCount,
    open,
    listen: async (port) => urlOf(config, await listenOn(port)),
    url: () => url,
    apiUrl: (part) => apiUrl(part, url),
    index,
  };
}

/** A handler of one path; every other path is not found. */
const onlyPath =
  (path: string, handler: Handler): Handler =>
  (request) =>
    request.path === path ? handler(request) : { status: 404, headers: {}, body: '' };

/**
 * Listens on the main port. A port that reader processes share could also be shared with another node of the same user by mistake, so it is
 * first opened exclusively to make sure that it is free.
 */
async function listenShared(options: ServeOptions, env: Env, isShared: boolean): Promise<Server> {
  const exclusive = await env.serve(options);
  if (!isShared) return exclusive;
  await exclusive.close();
  return env.serve({ ...options, port: exclusive.port, reusePort: true });
}
