import { pageToken, queryText } from '../api/params.ts';
import { invalid } from '../api/refusal.ts';
import { type Route, route } from '../api/route.ts';
import { list, object, optional } from '../api/schema.ts';
import type { Served } from '../api/served.ts';
import { shown } from '../api/shown-value.ts';
import { chainNamed, chainParam, MetricsChain, metricsChain } from './chain.ts';
import { nextPageToken } from './points.ts';

const row = route<Served>();

export const chainRoutes: readonly Route<Served>[] = [
  row({
    method: 'GET',
    path: '/v2/chains',
    id: 'listChains',
    tag: 'Chains',
    summary: 'The chains that this server has metrics of',
    // A page holds all of them, so no token is ever given; clients may name the parameter all the same.
    params: { pageToken, network: queryText({ description: 'mainnet, testnet (fuji is the same), or the name of the network.' }) },
    response: object('ListMetricsChainsResponse', { nextPageToken: optional(nextPageToken), chains: list(MetricsChain) }),
    keep: 'tip-only',
    run: async (served, { network }) => ({
      chains: isOfNetwork(served, network) ? served.chains.map((chain) => metricsChain(served, chain)) : [],
    }),
  }),
  row({
    method: 'GET',
    path: '/v2/chains/{chainId}',
    id: 'getChain',
    tag: 'Chains',
    summary: 'One chain',
    params: { chainId: chainParam },
    response: MetricsChain,
    keep: 'tip-only',
    run: async (served, { chainId }) => metricsChain(served, chainNamed(served, chainId)),
  }),
];

/** What metrics tell two kinds of networks apart by. */
const networkKinds: ReadonlyMap<string, 'mainnet' | 'testnet'> = new Map([
  ['mainnet', 'mainnet'],
  ['testnet', 'testnet'],
  ['fuji', 'testnet'],
]);

function isOfNetwork({ network: { isTestnet, names } }: Served, asked: string | undefined): boolean {
  if (asked === undefined || names.includes(asked)) return true;
  const kind = networkKinds.get(asked);
  if (kind === undefined) {
    const words = new Set([...networkKinds.keys(), ...names]);
    throw invalid([`network must be one of the following values: ${[...words].join(', ')}; not ${shown(asked)}`]);
  }
  return (kind === 'testnet') === isTestnet;
}
