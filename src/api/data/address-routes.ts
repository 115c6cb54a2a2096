import { idText } from '../../base/bytes/id.ts';
import { type AddressList, addresses, bodyAddresses } from '../rest/addresses.ts';
import { notFound } from '../rest/api-error.ts';
import { timestamp } from '../rest/params.ts';
import { renderedJson } from '../rest/rendered-json.ts';
import { type ApiRoute, routeDefiner } from '../rest/route.ts';
import { object } from '../rest/schema.ts';
import { chainParams, chainPath, networkParam, networkSpelling, renderChainInfo, requireChain, requireNetwork } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { historyStart, listMetadata } from './list-metadata.ts';
import { AddressChainsSchema, BalancesSchema, ChainInfoSchema, historySchema, LastActivitySchema } from './schemas.ts';
import { assetsOfBalances, sumBalances } from './sum-balances.ts';
import { writeBalances } from './write-balance.ts';

const defineRoute = routeDefiner<DataDeps>();

const lastActivity = {
  path: `${chainPath}/lastActivityTimestampByAddresses`,
  tag: 'Addresses',
  response: LastActivitySchema,
  cachePolicy: 'block',
} as const;

/** Routes about addresses: balances, last activity, chains. */
export const addressRoutes: readonly ApiRoute<DataDeps>[] = [
  defineRoute({
    method: 'GET',
    path: `${chainPath}/balances`,
    id: 'getBalancesByAddresses',
    tag: 'Balances',
    summary: 'Combined balances of addresses, now or at an earlier time',
    description: 'An output with several owners counts if the addresses include enough of them to reach its threshold.',
    params: {
      ...chainParams,
      addresses: addresses({ required: true }),
      blockTimestamp: timestamp('Balances right before this time, in Unix seconds. Outputs that were locked at that time count as locked.'),
    },
    response: object('ListXChainBalancesResponse', { balances: BalancesSchema, chainInfo: ChainInfoSchema, ...historySchema }),
    cachePolicy: 'block-and-second',
    run: async (deps, { addresses: { owners }, blockTimestamp, ...chainRef }) => {
      const { served } = deps;
      const chain = requireChain(served, chainRef);
      const { reads, feeAsset } = chain;
      await chain.backfillAddresses?.(owners);
      const pinned = blockTimestamp === undefined ? reads.tip() : reads.pinBeforeTime(blockTimestamp);
      const [pin, metadata] = await Promise.all([pinned, listMetadata(networkSpelling(served, chainRef.network), chain)]);
      const now = blockTimestamp ?? served.now();
      const holdings = pin === undefined ? noHoldings : await reads.balances(owners, pin, now);
      const balances = sumBalances(holdings, now, feeAsset);
      const { labelOf } = await deps.assetLabels(chain)(assetsOfBalances(balances));
      // When another chain imported an output is known only to the time of a lookup: a past balance may hold outputs imported before.
      const mayBeImported = chain.foreignImports === 'unknown' || (blockTimestamp !== undefined && chain.foreignImports !== undefined);
      return renderedJson(`{"balances":${writeBalances(balances, labelOf, mayBeImported)},${JSON.stringify(metadata).slice(1)}`);
    },
  }),
  defineRoute({
    ...lastActivity,
    method: 'GET',
    id: 'getLastActivityTimestampByAddresses',
    summary: 'The last transaction of any of the addresses',
    params: { ...chainParams, addresses: addresses({ required: true }) },
    run: readLastActivity,
  }),
  defineRoute({
    ...lastActivity,
    method: 'POST',
    id: 'getLastActivityTimestampByAddressesV2',
    summary: 'The same for more addresses',
    params: { ...chainParams, addresses: bodyAddresses() },
    run: readLastActivity,
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/networks/{network}/addresses:listChainIds',
    id: 'getChainIdsForAddresses',
    tag: 'Addresses',
    summary: 'The chains of this server on which addresses have appeared. Addresses without activity are left out',
    params: { network: networkParam, addresses: addresses({ required: true }) },
    response: AddressChainsSchema,
    cachePolicy: 'block',
    run: async ({ served, addressFormatter }, { network, addresses: requested }) => {
      requireNetwork(served, network);
      const formatAddress = addressFormatter(networkSpelling(served, network, requested).hrp);
      const seenOn = await Promise.all(
        served.chains.map(async ({ id, reads }) => ({
          id: idText(id),
          seen: await reads.seenAddresses(requested.owners, await reads.tip()),
        })),
      );
      const found = requested.owners.map((owner) => ({
        address: formatAddress(owner),
        blockchainIds: seenOn.filter(({ seen }) => seen.has(owner)).map(({ id }) => id),
      }));
      return { addresses: found.filter(({ blockchainIds }) => blockchainIds.length > 0) };
    },
  }),
];

/** Holdings before block 0. */
const noHoldings = { singleOwner: [], multiOwner: [], exported: [] };

async function readLastActivity(
  { served }: DataDeps,
  params: { readonly network: string; readonly blockchainId: string; readonly addresses: AddressList },
) {
  const chain = requireChain(served, params);
  const { reads } = chain;
  const last = await reads.lastActivity(params.addresses.owners, await reads.tip());
  if (last === undefined) throw notFound(`None of the addresses has appeared on ${chain.slug}`);
  return {
    timestamp: last.time,
    blockNumber: last.height.toString(),
    txHash: idText(last.txID),
    utxoId: idText(last.utxoID),
    isConsumed: last.isConsumed,
    ...renderChainInfo(networkSpelling(served, params.network), chain),
    ...(await historyStart(chain)),
  };
}
