import { idText } from '../../base/bytes/id.ts';
import { chainRows } from '../contract/data-routes.ts';
import { invalidParams, quoteValue } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';
import { requireChainByName } from './chain.ts';
import type { DataDeps } from './deps.ts';

/** Handlers of the Data API about the chains that this server has, in the form that EVM chains have there. Their rows are `chainRows` in contract/data-routes.ts. */
export const chainRoutes = implementRoutes<DataDeps>()(chainRows, {
  supportedChains: async ({ served }, { network, feature, pageSize }, { origin, paging }) => {
    const chains = isOfNetwork(served, network) && feature === undefined ? served.chains : [];
    const from = paging.cursor?.after ?? 0;
    const end = from + pageSize;
    return {
      chains: await Promise.all(chains.slice(from, end).map((chain) => renderChain(served, chain, origin))),
      nextPageToken: end < chains.length ? paging.nextPageToken({ height: 0, after: end }) : undefined,
    };
  },
  getChainInfo: async ({ served }, { chainId }, { origin }) => renderChain(served, requireChainByName(served, chainId), origin),
});

async function renderChain({ network }: ServedChains, chain: ServedChain, origin: string) {
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
    vmName: 'AVM' as const,
    rpcUrl: rpcUrl.startsWith('/') ? origin + rpcUrl : rpcUrl,
    isTestnet: network.isTestnet,
    networkToken: token && { name: token.name, symbol: token.symbol, decimals: token.denomination },
  };
}

/** Public networks that clients may ask for, also where this server has another one. */
const publicNetworks: readonly string[] = ['mainnet', 'fuji', 'testnet'];

function isOfNetwork({ network: { names } }: ServedChains, name: string | undefined): boolean {
  if (name === undefined || names.includes(name)) return true;
  if (publicNetworks.includes(name)) return false;
  const words = new Set([...publicNetworks, ...names]);
  throw invalidParams([`network must be one of the following values: ${[...words].join(', ')}; not ${quoteValue(name)}`]);
}
