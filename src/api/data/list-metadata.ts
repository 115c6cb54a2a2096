import type { ServedChain } from '../rest/served-chains.ts';
import { type NetworkSpelling, renderChainInfo } from './chain.ts';

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
