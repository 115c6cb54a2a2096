import { bucketUnitNames } from './bucket-start.ts';
import { type BucketUnit, bucketUnits } from './tables.ts';
import type { TimeBucket } from './time-bucket.ts';

/*
 * The hour, day, week, month, minute and second of the last block. They change with every block, so they are in one row, that of the chain in
 * `progress`. A bucket gets its own row, in `span` or `minute`, when a later block is in another one.
 */

export type BucketCounts = Omit<TimeBucket, 'start'>;
export type OpenBucket = { readonly start: number; readonly counts: BucketCounts };
export type MinuteCounts = { readonly start: number; readonly txs: number; readonly fees: bigint; readonly maxTps: number };
/** The second of the last block. `previousTime`: of the block before that second. */
export type LastSecond = { readonly time: number; readonly txs: number; readonly previousTime: number | undefined };

export type OpenBuckets = {
  readonly buckets: { readonly [U in BucketUnit]: OpenBucket };
  readonly minute: MinuteCounts;
  readonly second: LastSecond;
};

export const minuteStart = (time: number): number => time - (time % 60);

/** Transactions per second: those of a second, divided by the seconds since the previous block. The first second ever counts as one. */
export const tpsRate = ({ time, txs, previousTime }: LastSecond): number => txs / (previousTime === undefined ? 1 : time - previousTime);

/** JSON of lists: of each bucket the values that its row will have, in the order of the columns; fees as decimal numbers in text. */
export function encodeOpenBuckets({ buckets, minute, second }: OpenBuckets): string {
  return JSON.stringify({
    span: bucketUnitNames.map((unit) => {
      const { start, counts } = buckets[unit];
      const { txs, blocks, active, senders, addresses, fees, maxTps, last } = counts;
      return [bucketUnits[unit], start, txs, blocks, active, senders, addresses, `${fees}`, maxTps, last];
    }),
    minute: [minute.start, minute.txs, `${minute.fees}`, minute.maxTps],
    second: [second.time, second.txs, second.previousTime ?? null],
  });
}

/** Returns undefined for a chain that has only block 0: it is in no bucket. */
export function decodeOpenBuckets(text: string | null | undefined): OpenBuckets | undefined {
  if (text === null || text === undefined) return undefined;
  const { span, minute, second } = JSON.parse(text) as EncodedBuckets;
  const bucket = (unit: BucketUnit): OpenBucket => {
    const [, start, txs, blocks, active, senders, addresses, fees, maxTps, last] = span[
      bucketUnits[unit]
    ] as EncodedBuckets['span'][number];
    return { start, counts: { txs, blocks, active, senders, addresses, fees: BigInt(fees), maxTps, last } };
  };
  return {
    buckets: { hour: bucket('hour'), day: bucket('day'), week: bucket('week'), month: bucket('month') },
    minute: { start: minute[0], txs: minute[1], fees: BigInt(minute[2]), maxTps: minute[3] },
    second: { time: second[0], txs: second[1], previousTime: second[2] ?? undefined },
  };
}

type EncodedBuckets = {
  readonly span: readonly (readonly [number, number, number, number, number, number, number, string, number, number])[];
  readonly minute: readonly [number, number, string, number];
  readonly second: readonly [number, number, number | null];
};
