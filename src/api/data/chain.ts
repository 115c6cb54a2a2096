import type { AddressList } from '../contract/kinds.ts';
import { type ApiError, notFound, quoteValue } from '../rest/api-error.ts';
import { findAnsweringChain, unknownChain } from '../rest/chain-name.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';

/** Returns the chain that the path parameters select; throws 404 for an unknown network or chain. */
export function requireChain(
  served: ServedChains,
  { network, blockchainId }: { readonly network: string; readonly blockchainId: string },
): ServedChain {
  requireNetwork(served, network);
  return requireChainByName(served, blockchainId);
}

export function requireNetwork({ network: { names } }: ServedChains, requested: string): void {
  if (!names.includes(requested)) throw notFound(`Unknown network ${quoteValue(requested)}. Network of this server: ${names.join(' or ')}`);
}

export function requireChainByName(served: ServedChains, name: string): ServedChain {
  const found = findAnsweringChain(served, name);
  if (found === undefined) throw unknownChain(served, name, `Unknown blockchain ${quoteValue(name)}`);
  return found;
}

/** Network name and address prefix (HRP) in a response: the same as in the request. */
export type NetworkSpelling = { readonly network: string; readonly hrp: string };

export function networkSpelling({ network }: ServedChains, requested: string, addresses?: AddressList): NetworkSpelling {
  const { name, hrp } = network.alias?.names.includes(requested) ? network.alias : network;
  return { network: name, hrp: addresses?.hrp ?? hrp };
}

/** Chain and network names as responses show them. */
export const renderChainInfo = ({ network }: NetworkSpelling, { slug }: ServedChain) => ({ chainName: slug, network });

/** The error for operations that need P-Chain data. */
export const noPChainData = (): ApiError => notFound('This server has no P-Chain data: it serves chains of the AVM');

/** Properties that every list response about a chain has. */
export const listMetadata = async (spelling: NetworkSpelling, chain: ServedChain) => ({
  chainInfo: renderChainInfo(spelling, chain),
  ...(await historyStart(chain)),
});

/** The height from which on the history is complete; empty if it is complete from the beginning. */
export async function historyStart({ reads }: ServedChain): Promise<{ readonly historyCompleteFromBlock?: string }> {
  const height = await reads.completeFrom();
  return height > 0 ? { historyCompleteFromBlock: height.toString() } : {};
}
