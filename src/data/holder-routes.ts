import { type AskedAddresses, addresses, bodyAddresses } from '../api/addresses.ts';
import { timestamp } from '../api/params.ts';
import { notFound } from '../api/refusal.ts';
import { type Route, route } from '../api/route.ts';
import { object } from '../api/schema.ts';
import { idText } from '../bytes/id.ts';
import { chainAt, chainInfo, chainPath, checkNetwork, networkParam, placeParams, spellingOf } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { historyOf, listFrame } from './list-frame.ts';
import { assetsOfBalances, renderBalances, sumBalances } from './render-balance.ts';
import { AddressChains, Balances, ChainInfo, historyProperty, LastActivity } from './schemas.ts';

const row = route<DataDeps>();

const lastActivity = {
  path: `${chainPath}/lastActivityTimestampByAddresses`,
  tag: 'Addresses',
  response: LastActivity,
  keep: 'tip-only',
} as const;

/** What is asked about addresses as such. */
export const holderRoutes: readonly Route<DataDeps>[] = [
  row({
    method: 'GET',
    path: `${chainPath}/balances`,
    id: 'getBalancesByAddresses',
    tag: 'Balances',
    summary: 'What addresses hold together, now or at an earlier time',
    description: 'Outputs of several owners count if enough of them are among the addresses.',
    params: {
      ...placeParams,
      addresses: addresses({ required: true }),
      blockTimestamp: timestamp('As things stood right before this time, in Unix seconds; what was locked then counts as locked.'),
    },
    response: object('ListXChainBalancesResponse', { balances: Balances, chainInfo: ChainInfo, ...historyProperty }),
    keep: 'tip',
    run: async (deps, { addresses: { owners }, blockTimestamp, ...place }) => {
      const { served } = deps;
      const chain = chainAt(served, place);
      const { reads, feeAsset } = chain;
      await chain.complete?.(owners);
      const pinned = blockTimestamp === undefined ? reads.tip() : reads.pinBefore(blockTimestamp);
      const [pin, frame] = await Promise.all([pinned, listFrame(spellingOf(served, place.network), chain)]);
      const holdings = pin === undefined ? nothing : await reads.balances(owners, pin);
      const balances = sumBalances(holdings, blockTimestamp ?? served.now(), feeAsset);
      const labelOf = await deps.labels(chain)(assetsOfBalances(balances));
      return { balances: renderBalances(balances, labelOf), ...frame };
    },
  }),
  row({
    ...lastActivity,
    method: 'GET',
    id: 'getLastActivityTimestampByAddresses',
    summary: 'The last transaction of any of the addresses',
    params: { ...placeParams, addresses: addresses({ required: true }) },
    run: lastActivityOf,
  }),
  row({
    ...lastActivity,
    method: 'POST',
    id: 'getLastActivityTimestampByAddressesV2',
    summary: 'The same for more addresses',
    params: { ...placeParams, addresses: bodyAddresses() },
    run: lastActivityOf,
  }),
  row({
    method: 'GET',
    path: '/v1/networks/{network}/addresses:listChainIds',
    id: 'getChainIdsForAddresses',
    tag: 'Addresses',
    summary: 'On which chains of this server addresses have appeared. Those that never have are left out',
    params: { network: networkParam, addresses: addresses({ required: true }) },
    response: AddressChains,
    keep: 'tip-only',
    run: async ({ served, addressIn }, { network, addresses: asked }) => {
      checkNetwork(served, network);
      const address = addressIn(spellingOf(served, network, asked).hrp);
      const known = await Promise.all(
        served.chains.map(async ({ id, reads }) => ({ id: idText(id), seen: await reads.known(asked.owners, await reads.tip()) })),
      );
      const found = asked.owners.map((one) => ({
        address: address(one),
        blockchainIds: known.filter(({ seen }) => seen.has(one)).map(({ id }) => id),
      }));
      return { addresses: found.filter(({ blockchainIds }) => blockchainIds.length > 0) };
    },
  }),
];

/** Before block 0 nobody had anything. */
const nothing = { own: [], shared: [], exported: [] };

async function lastActivityOf(
  { served }: DataDeps,
  asked: { readonly network: string; readonly blockchainId: string; readonly addresses: AskedAddresses },
) {
  const chain = chainAt(served, asked);
  const { reads } = chain;
  const last = await reads.lastActivity(asked.addresses.owners, await reads.tip());
  if (last === undefined) throw notFound(`None of the addresses has ever appeared on ${chain.slug}`);
  return {
    timestamp: last.time,
    blockNumber: last.height.toString(),
    txHash: idText(last.txID),
    utxoId: idText(last.utxoID),
    isConsumed: last.isConsumed,
    ...chainInfo(spellingOf(served, asked.network), chain),
    ...(await historyOf(chain)),
  };
}
