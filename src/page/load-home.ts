import type { BlockList, RollingWindow, TxList } from './data-types.ts';
import { chainPath, type PageContext } from './page-context.ts';
import type { TapeBlock } from './pictures/tape.tsx';
import { callIfAllowed, read, type Source } from './source.ts';
import { summarizeTx, type TxSummary } from './tx-summary.ts';

export type HomeData = {
  /** Newest first. */
  readonly blocks: readonly TapeBlock[];
  readonly txs: readonly TxSummary[];
  /** Transactions in the mempool; undefined if this server does not say. */
  readonly pending: number | undefined;
  readonly figures: Figures | undefined;
};

/** Rolling figures of the Metrics API. */
export type Figures = {
  readonly txsDay: number;
  readonly txsAll: number;
  readonly addresses: number;
  readonly activeDay: number;
  readonly feesDay: number;
};

/** Blocks of the last minute for the sparkline, and for the tape. */
const blockCount = 100;
export const rowCount = 12;

export async function loadHome(source: Source, context: PageContext): Promise<HomeData> {
  const base = chainPath(context);
  const [{ blocks }, { transactions }, figures, mempool] = await Promise.all([
    read<BlockList>(source, `${base}/blocks?pageSize=${blockCount}`),
    read<TxList>(source, `${base}/transactions?pageSize=${rowCount}`),
    context.has.metrics ? loadFigures(source, context) : undefined,
    context.has.dev ? callIfAllowed<{ total: number }>(source, '/ext/dev', 'dev.getMempool') : undefined,
  ]);
  return {
    blocks: blocks.map(({ blockNumber, blockHash, blockTimestamp, txCount }) => ({
      height: Number(blockNumber),
      id: blockHash,
      time: blockTimestamp,
      txs: txCount,
    })),
    txs: transactions.map(summarizeTx),
    pending: mempool?.total,
    figures,
  };
}

async function loadFigures(source: Source, { chain }: PageContext): Promise<Figures | undefined> {
  const window = async (metric: string) =>
    (await source.get<RollingWindow>(`/v2/chains/${chain.alias}/rollingWindowMetrics/${metric}`)).body.result;
  const [txs, addresses, active, fees] = await Promise.all([
    window('txCount'),
    window('cumulativeAddresses'),
    window('activeAddresses'),
    window('feesPaid'),
  ]);
  if (txs === undefined || addresses === undefined || active === undefined || fees === undefined) return undefined;
  return { txsDay: txs.lastDay, txsAll: txs.allTime, addresses: addresses.allTime, activeDay: active.lastDay, feesDay: fees.lastDay };
}

/** Transactions of each of the last 60 seconds, oldest first. Blocks beyond the loaded ones count as unknown and are left out. */
export function txsPerSecond(blocks: readonly TapeBlock[], now: number, seconds = 60): number[] {
  const counts = new Array<number>(seconds).fill(0);
  for (const { time, txs } of blocks) {
    const at = seconds - 1 - Math.floor(now - time);
    if (at >= 0 && at < seconds) counts[at] = (counts[at] as number) + txs;
  }
  return counts;
}
