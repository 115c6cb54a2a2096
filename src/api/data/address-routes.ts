import { type Id, idText } from '../../base/bytes/id.ts';
import type { Holdings } from '../../ledger/index-read/index-reads.ts';
import { addressRows } from '../contract/data-routes.ts';
import type { AddressList } from '../contract/kinds.ts';
import { notFound } from '../rest/api-error.ts';
import { implementRoutes } from '../rest/route.ts';
import { readBackfilled } from './backfilled-read.ts';
import { historyStart, listMetadata, networkSpelling, renderChainInfo, requireChain, requireNetwork } from './chain.ts';
import type { DataDeps } from './deps.ts';
import { renderBalances } from './render-balance.ts';
import { assetsOfBalances, sumBalances } from './sum-balances.ts';

/** Routes about addresses: balances, last activity, chains. */
export const addressRoutes = implementRoutes<DataDeps>()(addressRows, {
  getBalancesByAddresses: async (deps, { addresses: { owners }, blockTimestamp, ...chainRef }) => {
    const { served } = deps;
    const chain = requireChain(served, chainRef);
    const { reads, feeAsset } = chain;
    const now = blockTimestamp ?? served.now();
    const labels = deps.assetLabels(chain);
    let loading: Promise<unknown> | undefined;
    const loadLabels = (assets: ReadonlySet<Id>): void => {
      loading = Promise.allSettled([labels(assets)]);
    };
    const readHoldings = async (areImportsKnown: boolean): Promise<{ readonly holdings: Holdings; readonly areImportsKnown: boolean }> => {
      const pin = await (blockTimestamp === undefined ? reads.tip() : reads.pinBeforeTime(blockTimestamp));
      return { holdings: pin === undefined ? noHoldings : await reads.balances(owners, pin, now, loadLabels), areImportsKnown };
    };
    const [metadata, { holdings, areImportsKnown }] = await Promise.all([
      listMetadata(networkSpelling(served, chainRef.network), chain),
      readBackfilled(chain, owners, readHoldings),
    ]);
    await loading;
    const balances = sumBalances(holdings, feeAsset);
    const { labelOf } = await labels(assetsOfBalances(balances));
    // When another chain imported an output is known only to the time of a lookup: a past balance may hold outputs imported before.
    const mayBeImported = !areImportsKnown || (blockTimestamp !== undefined && chain.foreignImports !== undefined);
    return { balances: renderBalances(balances, labelOf, mayBeImported), ...metadata };
  },
  getLastActivityTimestampByAddresses: readLastActivity,
  getLastActivityTimestampByAddressesV2: readLastActivity,
  getChainIdsForAddresses: async ({ served, addressFormatter }, { network, addresses: requested }) => {
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
});

/** Holdings before block 0. */
const noHoldings = { singleOwner: [], others: [] };

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
