import type { ServedChain } from '../api/served.ts';
import { chainInfo, type Spelling } from './chain.ts';

/** What comes with every list of a chain. */
export const listFrame = async (spelling: Spelling, chain: ServedChain) => ({
  chainInfo: chainInfo(spelling, chain),
  ...(await historyOf(chain)),
});

/** From which height on history is whole, where it is not whole from the beginning. */
export async function historyOf({ reads }: ServedChain): Promise<{ readonly historyCompleteFromBlock?: string }> {
  const height = await reads.completeFrom();
  return height > 0 ? { historyCompleteFromBlock: height.toString() } : {};
}
