import type { Address } from '../../base/bytes/address.ts';
import { idText } from '../../base/bytes/id.ts';
import { balanceHistoryRows } from '../contract/explorer-routes.ts';
import { readBackfilled } from '../data/backfilled-read.ts';
import { listMetadata, networkSpelling, requireChain } from '../data/chain.ts';
import { atOneEpoch } from '../data/one-epoch.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import { type ExplorerDeps, explorerOf } from './deps.ts';

/** Balance of an address over time, for plots. */
export const balanceHistoryRoutes = implementRoutes<ExplorerDeps>()(balanceHistoryRows, {
  getBalanceHistory: async (deps, { addresses: requested, assetId, maxPoints, ...range }) => {
    const chain = requireChain(deps.served, range);
    const spelling = networkSpelling(deps.served, range.network, requested);
    const [address] = requested.owners as readonly [Address];
    const asset = assetId ?? chain.feeAsset;
    const readHistory = async () => {
      const { from, to } = await heightsOf(chain, range);
      return to < (from ?? 0)
        ? { isSampled: false, points: [] }
        : explorerOf(chain).balanceHistory({ address, asset, from, to, maxPoints });
    };
    const history = await readBackfilled(chain, requested.owners, () => atOneEpoch(deps.epoch, readHistory));
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
});

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
