import { targetBlockSize } from '../../chain/lifecycle/builder.ts';
import { throughputRows } from '../contract/explorer-routes.ts';
import { networkSpelling, renderChainInfo, requireChain } from '../data/chain.ts';
import { implementRoutes } from '../rest/route.ts';
import type { ExplorerDeps } from './deps.ts';
import { noTxs, type RecentSeconds, type SecondCounts, txKindNames } from './throughput.ts';

/** Full seconds that the current rate is the mean of. */
const rateSeconds = 5;

/** Transactions per second in the last hour, for the plot of the home page. Its row is in contract/explorer-routes.ts. */
export const throughputRoutes = implementRoutes<ExplorerDeps>()(throughputRows, {
  getThroughput: async (deps, { seconds: window, ...chainRef }) => {
    const chain = requireChain(deps.served, chainRef);
    const latency = await chain.live?.latency();
    const recent = await deps.throughputOf(chain).read();
    const inWindow = [...recent.seconds].filter(([time]) => time > recent.end - window);
    const total = addUp(inWindow.map(([, counts]) => counts));
    const txCount = countTxs(total);
    return {
      endTimestamp: recent.end,
      windowSeconds: window,
      lastBlockNumber: recent.height.toString(),
      figures: {
        tps: currentRate(recent),
        meanTps: txCount / window,
        peakTps: inWindow.reduce((peak, [, counts]) => Math.max(peak, countTxs(counts)), 0),
        blockCount: total.blocks,
        meanBlockFill: total.blocks === 0 ? 0 : total.bytes / total.blocks / targetBlockSize,
        ...renderCounts(total),
        latency: latency === undefined || latency.count === 0 ? undefined : latency,
      },
      seconds: inWindow.map(([timestamp, counts]) => ({ timestamp, blockCount: counts.blocks, ...renderCounts(counts) })),
      chainInfo: renderChainInfo(networkSpelling(deps.served, chainRef.network), chain),
    };
  },
});

function currentRate({ end, seconds }: RecentSeconds): number {
  let txs = 0;
  for (let time = end - rateSeconds; time < end; time++) txs += countTxs(seconds.get(time));
  return txs / rateSeconds;
}

const countTxs = (counts: Pick<SecondCounts, 'txs'> | undefined): number =>
  counts === undefined ? 0 : txKindNames.reduce((sum, kind) => sum + counts.txs[kind], 0);

function addUp(all: readonly Readonly<SecondCounts>[]): SecondCounts {
  const total: SecondCounts = { blocks: 0, bytes: 0, fees: 0n, txs: { ...noTxs } };
  for (const { blocks, bytes, fees, txs } of all) {
    total.blocks += blocks;
    total.bytes += bytes;
    total.fees += fees;
    for (const kind of txKindNames) total.txs[kind] += txs[kind];
  }
  return total;
}

const renderCounts = (counts: Readonly<SecondCounts>) => ({
  txCount: countTxs(counts),
  txCountByType: counts.txs,
  bytes: counts.bytes,
  burned: counts.fees.toString(),
});
