import type { CallRecorder } from '../../api/calls/call-recorder.ts';
import type { Handler } from '../../api/http/message.ts';
import { devStatePath } from '../../api/http/node-routes.ts';
import type { ServerIndex } from '../../api/rest/index-page.ts';
import type { NodeCore } from '../node/node-core.ts';
import type { BannerInfo } from '../output/banner-info.ts';
import type { Server } from '../platform/serve.ts';
import type { ReaderPoolOptions } from '../processes/reader-pool.ts';
import type { ApiSelection } from './api.ts';
import type { Handlers } from './handlers.ts';
import { withRequestLog } from './request-log.ts';
import { apisOnOwnPorts, serveOptions, urlOf } from './serve-options.ts';
import { createServerIndex } from './server-index.ts';

/** The ports of a node and its reader processes. */
export type NodePorts = ReturnType<typeof createNodePorts>;

export function createNodePorts(
  { config, env, context, parts, readers, stop }: NodeCore,
  apis: BannerInfo['apis'],
  recorder: CallRecorder | undefined,
) {
  const { countRead } = readers;
  const withLogs = (handler: Handler): Handler => withRequestLog(recorder?.wrap(countPages(handler)) ?? countPages(handler), env);
  const countPages = (handler: Handler): Handler =>
    countRead === undefined
      ? handler
      : (request) => {
          if (request.method === 'GET') countRead('page');
          return handler(request);
        };
  const aliases = context.specs.slice(1).map(({ aliases: [alias] }) => alias);
  let mainHandler: Handler = async () => ({ status: 503, headers: {}, body: '' });
  let url = '';
  /** The servers of the APIs that have a port of their own. */
  const others = new Map<ApiSelection, Server>();

  const listenOn = async (port: number): Promise<number> => {
    const handler = withLogs(mainHandler);
    const serve = (port: number, reusePort: boolean) => env.serve({ ...serveOptions(config), port, reusePort, handler });
    const server = readers.count > 0 ? await listenShared(serve, port, port === env.supervisor?.port) : await serve(port, false);
    parts.addServer(server);
    // `close` was called meanwhile and may have passed these servers already.
    if (stop.isStopping()) await server.close();
    return server.port;
  };

  const apiUrl = (part: 'data' | 'metricsApi', mainUrl: string): string | undefined => {
    if (!config[part].enabled) return undefined;
    const selection = part === 'data' ? 'data' : 'metrics';
    if (!apisOnOwnPorts(config).some((row) => row.selection === selection)) return mainUrl;
    return urlOf(config, others.get(selection)?.port ?? 0);
  };

  const index = (): ServerIndex =>
    createServerIndex(env.version, config, { apis, data: apiUrl('data', ''), metricsApi: apiUrl('metricsApi', ''), aliases });

  /** Opens the ports and starts the reader processes, if there are any: `readers.count`. */
  const open = async ({
    listens,
    handlers,
    relayHandler,
    relayedPaths,
    nodeID,
    logError,
    onChange,
    onRefused,
    onCalls,
    streamLimit,
  }: Required<Pick<ReaderPoolOptions, 'logError' | 'onChange' | 'onRefused'>> & {
    readonly onCalls: ReaderPoolOptions['onCalls'];
    readonly streamLimit: ReaderPoolOptions['streamLimit'];
    /** False: opens no port and starts no reader processes, which share the port. */
    readonly listens: boolean;
    readonly handlers: Handlers;
    /** Handles the requests that reader processes pass on. */
    readonly relayHandler: Handler;
    readonly relayedPaths: readonly string[];
    readonly nodeID: string;
  }): Promise<void> => {
    mainHandler = handlers.main;
    const mainPort = listens ? await listenOn(env.supervisor?.port ?? config.http.port) : undefined;
    if (mainPort !== undefined) url = urlOf(config, mainPort);
    for (const { selection, port, handler } of listens ? handlers.ownPorts : []) {
      const other = await env.serve({ ...serveOptions(config), port, handler: withLogs(handler) });
      parts.addServer(other);
      others.set(selection, other);
    }
    // Reader processes forward state files to this port: their channel to the writer process carries whole messages only.
    const stateServer =
      apis.dev === true && readers.count > 0
        ? await env.serve({ ...serveOptions(config), host: '127.0.0.1', port: 0, handler: onlyPath(devStatePath, mainHandler) })
        : undefined;
    if (stateServer !== undefined) parts.addServer(stateServer);
    readers.start({
      handler: relayHandler,
      logError,
      start: {
        nodeID,
        port: mainPort ?? 0,
        relayedPaths,
        index: index(),
        statePort: stateServer?.port,
      },
      onChange,
      onRefused,
      onCalls,
      streamLimit,
    });
    parts.addServer({ close: readers.stop });
  };

  return {
    open,
    /** Opens one more port of the configured host; 0 picks a free one. Returns the URL. */
    listen: async (port: number): Promise<string> => urlOf(config, await listenOn(port)),
    /** The URL of the main port; empty if the node does not listen. */
    url: (): string => url,
    /** The URL of the Data or Metrics API; undefined if it is off. */
    apiUrl: (part: 'data' | 'metricsApi'): string | undefined => apiUrl(part, url),
    index,
  };
}

/** A handler of one path; every other path is not found. */
const onlyPath =
  (path: string, handler: Handler): Handler =>
  async (request) =>
    request.path === path ? handler(request) : { status: 404, headers: {}, body: '' };

/**
 * Listens on a port that reader processes share. It could also be shared with another node of the same user by mistake, so it is first opened
 * exclusively to make sure that it is free; unless it is `isTaken`: readers that outlived a writer process already serve on the port of the next one.
 */
async function listenShared(serve: (port: number, reusePort: boolean) => Promise<Server>, port: number, isTaken: boolean): Promise<Server> {
  if (isTaken) return serve(port, true);
  const exclusive = await serve(port, false);
  await exclusive.close();
  return serve(exclusive.port, true);
}
