import type { LongWork } from '../../base/timing/long-work.ts';
import { createMutex } from '../../base/timing/slots.ts';
import type { BlockSumsEntry, ExplorerReads } from '../../ledger/index-read/explorer-reads.ts';
import type { IndexReads, TxKind } from '../../ledger/index-read/index-reads.ts';
import { throughputWindow } from '../contract/explorer-routes.ts';

/** Counts of the blocks of one second. */
export type SecondCounts = { blocks: number; bytes: number; fees: bigint; readonly txs: Record<TxKind, number> };

/** `height`: of the last block counted. `end`: the current second of the chain's clock, or the time of the last block if that is later. */
export type RecentSeconds = {
  readonly end: number;
  readonly height: number;
  readonly seconds: ReadonlyMap<number, Readonly<SecondCounts>>;
};

export type Throughput = ReturnType<typeof createThroughput>;

/** Blocks per query, and the number of new blocks above which the record starts again at the beginning of the hour. */
const [batchSize, maxLag] = [2048, 16_384];

/**
 * Counts the blocks of the last hour in memory. Each read adds only the blocks since the one before, so that it works in every process; after
 * a revert it starts again. Reads run one after the other. `epoch`: the number of times the chain was reverted. `now`: Unix seconds.
 */
export function createThroughput({
  reads,
  explorer,
  epoch,
  now,
  longWork,
}: {
  readonly reads: Pick<IndexReads, 'tip' | 'pinBeforeTime'>;
  readonly explorer: Pick<ExplorerReads, 'blockSumsAfter'>;
  readonly epoch: () => number;
  readonly now: () => number;
  readonly longWork: LongWork | undefined;
}) {
  const lock = createMutex();
  let record = newRecord(-1, 0, 0);

  const update = async (): Promise<RecentSeconds> => {
    const started = epoch();
    const tip = await reads.tip();
    const end = Math.max(now(), tip.time);
    const from = end - throughputWindow;
    // The clock of a developer's chain can be set back.
    const isUsable = record.epoch === started && record.from <= from && tip.height - record.height <= maxLag;
    if (!isUsable) record = newRecord(started, from, (await reads.pinBeforeTime(from + 1))?.height ?? 0);
    record.from = from;
    const pause = longWork?.begin();
    for (;;) {
      const blocks = await explorer.blockSumsAfter(record.height, batchSize);
      if (epoch() !== started) return update();
      for (const block of blocks) addBlock(record.seconds, block);
      record.height = blocks[blocks.length - 1]?.height ?? record.height;
      if (blocks.length < batchSize) break;
      await pause?.();
    }
    // Blocks come in the order of their times.
    for (const time of record.seconds.keys()) {
      if (time > from) break;
      record.seconds.delete(time);
    }
    return { end, height: record.height, seconds: record.seconds };
  };

  return { read: () => lock(update) };
}

/** `from`: the seconds up to it are left out. `height`: of the last block counted. */
const newRecord = (epoch: number, from: number, height: number) => ({ epoch, from, height, seconds: new Map<number, SecondCounts>() });

function addBlock(seconds: Map<number, SecondCounts>, { time, bytes, fees, txs }: BlockSumsEntry): void {
  const counts = seconds.get(time) ?? { blocks: 0, bytes: 0, fees: 0n, txs: { ...noTxs } };
  seconds.set(time, counts);
  counts.blocks++;
  counts.bytes += bytes;
  counts.fees += fees;
  for (const kind of txKindNames) counts.txs[kind] += txs[kind];
}

export const noTxs: Readonly<Record<TxKind, number>> = { BaseTx: 0, CreateAssetTx: 0, OperationTx: 0, ImportTx: 0, ExportTx: 0 };
export const txKindNames = Object.keys(noTxs) as readonly TxKind[];
