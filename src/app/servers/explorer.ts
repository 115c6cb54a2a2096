import type { Handler } from '../../api/http/message.ts';
import type { HttpRoute, HttpRoutes } from '../../api/http/router.ts';
import type { ServedChains } from '../../api/rest/served-chains.ts';
import { idText } from '../../base/bytes/id.ts';
import { openOnUse } from '../../base/cache/memoize.ts';
import { stripCredentials } from '../../base/log/log.ts';
import type { LongWork } from '../../base/timing/long-work.ts';
import type { PageContext } from '../../explorer/load/page-context.ts';
import { createPageAssets, type PageAssets } from '../../explorer/pages/page-assets.ts';
import { createPageHandler, wantsHtml } from '../../explorer/pages/page-handler.ts';
import type { PageHandler } from '../../explorer/pages/page-headers.ts';
import type { Config } from '../config/config.ts';
import type { FileEnv, ProcessEnv } from '../platform/env.ts';
import { type ApiSelection, openApiPath } from './api.ts';
import { settingsPath } from './settings-route.ts';

type ExplorerParts = {
  readonly served: ServedChains | undefined;
  /** The APIs on the same port. The explorer is on the port of the Data API. */
  readonly selection: ApiSelection | undefined;
  /** All other routes of the port. */
  readonly routes: HttpRoutes;
  readonly operations: readonly string[];
  /** The handler of the port, through which pages read. */
  readonly handler: Handler;
  readonly longWork: LongWork;
};

/**
 * Returns a function that creates the pages of a port: the explorer and the API reference, only the latter where the explorer is off,
 * undefined where there is no API. All ports share the built assets.
 */
export function createExplorer(
  config: Config,
  env: FileEnv & ProcessEnv,
  showsFollowing: boolean,
): (parts: ExplorerParts) => PageHandler | undefined {
  const assets = openOnUse((): Promise<PageAssets> => env.loadPageAssets().then(createPageAssets));
  return ({ served, selection, routes, operations, handler, longWork }) => {
    if (served === undefined || !routes.has(openApiPath)) return undefined;
    const hasExplorer = config.explorer && !config.strict && config.data.enabled && (selection === 'both' || selection === 'data');
    const context = openOnUse(
      (): Promise<PageContext> => describe(served, config, env.version, { selection, routes, operations, hasExplorer, showsFollowing }),
    );
    return createPageHandler({
      handler,
      longWork,
      isReferenceOnly: !hasExplorer,
      now: served.now,
      assets: assets.get,
      context: context.get,
    });
  };
}

/** If there is a route for `/`, browsers get the page instead, and everyone else that route. */
export const withHomePage = (routes: Map<string, HttpRoute>, pages: PageHandler | undefined): Map<string, HttpRoute> => {
  const index = routes.get('/');
  if (pages === undefined || index === undefined || !('handler' in index)) return routes;
  return routes.set('/', { ...index, handler: (request) => (wantsHtml(request) ? pages(request) : undefined) ?? index.handler(request) });
};

async function describe(
  { network, chains: [chain], otherChains }: ServedChains,
  config: Config,
  version: string,
  {
    routes,
    operations,
    selection,
    hasExplorer,
    showsFollowing,
  }: Pick<ExplorerParts, 'routes' | 'operations' | 'selection'> & { readonly hasExplorer: boolean; readonly showsFollowing: boolean },
): Promise<PageContext> {
  const token = (await chain.reads.assets([chain.feeAsset])).get(chain.feeAsset);
  return {
    version,
    network: { id: network.id, name: network.name, hrp: network.hrp },
    chain: {
      id: idText(chain.id),
      alias: chain.aliases[0],
      slug: chain.slug,
      title: chain.title,
      feeAsset: idText(chain.feeAsset),
      feeSymbol: token?.symbol ?? '',
      feeDecimals: token?.denomination ?? 0,
      rpcUrl: chain.rpcUrl,
    },
    otherChains: otherChains.map(({ id, alias }) => ({ id: idText(id), alias })),
    followedUrl: config.mode.kind === 'follow' && !config.publicApi ? stripCredentials(config.mode.url) : undefined,
    has: {
      explorer: hasExplorer,
      // A browser cannot send a key with its event stream.
      events: hasExplorer && routes.has('/ext/events') && !config.access.requireKey,
      rpc: routes.has(chain.rpcUrl),
      dev: config.mode.kind === 'solo' && routes.has('/ext/dev'),
      faucet: routes.has('/ext/dev'),
      devToken: config.devToken !== undefined && (routes.has('/ext/dev') || operations.includes('listWebhooks')),
      health: routes.has('/ext/health'),
      info: routes.has('/ext/info'),
      metrics: selection === 'both' && config.metricsApi.enabled,
      prometheus: routes.has('/ext/metrics'),
      settings: routes.has(settingsPath),
      follow: hasExplorer && showsFollowing && routes.has('/ext/metrics'),
    },
    operations,
  };
}
