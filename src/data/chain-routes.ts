import { choices, pathText, queryText } from '../api/params.ts';
import { invalid } from '../api/refusal.ts';
import { type Route, route } from '../api/route.ts';
import { list, object } from '../api/schema.ts';
import type { Served, ServedChain } from '../api/served.ts';
import { shown } from '../api/shown-value.ts';
import { idText } from '../bytes/id.ts';
import { chainNamed } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { Chain } from './schemas.ts';

const row = route<DataDeps>();

export const chainRoutes: readonly Route<DataDeps>[] = [
  row({
    method: 'GET',
    path: '/v1/chains',
    id: 'supportedChains',
    tag: 'Chains',
    summary: 'The chains of this server',
    params: {
      network: queryText({ description: 'Only chains of this network: mainnet, fuji, testnet, or the name of the one served.' }),
      feature: choices(['nftIndexing', 'webhooks', 'teleporter'], 'Only chains with these features. No AVM chain has any of them.'),
    },
    response: object('ListChainsResponse', { chains: list(Chain) }),
    keep: 'tip-only',
    run: async ({ served }, { network, feature }, { origin }) => {
      const isAsked = isOfNetwork(served, network) && feature === undefined;
      return { chains: isAsked ? await Promise.all(served.chains.map((chain) => chainOf(served, chain, origin))) : [] };
    },
  }),
  row({
    method: 'GET',
    path: '/v1/chains/{chainId}',
    id: 'getChainInfo',
    tag: 'Chains',
    summary: 'One chain',
    params: { chainId: pathText({ description: 'A blockchain ID, an alias (X) or a name (x-chain).', example: 'X' }) },
    response: Chain,
    keep: 'tip-only',
    run: async ({ served }, { chainId }, { origin }) => chainOf(served, chainNamed(served, chainId), origin),
  }),
];

async function chainOf({ network }: Served, chain: ServedChain, origin: string) {
  const { id, title, vmID, rpcUrl, feeAsset, reads, status } = chain;
  const token = (await reads.assets([feeAsset])).get(feeAsset);
  return {
    chainId: idText(id),
    status: status(),
    chainName: title,
    description: `${title} of the network ${network.name}: a chain of the Avalanche Virtual Machine (AVM), not an EVM chain`,
    platformChainId: idText(id),
    subnetId: idText(network.subnetID),
    vmId: idText(vmID),
    vmName: 'AVM',
    rpcUrl: rpcUrl.startsWith('/') ? origin + rpcUrl : rpcUrl,
    isTestnet: network.isTestnet,
    networkToken: token && { name: token.name, symbol: token.symbol, decimals: token.denomination },
  };
}

/** Networks that every client knows. */
const wellKnown: readonly string[] = ['mainnet', 'fuji', 'testnet'];

function isOfNetwork({ network: { names } }: Served, asked: string | undefined): boolean {
  if (asked === undefined || names.includes(asked)) return true;
  if (wellKnown.includes(asked)) return false;
  const words = new Set([...wellKnown, ...names]);
  throw invalid([`network must be one of the following values: ${[...words].join(', ')}; not ${shown(asked)}`]);
}
