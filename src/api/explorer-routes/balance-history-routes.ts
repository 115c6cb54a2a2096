import type { Address } from '../../base/bytes/address.ts';
import { idText } from '../../base/bytes/id.ts';
import { maxBalanceRows } from '../../ledger/index-read/read-balance-history.ts';
import { BalanceHistorySchema } from '../contract/explorer-schemas.ts';
import { chainParams, chainPath, networkSpelling, requireChain } from '../data/chain.ts';
import { listMetadata } from '../data/list-metadata.ts';
import { atOneEpoch } from '../data/one-epoch.ts';
import { type AddressList, addresses } from '../rest/addresses.ts';
import { apiError } from '../rest/api-error.ts';
import type { Param } from '../rest/param.ts';
import { integer, queryId, timestamp } from '../rest/params.ts';
import { type ApiRoute, routeDefiner } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';

const defineRoute = routeDefiner<ExplorerDeps>();

const defaultPoints = 1000;

/** Balance of an address over time, for plots. */
export const balanceHistoryRoutes: readonly ApiRoute<ExplorerDeps>[] = [
  defineRoute({
    method: 'GET',
    path: `${chainPath}/balance-history`,
    id: 'getBalanceHistory',
    tag: 'Explorer',
    summary: 'How the balance of an address in one asset changed, oldest first',
    description:
      'Counts outputs that the address owns alone, locked or not. Without a start, the range starts with the first change. With more changes than maxPoints, balances at evenly spaced blocks are returned.',
    params: {
      ...chainParams,
      addresses: oneAddress(),
      assetId: queryId({ description: 'The asset; AVAX if absent.' }),
      startTimestamp: timestamp('From this time on, in Unix seconds.'),
      endTimestamp: timestamp('Before this time, in Unix seconds.'),
      startBlock: integer({ min: 0, description: 'From the block at this height on. Instead of startTimestamp.' }),
      endBlock: integer({ min: 0, description: 'Up to the block at this height. Instead of endTimestamp.' }),
      maxPoints: integer({ min: 2, max: 4000, description: `Maximum number of points, ${defaultPoints} if absent.` }),
    },
    response: BalanceHistorySchema,
    cachePolicy: 'block',
    run: async (deps, { addresses: requested, assetId, maxPoints = defaultPoints, ...range }) => {
      const chain = requireChain(deps.served, range);
      await chain.backfillAddresses?.(requested.owners);
      const spelling = networkSpelling(deps.served, range.network, requested);
      const [address] = requested.owners as readonly [Address];
      const asset = assetId ?? chain.feeAsset;
      const history = await atOneEpoch(deps.epoch, async () => {
        const { from, to } = await heightsOf(chain, range);
        return to < (from ?? 0)
          ? { isSampled: false, points: [] }
          : explorerOf(chain).balanceHistory({ address, asset, from, to, maxPoints });
      });
      if (history === undefined)
        throw apiError(
          400,
          `The outputs of this address have so many lock times that its balance changed more than ${maxBalanceRows} times. Read the balance at single times: /balances?blockTimestamp=`,
        );
      return {
        address: deps.addressFormatter(spelling.hrp)(address),
        assetId: idText(asset),
        isSampled: history.isSampled,
        points: history.points.map(({ height, time, amount, nfts }) => ({
          blockNumber: height.toString(),
          timestamp: time,
          amount: amount.toString(),
          nfts,
        })),
        ...(await listMetadata(spelling, chain)),
      };
    },
  }),
];

type Range = {
  readonly startTimestamp: number | undefined;
  readonly endTimestamp: number | undefined;
  readonly startBlock: number | undefined;
  readonly endBlock: number | undefined;
};

/** The heights of a range. The balance at a time is that of the last block before it. */
async function heightsOf({ reads }: ServedChain, range: Range): Promise<{ readonly from: number | undefined; readonly to: number }> {
  const { startTimestamp, endTimestamp, startBlock, endBlock } = range;
  const [tip, start, end] = await Promise.all([
    reads.tip(),
    startTimestamp === undefined ? undefined : reads.pinBeforeTime(startTimestamp),
    endTimestamp === undefined ? undefined : reads.pinBeforeTime(endTimestamp),
  ]);
  const from = startBlock ?? (startTimestamp === undefined ? undefined : (start?.height ?? 0));
  const to = endBlock ?? (endTimestamp === undefined ? tip.height : (end?.height ?? -1));
  return { from, to: Math.min(to, tip.height) };
}

/** Exactly one address: balances of several cannot be read as one history. */
function oneAddress(): Param<AddressList> {
  return { ...addresses({ required: true, max: 1 }), description: 'One address of the network, with or without X-, P- or C- before it.' };
}
