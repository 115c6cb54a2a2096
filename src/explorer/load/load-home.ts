import type { BlockSummaryList, CrossChainBalances, Mempool, RollingWindow, Throughput, TxCounts } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { read, type Source } from './source.ts';
import { readLatestRows, type TxRow } from './tx-row.ts';

/** A block of the tape. `kinds`: its transactions by type. */
export type TapeBlock = {
  readonly height: number;
  readonly id: string;
  readonly time: number;
  readonly txs: number;
  readonly kinds: TxCounts;
  readonly bytes: number;
};

export type HomeData = {
  /** Newest first. */
  readonly blocks: readonly TapeBlock[];
  /** Transactions by second and type, of the last minute. */
  readonly seconds: readonly (readonly [second: number, txs: TxCounts])[];
  /** The last block that is counted in `seconds`. */
  readonly countedTo: number;
  readonly txs: readonly TxRow[];
  /** Transactions in the mempool and their size; undefined if this server does not say. */
  readonly pending: PendingSum | undefined;
  /** The size at which a block is full, in bytes; 0 without blocks. */
  readonly blockLimit: number;
  readonly figures: Figures | undefined;
  readonly crossChain: CrossChainCounts;
};

export type PendingSum = { readonly count: number; readonly bytes: number };

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
  const [{ blocks }, txs, { seconds, lastBlockNumber }, figures, mempool, balances] = await Promise.all([
    read<BlockSummaryList>(source, `${base}/block-summaries?pageSize=100`),
    readLatestRows(source, context, rowCount),
    read<Throughput>(source, `${base}/throughput?seconds=60`),
    context.has.metrics ? loadFigures(source, context) : undefined,
    context.operations.includes('listMempool') ? read<Mempool>(source, `${base}/mempool?pageSize=1`) : undefined,
    read<CrossChainBalances>(source, `${base}/cross-chain/balances`),
  ]);
  return {
    blocks: blocks.map(({ blockNumber, blockHash, blockTimestamp, txCount, txCountByType, bytes }) => ({
      height: Number(blockNumber),
      id: blockHash,
      time: blockTimestamp,
      txs: txCount,
      kinds: txCountByType,
      bytes,
    })),
    seconds: seconds.map(({ timestamp, txCountByType }) => [timestamp, txCountByType]),
    countedTo: Number(lastBlockNumber),
    txs,
    pending: mempool && { count: mempool.txCount, bytes: mempool.bytes },
    // A summary has the size of its block and what share of the limit that is.
    blockLimit: blocks[0] === undefined ? 0 : Math.round(blocks[0].bytes / blocks[0].fill),
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

/**
 * Whether nobody has sent a transaction yet: there are those of the genesis and the one that funds the accounts of a developer's chain, which is in
 * block 1 with the time of block 0.
 */
export function isUnused(blocks: readonly TapeBlock[], txs: readonly TxRow[]): boolean {
  const genesisTime = blocks.find(({ height }) => height === 0)?.time;
  return txs.every(({ height, time }) => height === 0 || (height === 1 && time === genesisTime));
}

/** Transactions by Unix second and type. */
export type SecondCounts = ReadonlyMap<number, TxCounts>;

/** Seconds of the sparkline and of the mix of kinds; the last one is the running second. */
const shownSeconds = 60;

/** Transactions of each of the last seconds, oldest first. */
export function txsPerSecond(counts: SecondCounts, now: number): number[] {
  return lastSeconds(counts, now).map((txs) => Object.values(txs).reduce((sum, count) => sum + count, 0));
}

/** Transactions of the last seconds by type. */
export function txsByKind(counts: SecondCounts, now: number): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const txs of lastSeconds(counts, now)) for (const [type, count] of Object.entries(txs)) sums[type] = (sums[type] ?? 0) + count;
  return sums;
}

function lastSeconds(counts: SecondCounts, now: number): Partial<TxCounts>[] {
  const last = Math.floor(now);
  return Array.from({ length: shownSeconds }, (_, at) => counts.get(last - shownSeconds + 1 + at) ?? {});
}
