import { describe, expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { type BucketCounts, decodeOpenBuckets, encodeOpenBuckets, type LastSecond, tpsRate } from '../index/open-buckets.ts';
import type { BlockFacts } from './block-facts.ts';
import { assetsAfter, bucketsAfter, type Holder, holdersAfter, lastSecondAfter, noAssetCounts, openBucketsAfter } from './row-updates.ts';

const [ann, bob, eve] = ['a', 'b', 'e'].map((digit) => digit.repeat(40) as Address) as [Address, Address, Address];
const gold = '7'.repeat(64) as Id;

const facts = (some: Partial<BlockFacts> & { txCount?: number }): BlockFacts => ({
  height: 5,
  time: 1_700_000_000,
  txs: Array.from({ length: some.txCount ?? 1 }, (_, i) => ({ seq: 10 + i, kind: 0, addresses: [], assets: [] })),
  senders: new Set(),
  involved: new Set(),
  burned: 0n,
  supplyChanges: new Map(),
  ...some,
});

const none = () => undefined;

describe('holders', () => {
  test('get the times last seen and, if an output of theirs was consumed, last sent', () => {
    const block = facts({ involved: new Set([ann, bob]), senders: new Set([ann]), time: 500 });
    expect(holdersAfter(block, none)).toEqual(
      new Map([
        [ann, { first: 500, seen: 500, sent: 500 }],
        [bob, { first: 500, seen: 500, sent: 0 }],
      ]),
    );
    const before = new Map<Address, Holder>([[bob, { first: 100, seen: 400, sent: 300 }]]);
    expect(holdersAfter(block, (address) => before.get(address)).get(bob)).toEqual({ first: 100, seen: 500, sent: 300 });
  });

  test('of the genesis have a first time, but were never seen', () => {
    const genesis = facts({ height: 0, time: 100, involved: new Set([ann]), senders: new Set() });
    expect(holdersAfter(genesis, none)).toEqual(new Map([[ann, { first: 100, seen: 0, sent: 0 }]]));
  });

  test('that were seen in the same second are not written again', () => {
    const block = facts({ time: 500, involved: new Set([ann]) });
    expect(holdersAfter(block, () => ({ first: 1, seen: 500, sent: 2 })).size).toBe(0);
  });
});

test('an asset counts its transactions and its supply', () => {
  const txs = [[gold], [], [gold]].map((assets, i) => ({
    seq: i,
    kind: 0,
    addresses: [],
    assets,
  }));
  const block = facts({ txs, supplyChanges: new Map([[gold, { units: -3n, nfts: 2 }]]), time: 900 });
  expect(assetsAfter(block, none).get(gold)).toEqual({ first: 900, last: 900, txs: 2, supply: -3n, nfts: 2, ...noAssetCounts });
  const counts = { holders: 4, held: 6n, minted: 20n, mintedNfts: 1 };
  expect(assetsAfter(block, () => ({ first: 1, last: 2, txs: 3, supply: 10n, nfts: 1, ...counts })).get(gold)).toEqual({
    ...{ first: 1, last: 900, txs: 5, supply: 7n, nfts: 3 },
    ...counts,
  });
});

describe('the TPS rate of a second', () => {
  const secondAfter = (...blocks: [time: number, txs: number][]) =>
    blocks.reduce<LastSecond | undefined>((previous, [time, txCount]) => lastSecondAfter(facts({ time, txCount }), previous), undefined);
  const rateAfter = (...blocks: [time: number, txs: number][]) => tpsRate(secondAfter(...blocks) as LastSecond);

  test('the first second counts as one second long', () => expect(rateAfter([100, 6])).toBe(6));
  test('a second is as long as the time since the previous one with blocks', () => expect(rateAfter([100, 6], [104, 6])).toBe(1.5));
  test('blocks of one second are counted together', () => {
    expect(secondAfter([100, 6], [104, 6], [104, 2])).toEqual({ time: 104, txs: 8, previousTime: 100 });
    expect(rateAfter([100, 1], [100, 2], [101, 4], [103, 4])).toBe(2);
  });
});

describe('time buckets', () => {
  // Thursday, 16 November 2023, 01:00 UTC.
  const hour = 1_700_096_400;
  const starts = { hour, day: hour - 3600, week: hour - 3600 - 3 * 86_400, month: hour - 3600 - 15 * 86_400 };

  test('count an address only once', () => {
    const holders = new Map<Address, Holder>([
      [ann, { first: 1, seen: hour + 5, sent: starts.day + 1 }],
      [bob, { first: 1, seen: starts.week, sent: 0 }],
    ]);
    const block = facts({ time: hour + 10, involved: new Set([ann, bob, eve]), senders: new Set([ann, bob]), burned: 9n, txCount: 4 });
    const after = bucketsAfter(
      block,
      2.5,
      (address) => holders.get(address),
      () => undefined,
    );
    const counted = (unit: keyof typeof starts) => {
      const { start, counts } = after[unit];
      expect(start).toBe(starts[unit]);
      expect(counts).toMatchObject({ txs: 4, blocks: 1, addresses: 1, fees: 9n, maxTps: 2.5, last: hour + 10 });
      return [counts.active, counts.senders];
    };
    expect(counted('hour')).toEqual([2, 2]);
    expect(counted('day')).toEqual([2, 1]);
    expect(counted('week')).toEqual([1, 1]);
    expect(counted('month')).toEqual([1, 1]);
  });

  test('add to their previous counts', () => {
    const previous: BucketCounts = { txs: 10, blocks: 2, active: 3, senders: 1, addresses: 1, fees: 5n, maxTps: 7, last: hour };
    const after = bucketsAfter(facts({ time: hour + 1 }), 2, none, (unit) => (unit === 'day' ? previous : undefined));
    expect(after.day.counts).toEqual({ ...previous, txs: 11, blocks: 3, last: hour + 1 });
    expect(after.hour.counts.txs).toBe(1);
  });

  test('of the last block are read back as they were stored', () => {
    expect(decodeOpenBuckets(null)).toBeUndefined();
    const first = openBucketsAfter(facts({ time: hour + 61, txCount: 3, burned: 2n ** 70n }), undefined, none);
    const second = openBucketsAfter(facts({ time: hour + 64, burned: 1n }), first, none);
    for (const open of [first, second]) expect(decodeOpenBuckets(encodeOpenBuckets(open))).toEqual(open);
    expect(second.minute).toEqual({ start: hour + 60, txs: 4, fees: 2n ** 70n + 1n, maxTps: 3 });
    expect(openBucketsAfter(facts({ time: hour + 130 }), second, none).minute.txs).toBe(1);
  });
});
