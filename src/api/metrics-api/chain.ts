import { idText } from '../../base/bytes/id.ts';
import { quoteValue } from '../rest/api-error.ts';
import { findAnsweringChain, unknownChain } from '../rest/chain-name.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';

/** Returns the chain with a name; throws 404 for another name, also for that of a whole network. */
export function requireMetricsChain(served: ServedChains, name: string): ServedChain {
  const found = findAnsweringChain(served, name);
  if (found !== undefined) return found;
  const noTotals = `This server has metrics for single chains, not totals for ${quoteValue(name)}`;
  throw unknownChain(served, name, networkTotals.includes(name) ? noTotals : `Unknown chain ${quoteValue(name)}`);
}

export const renderMetricsChain = ({ network }: ServedChains, { id, title }: ServedChain) => ({
  evmChainId: 0,
  chainName: title,
  blockchainId: idText(id),
  subnetId: idText(network.subnetID),
  network: network.isTestnet ? ('testnet' as const) : ('mainnet' as const),
});

/** Names that other servers accept for the total over a whole network. This server cannot compute it: it does not index the other chains. */
const networkTotals: readonly string[] = ['total', 'mainnet', 'testnet'];
