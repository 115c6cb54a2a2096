import { type Counterpart, findCounterpart } from '../api/chain-name.ts';
import { pageSize, pageToken, pathText, sortOrder } from '../api/params.ts';
import { type Route, route } from '../api/route.ts';
import { list, object, optional } from '../api/schema.ts';
import type { Served, ServedChain } from '../api/served.ts';
import { formatHex, fromHex } from '../bytes/hex.ts';
import { type Id, idText } from '../bytes/id.ts';
import { chainNamed, chainPath, checkNetwork, networkParam } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { Blockchain, BlockchainWithGenesis, nextPageToken } from './schemas.ts';

const row = route<DataDeps>();

export const blockchainRoutes: readonly Route<DataDeps>[] = [
  row({
    method: 'GET',
    path: '/v1/networks/{network}/blockchains',
    id: 'listBlockchains',
    tag: 'Blockchains',
    summary: 'The blockchains of the network that this server knows: the ones it serves, then P and C',
    params: { network: networkParam, pageToken, pageSize: pageSize(100, 10_000), sortOrder: sortOrder('asc') },
    response: object('ListBlockchainsResponse', { nextPageToken: optional(nextPageToken), blockchains: list(Blockchain) }),
    keep: 'tip-only',
    run: async ({ served }, { network, pageSize: limit, sortOrder: order }, { pages }) => {
      checkNetwork(served, network);
      const known = [
        ...served.chains.map((chain) => ownChain(served, chain)),
        ...served.counterparts.map((one) => otherChain(served, one)),
      ];
      if (order === 'desc') known.reverse();
      // What is listed does not change while the program runs, so a place in the list is enough.
      const from = (pages.asked?.after ?? -1) + 1;
      const to = from + limit;
      return {
        nextPageToken: to < known.length ? pages.next({ height: 0, after: to - 1 }) : undefined,
        blockchains: known.slice(from, to),
      };
    },
  }),
  row({
    method: 'GET',
    path: chainPath,
    id: 'getBlockchainById',
    tag: 'Blockchains',
    summary: 'One blockchain, with its genesis',
    params: { network: networkParam, blockchainId: pathText({ description: 'A blockchain ID, an alias or a name.', example: 'x-chain' }) },
    response: BlockchainWithGenesis,
    keep: 'tip-only',
    run: async ({ served }, { network, blockchainId }) => {
      checkNetwork(served, network);
      const counterpart = findCounterpart(served, blockchainId);
      if (counterpart !== undefined) return otherChain(served, counterpart);
      const chain = chainNamed(served, blockchainId);
      return { ...ownChain(served, chain), genesisData: { encoding: 'hex', data: formatHex('hex', chain.genesisBytes) } };
    },
  }),
];

const ownChain = (served: Served, { id, vmID, title }: ServedChain) => ({
  ...beginning(served),
  blockchainId: idText(id),
  vmId: vmName(vmID),
  blockchainName: title,
  evmChainId: 0,
});

const otherChain = (served: Served, { id, alias, evmChainId }: Counterpart) => ({
  ...beginning(served),
  blockchainId: idText(id),
  vmId: counterpartVms[alias] ?? '',
  blockchainName: `${alias}-Chain`,
  evmChainId,
});

/** Every chain here began with the network: none was made by a transaction of the P-Chain. */
const beginning = ({ network }: Served) => ({
  createBlockTimestamp: network.startTime,
  createBlockNumber: '-1',
  subnetId: idText(network.subnetID),
});

/** Peer: utils/constants/vm_ids.go. */
const counterpartVms: { readonly [alias: string]: string } = { P: 'platformvm', C: 'evm' };

/** The peer's machines have their names, padded with zeros, for ids. */
const vmName = (vmID: Id): string => {
  const name = Buffer.from(fromHex(vmID)).toString('latin1').replace(/\0+$/, '');
  return /^[\x21-\x7e]+$/.test(name) ? name : idText(vmID);
};
