import type { AskedAddresses } from '../api/addresses.ts';
import { findChain, unknownChain } from '../api/chain-name.ts';
import { chainName, networkName } from '../api/params.ts';
import { notFound, type Refusal } from '../api/refusal.ts';
import type { Served, ServedChain } from '../api/served.ts';
import { shown } from '../api/shown-value.ts';

export const networkParam = networkName({
  description:
    'The network of this server: its name (local, fuji, mainnet) or its number. A private network answers to fuji and testnet too.',
  example: 'local',
});

export const blockchainParam = chainName({
  description: 'A chain of this server: x-chain, or another one by its alias or blockchain ID.',
  example: 'x-chain',
});

/** The parameters that say which chain a path is about. */
export const placeParams = { network: networkParam, blockchainId: blockchainParam };

/** The path of everything about one chain. */
export const chainPath = '/v1/networks/{network}/blockchains/{blockchainId}';

/** The chain that a path is about. */
export function chainAt(
  served: Served,
  { network, blockchainId }: { readonly network: string; readonly blockchainId: string },
): ServedChain {
  checkNetwork(served, network);
  return chainNamed(served, blockchainId);
}

export function checkNetwork({ network: { names } }: Served, asked: string): void {
  if (!names.includes(asked)) throw notFound(`No network ${shown(asked)} here. Network of this server: ${names.join(' or ')}`);
}

export function chainNamed(served: Served, name: string): ServedChain {
  const found = findChain(served, name);
  if (found === undefined) throw unknownChain(served, name, `No blockchain ${shown(name)} here`);
  return found;
}

/** How answers name the network and what they begin addresses with: as they were asked. */
export type Spelling = { readonly network: string; readonly hrp: string };

export function spellingOf({ network }: Served, asked: string, addresses?: AskedAddresses): Spelling {
  const { name, hrp } = network.alias?.names.includes(asked) ? network.alias : network;
  return { network: name, hrp: addresses?.hrp ?? hrp };
}

/** How answers name the chain and its network. */
export const chainInfo = ({ network }: Spelling, { slug }: ServedChain) => ({ chainName: slug, network });

/** For answers that a P-Chain would have to give. */
export const noPlatformData = (): Refusal => notFound('This server has no P-Chain data: it serves chains of the AVM');
