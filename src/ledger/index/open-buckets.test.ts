import { expect, test } from 'bun:test';
import { decodeOpenBuckets, encodeOpenBuckets, minuteStart, type OpenBucket, type OpenBuckets, tpsRate } from './open-buckets.ts';
import { bucketUnits } from './tables.ts';

const bucket = (start: number): OpenBucket => ({
  start,
  counts: {
    ...{ txs: start + 1, blocks: start + 2, active: start + 3, senders: start + 4, addresses: start + 5, fees: 2n ** 70n + BigInt(start) },
    ...{ maxTps: start + 0.5, last: start + 6 },
  },
});
const buckets: OpenBuckets = {
  buckets: { hour: bucket(100), day: bucket(200), week: bucket(300), month: bucket(400) },
  minute: { start: 60, txs: 7, fees: 2n ** 65n, maxTps: 2.5 },
  second: { time: 119, txs: 3, previousTime: 110 },
};

test('what is stored is read again, without loss in fees', () => {
  expect(decodeOpenBuckets(encodeOpenBuckets(buckets))).toEqual(buckets);
  const first = { ...buckets, second: { ...buckets.second, previousTime: undefined } };
  expect(decodeOpenBuckets(encodeOpenBuckets(first))).toEqual(first);
  const zero = { ...buckets, second: { ...buckets.second, previousTime: 0 } };
  expect(decodeOpenBuckets(encodeOpenBuckets(zero))).toEqual(zero);
});

test('a chain with block 0 only is in no bucket', () => {
  expect([decodeOpenBuckets(null), decodeOpenBuckets(undefined)]).toEqual([undefined, undefined]);
});

test('a row of a bucket has its unit, then the columns of its table', () => {
  const { span } = JSON.parse(encodeOpenBuckets(buckets)) as { span: unknown[][] };
  expect(span[bucketUnits.day]).toEqual([bucketUnits.day, 200, 201, 202, 203, 204, 205, `${2n ** 70n + 200n}`, 200.5, 206]);
});

test('a minute begins at a multiple of sixty seconds', () => {
  expect([0, 59, 60, 119, 120].map(minuteStart)).toEqual([0, 0, 60, 60, 120]);
});

test('transactions of a second count for the time since the block before; those of the first second for one', () => {
  expect(tpsRate({ time: 20, txs: 6, previousTime: 18 })).toBe(3);
  expect(tpsRate({ time: 20, txs: 6, previousTime: 19 })).toBe(6);
  expect(tpsRate({ time: 20, txs: 6, previousTime: undefined })).toBe(6);
});
