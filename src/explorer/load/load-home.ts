import type {
  BlockSummaryList,
  CrossChainBalances,
  Mempool,
  RollingWindow,
  Throughput,
  TxCounts,
  TxList,
} from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';
import { summarizeTx, type TxSummary } from './tx-summary.ts';

/** A block of the tape. */
export type TapeBlock = { readonly height: number; readonly id: string; readonly time: number; readonly txs: number };

export type HomeData = {
  /** Newest first. */
  readonly blocks: readonly TapeBlock[];
  /** Transactions by second of the last minute: pairs of Unix second and count. */
  readonly seconds: readonly (readonly [second: number, txs: number])[];
  /** Transactions of the last minute by type. */
  readonly kinds: TxCounts;
  readonly txs: readonly TxSummary[];
  /** Transactions in the mempool; undefined if this server does not say. */
  readonly pending: number | undefined;
  readonly figures: Figures | undefined;
  readonly crossChain: CrossChainCounts;
};

/** Outputs that wait in shared memory. `isComplete`: there are no more. */
export type CrossChainCounts = { readonly outbound: number; readonly inbound: number | undefined; readonly isComplete: boolean };

/** Rolling figures of the Metrics API. */
type Figures = {
  readonly txsDay: number;
  readonly txsAll: number;
  readonly addresses: number;
  readonly activeDay: number;
  readonly feesDay: number;
};

export const rowCount = 12;

export async function loadHome(source: Source, context: PageContext): Promise<HomeData> {
  const base = chainPath(context);
  const [{ blocks }, { transactions }, { seconds, figures: minute }, figures, mempool, balances] = await Promise.all([
    read<BlockSummaryList>(source, `${base}/block-summaries?pageSize=100`),
    read<TxList>(source, `${base}/transactions?pageSize=${rowCount}`),
    read<Throughput>(source, `${base}/throughput?seconds=60`),
    context.has.metrics ? loadFigures(source, context) : undefined,
    context.operations.includes('listMempool') ? read<Mempool>(source, `${base}/mempool?pageSize=1`) : undefined,
    read<CrossChainBalances>(source, `${base}/cross-chain/balances`),
  ]);
  return {
    blocks: blocks.map(({ blockNumber, blockHash, blockTimestamp, txCount }) => ({
      height: Number(blockNumber),
      id: blockHash,
      time: blockTimestamp,
      txs: txCount,
    })),
    seconds: seconds.map(({ timestamp, txCount }) => [timestamp, txCount]),
    kinds: minute.txCountByType,
    txs: transactions.map(summarizeTx),
    pending: mempool?.txCount,
    figures,
    crossChain: {
      outbound: countOutputs(balances.outbound),
      inbound: balances.inbound && countOutputs(balances.inbound),
      isComplete: balances.isComplete,
    },
  };
}

const countOutputs = (balances: CrossChainBalances['outbound']): number => balances.reduce((sum, { utxoCount }) => sum + utxoCount, 0);

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

/** Transactions of each of the last seconds, oldest first; the last one is the running second. */
export function txsPerSecond(counts: ReadonlyMap<number, number>, now: number, seconds = 60): number[] {
  const last = Math.floor(now);
  return Array.from({ length: seconds }, (_, at) => counts.get(last - seconds + 1 + at) ?? 0);
}
