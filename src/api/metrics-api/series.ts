import { bucketStart } from '../../ledger/index/bucket-start.ts';
import type { BucketUnit } from '../../ledger/index/tables.ts';
import type { TimeBucket } from '../../ledger/index/time-bucket.ts';
import type { IndexReads, PinnedBlock } from '../../ledger/index-read/index-reads.ts';
import type { Paging } from '../rest/route.ts';
import type { ServedChain } from '../rest/served-chains.ts';
import type { SeriesCache } from './series-cache.ts';

/** The time that metrics cover: from block 1 until now. Block 0 is left out because its time is that of a network upgrade. */
export type MetricsPeriod = {
  readonly tip: PinnedBlock;
  /** Time of block 1; undefined if it does not exist yet. */
  readonly first: number | undefined;
  /** The current time, or the time of the last block if that is later: a block may be some seconds ahead of the local clock. */
  readonly now: number;
};

export async function readPeriod(chain: ServedChain, now: number, cache: SeriesCache): Promise<MetricsPeriod> {
  const readFirst = async () => (await chain.reads.pinAtHeight(1))?.time.toString();
  const [tip, first] = await Promise.all([chain.reads.tip(), cache.getOrMake(chain, 'first', readFirst)]);
  return { tip, first: first === undefined ? undefined : Number(first), now: Math.max(now, tip.time) };
}

type SeriesRange = {
  /** Time buckets that begin in [from, to); undefined means no bound. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Start of the last time bucket of the previous page. */
  readonly after: number | undefined;
  readonly limit: number;
};

/** A page of a series: start times of consecutive time buckets, newest first. */
export type SeriesPage = { readonly unit: BucketUnit; readonly starts: readonly number[]; readonly isLast: boolean };

/** Computes a page of a series. Only the newest time bucket still changes, and it is on the first page, so pages stay consistent while blocks arrive. */
export function seriesPage(
  unit: BucketUnit,
  period: MetricsPeriod,
  { from = 0, to = Infinity, after = Infinity, limit }: SeriesRange,
): SeriesPage {
  if (period.first === undefined) return { unit, starts: [], isLast: true };
  const oldest = Math.max(from, bucketStart(unit, period.first));
  const end = Math.min(to, after, period.now + 1);
  const starts: number[] = [];
  let next = end > oldest ? bucketStart(unit, end - 1) : Number.NEGATIVE_INFINITY;
  while (next >= oldest && starts.length < limit) {
    starts.push(next);
    next = unit === 'month' ? bucketStart(unit, next - 1) : next - unitSeconds[unit];
  }
  return { unit, starts, isLast: next < oldest };
}

/** Lengths of the units that all have the same length. */
const unitSeconds = { hour: 3600, day: 86_400, week: 604_800 } as const;

/** Reads the time buckets of a page that have blocks, by start time. */
export async function readBuckets(reads: IndexReads, { unit, starts }: SeriesPage): Promise<ReadonlyMap<number, TimeBucket>> {
  const [newest, oldest] = [starts[0], starts.at(-1)];
  if (newest === undefined || oldest === undefined) return new Map();
  const buckets = await reads.buckets(unit, oldest, newest + 1, starts.length);
  return new Map(buckets.map((bucket) => [bucket.start, bucket]));
}

export const secondsPerDay = 86_400;

/** The token of the page after this one; undefined on the last page. */
export const nextTokenAfter = ({ tip }: MetricsPeriod, { starts, isLast }: SeriesPage, pages: Paging): string | undefined => {
  const oldest = starts.at(-1);
  return isLast || oldest === undefined ? undefined : pages.nextPageToken({ height: pages.cursor?.height ?? tip.height, after: oldest });
};
