import { metricsChainRows } from '../contract/metrics-routes.ts';
import { invalidParams, quoteValue } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChains } from '../rest/served-chains.ts';
import { renderMetricsChain, requireMetricsChain } from './chain.ts';

/** Handlers of the Metrics API that list the chains. Their rows are `metricsChainRows` in contract/metrics-routes.ts. */
export const metricsChainRoutes = implementRoutes<ServedChains>()(metricsChainRows, {
  listChains: async (served, { network }) => ({
    chains: isOfNetwork(served, network) ? served.chains.map((chain) => renderMetricsChain(served, chain)) : [],
  }),
  getChain: async (served, { chainId }) => renderMetricsChain(served, requireMetricsChain(served, chainId)),
});

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
