import { idText } from '../../base/bytes/id.ts';
import { integer, object, oneOf, text } from '../contract/schema.ts';
import { findChain, unknownChain } from '../rest/chain-name.ts';
import { chainName } from '../rest/params.ts';
import { quoteValue } from '../rest/quote-value.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';

export const chainParam = chainName({
  description: 'A chain of this server by its alias (X), its name (x-chain) or its blockchain ID.',
  example: 'X',
});

export function requireMetricsChain(served: ServedChains, name: string): ServedChain {
  const found = findChain(served, name);
  if (found !== undefined) return found;
  const noTotals = `This server has metrics for single chains, not totals for ${quoteValue(name)}`;
  throw unknownChain(served, name, networkTotals.includes(name) ? noTotals : `Unknown chain ${quoteValue(name)}`);
}

export const MetricsChainSchema = object('MetricsChain', {
  evmChainId: integer('Always 0: no chain of this server is an EVM chain. Present because clients require a number.'),
  chainName: text(),
  blockchainId: text(),
  subnetId: text(),
  network: oneOf(['mainnet', 'testnet'], 'testnet for every network except mainnet.'),
});

export const renderMetricsChain = ({ network }: ServedChains, { id, title }: ServedChain) => ({
  evmChainId: 0,
  chainName: title,
  blockchainId: idText(id),
  subnetId: idText(network.subnetID),
  network: network.isTestnet ? 'testnet' : 'mainnet',
});

/** Names that other servers accept for the total over a whole network. This server cannot compute it: it does not index the other chains. */
const networkTotals: readonly string[] = ['total', 'mainnet', 'testnet'];
