import { list, object, optional } from '../contract/schema.ts';
import { invalidParams } from '../rest/api-error.ts';
import { pageToken, queryText } from '../rest/params.ts';
import { quoteValue } from '../rest/quote-value.ts';
import { type ApiRoute, routeDefiner } from '../rest/route.ts';
import type { ServedChains } from '../rest/served-chains.ts';
import { chainParam, MetricsChainSchema, renderMetricsChain, requireMetricsChain } from './chain.ts';
import { nextMetricsPageTokenSchema } from './points.ts';

const defineRoute = routeDefiner<ServedChains>();

export const metricsChainRoutes: readonly ApiRoute<ServedChains>[] = [
  defineRoute({
    method: 'GET',
    path: '/v2/chains',
    id: 'listChains',
    tag: 'Chains',
    summary: 'The chains that this server has metrics for',
    // All chains fit on one page, so no token is ever issued; pageToken is accepted because clients send it.
    params: { pageToken, network: queryText({ description: 'mainnet, testnet (fuji is the same), or the name of the network.' }) },
    response: object('ListMetricsChainsResponse', {
      nextPageToken: optional(nextMetricsPageTokenSchema),
      chains: list(MetricsChainSchema),
    }),
    cachePolicy: 'block',
    run: async (served, { network }) => ({
      chains: isOfNetwork(served, network) ? served.chains.map((chain) => renderMetricsChain(served, chain)) : [],
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v2/chains/{chainId}',
    id: 'getChain',
    tag: 'Chains',
    summary: 'One chain',
    params: { chainId: chainParam },
    response: MetricsChainSchema,
    cachePolicy: 'block',
    run: async (served, { chainId }) => renderMetricsChain(served, requireMetricsChain(served, chainId)),
  }),
];

/** Network names that every client knows, by kind of network. */
const networkKinds: ReadonlyMap<string, 'mainnet' | 'testnet'> = new Map([
  ['mainnet', 'mainnet'],
  ['testnet', 'testnet'],
  ['fuji', 'testnet'],
]);

function isOfNetwork({ network: { isTestnet, names } }: ServedChains, name: string | undefined): boolean {
  if (name === undefined || names.includes(name)) return true;
  const kind = networkKinds.get(name);
  if (kind === undefined) {
    const words = new Set([...networkKinds.keys(), ...names]);
    throw invalidParams([`network must be one of the following values: ${[...words].join(', ')}; not ${quoteValue(name)}`]);
  }
  return (kind === 'testnet') === isTestnet;
}
