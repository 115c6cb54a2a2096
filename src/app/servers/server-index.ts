import { readyPath } from '../../api/http/ready-route.ts';
import type { IndexEntry, ServerIndex } from '../../api/rest/index-page.ts';
import type { InterfaceConfig, NetworkConfig } from '../config/config.ts';
import { type BannerInfo, listUrls } from '../output/banner-info.ts';

const ready: IndexEntry = { name: 'ready', label: 'Readiness', url: readyPath };

/** The index of a node: the URLs of the banner, readiness, and the other chains. URLs of the main port are paths. */
export const createServerIndex = (
  version: string,
  { network, strict }: NetworkConfig & InterfaceConfig,
  {
    apis,
    data,
    metricsApi,
    aliases,
  }: Pick<BannerInfo, 'apis' | 'data' | 'metricsApi'> & {
    /** Aliases of the chains beside the X-Chain. */
    readonly aliases: readonly string[];
  },
): ServerIndex => ({
  version,
  network: network.name,
  entries: [
    ...listUrls({ url: '', apis, data, metricsApi, strict }),
    ready,
    ...aliases.map((alias) => ({ name: alias, label: `Chain ${alias}`, url: `/ext/bc/${alias}` })),
  ],
});

/** The index of `serac api`, whose network is that of its database. An API with a port of its own is not on this one. */
export const createApiIndex = (version: string, network: string, { apis, data, metricsApi }: InterfaceConfig): ServerIndex => ({
  version,
  network,
  entries: [
    ...listUrls({
      url: '',
      apis: { info: false, health: false, metrics: apis.metrics, dev: false },
      data: data.enabled && data.port === undefined ? '' : undefined,
      metricsApi: metricsApi.enabled && metricsApi.port === undefined ? '' : undefined,
      strict: false,
    }).filter(({ name }) => name !== 'avm' && name !== 'wallet'),
    ready,
  ],
});
