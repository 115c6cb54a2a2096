import { findChain, unknownChain } from '../api/chain-name.ts';
import { chainName } from '../api/params.ts';
import { integer, object, oneOf, text } from '../api/schema.ts';
import type { Served, ServedChain } from '../api/served.ts';
import { shown } from '../api/shown-value.ts';
import { idText } from '../bytes/id.ts';

export const chainParam = chainName({
  description: 'A chain of this server by its alias (X), its name (x-chain) or its blockchain ID.',
  example: 'X',
});

export function chainNamed(served: Served, name: string): ServedChain {
  const found = findChain(served, name);
  if (found !== undefined) return found;
  const sum = `This server has metrics of single chains, not of ${shown(name)} as a whole`;
  throw unknownChain(served, name, sums.includes(name) ? sum : `No chain ${shown(name)} here`);
}

export const MetricsChain = object('MetricsChain', {
  evmChainId: integer('Always 0: no chain of this server is an EVM chain. There is a number because clients insist on one.'),
  chainName: text(),
  blockchainId: text(),
  subnetId: text(),
  network: oneOf(['mainnet', 'testnet'], 'Every network but mainnet is a testnet.'),
});

export const metricsChain = ({ network }: Served, { id, title }: ServedChain) => ({
  evmChainId: 0,
  chainName: title,
  blockchainId: idText(id),
  subnetId: idText(network.subnetID),
  network: network.isTestnet ? 'testnet' : 'mainnet',
});

/** Names under which others give the sum over a whole network. Of distinct addresses there is no such sum, and most of its chains are not here. */
const sums: readonly string[] = ['total', 'mainnet', 'testnet'];
