import { formatHex, fromHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { blockchainRows } from '../contract/data-routes.ts';
import { findOtherChain, type OtherChain } from '../rest/chain-name.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChain, ServedChains } from '../rest/served-chains.ts';
import { requireChainByName, requireNetwork } from './chain.ts';
import type { DataDeps } from './deps.ts';

/** Handlers of the Data API about all blockchains of the network, also P and C, which this server does not index. Their rows are `blockchainRows` in contract/data-routes.ts. */
export const blockchainRoutes = implementRoutes<DataDeps>()(blockchainRows, {
  listBlockchains: async ({ served }, { network, pageSize: limit, sortOrder: order }, { paging }) => {
    requireNetwork(served, network);
    const all = [
      ...served.chains.map((chain) => renderServedChain(served, chain)),
      ...served.otherChains.map((other) => renderOtherChain(served, other)),
    ];
    if (order === 'desc') all.reverse();
    // The list does not change while the program runs, so the token only contains a position.
    const from = (paging.cursor?.after ?? -1) + 1;
    const to = from + limit;
    return {
      nextPageToken: to < all.length ? paging.nextPageToken({ height: 0, after: to - 1 }) : undefined,
      blockchains: all.slice(from, to),
    };
  },
  getBlockchainById: async ({ served }, { network, blockchainId }) => {
    requireNetwork(served, network);
    const counterpart = findOtherChain(served, blockchainId);
    if (counterpart !== undefined) return renderOtherChain(served, counterpart);
    const chain = requireChainByName(served, blockchainId);
    return { ...renderServedChain(served, chain), genesisData: { encoding: 'hex', data: formatHex('hex', chain.genesisBytes) } };
  },
});

const renderServedChain = (served: ServedChains, { id, vmID, title }: ServedChain) => ({
  ...creationOf(served),
  blockchainId: idText(id),
  vmId: vmName(vmID),
  blockchainName: title,
  evmChainId: 0,
});

const renderOtherChain = (served: ServedChains, { id, alias, evmChainId }: OtherChain) => ({
  ...creationOf(served),
  blockchainId: idText(id),
  vmId: counterpartVms[alias] ?? '',
  blockchainName: `${alias}-Chain`,
  evmChainId,
});

/** All listed chains were created with the network, not by a transaction on the P-Chain. */
const creationOf = ({ network }: ServedChains) => ({
  createBlockTimestamp: network.startTime,
  createBlockNumber: '-1',
  subnetId: idText(network.subnetID),
});

/** AvalancheGo: utils/constants/vm_ids.go. */
const counterpartVms: { readonly [alias: string]: string } = { P: 'platformvm', C: 'evm' };

/** Name of a VM. The ID of an AvalancheGo VM is its name padded with zero bytes. */
const vmName = (vmID: Id): string => {
  const name = Buffer.from(fromHex(vmID)).toString('latin1').replace(/\0+$/, '');
  return /^[\x21-\x7e]+$/.test(name) ? name : idText(vmID);
};
