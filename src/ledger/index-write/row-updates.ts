import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { bucketStart, bucketUnitNames } from '../index/bucket-start.ts';
import {
  type BucketCounts,
  type LastSecond,
  type MinuteCounts,
  minuteStart,
  type OpenBucket,
  type OpenBuckets,
  tpsRate,
} from '../index/open-buckets.ts';
import { type BucketUnit, bucketUnits } from '../index/tables.ts';
import type { BlockFacts } from './block-facts.ts';

/*
 * Index rows as the writer computes with them. Each function below returns the rows that a block changes, from the rows before it.
 */

/** When an address was first seen, last seen and last spent an output, in Unix seconds. */
export type Holder = {
  readonly first: number;
  /** Time of the last block that involved the address; 0 for never, as for an address that is only in the genesis. */
  readonly seen: number;
  /** Time of the last block that consumed an output of it; 0 for never. */
  readonly sent: number;
};
export type AssetStat = AssetCounts & {
  readonly first: number;
  readonly last: number;
  readonly txs: number;
  readonly supply: bigint;
  readonly nfts: number;
};
/** The columns of an asset's row that do not follow from `BlockFacts`; see index/tables.ts. */
export type AssetCounts = { readonly holders: number; readonly held: bigint; readonly minted: bigint; readonly mintedNfts: number };

export const noAssetCounts: AssetCounts = { holders: 0, held: 0n, minted: 0n, mintedNfts: 0 };

export const addAssetCounts = (stat: AssetStat, change: AssetCounts): AssetStat => ({
  ...stat,
  holders: stat.holders + change.holders,
  held: stat.held + change.held,
  minted: stat.minted + change.minted,
  mintedNfts: stat.mintedNfts + change.mintedNfts,
});

/** Whether a block is block 0, which holds the genesis. It counts as history, but not as activity: it is in no time bucket. */
export const isGenesisBlock = ({ height }: Pick<BlockFacts, 'height'>): boolean => height === 0;

export function holdersAfter(facts: BlockFacts, previousOf: (address: Address) => Holder | undefined): Map<Address, Holder> {
  const after = new Map<Address, Holder>();
  const { time, senders } = facts;
  const seen = isGenesisBlock(facts) ? 0 : time;
  for (const address of facts.involved) {
    const previous = previousOf(address);
    const sent = senders.has(address) ? seen : (previous?.sent ?? 0);
    if (previous?.seen !== seen || previous.sent !== sent) after.set(address, { first: previous?.first ?? time, seen, sent });
  }
  return after;
}

export function assetsAfter(facts: BlockFacts, previousOf: (asset: Id) => AssetStat | undefined): Map<Id, AssetStat> {
  const counts = new Map<Id, number>();
  for (const { assets } of facts.txs) for (const asset of assets) counts.set(asset, (counts.get(asset) ?? 0) + 1);
  const after = new Map<Id, AssetStat>();
  for (const [asset, count] of counts) {
    const previous = previousOf(asset);
    const change = facts.supplyChanges.get(asset);
    after.set(asset, {
      ...(previous ?? noAssetCounts),
      first: previous?.first ?? facts.time,
      last: facts.time,
      txs: (previous?.txs ?? 0) + count,
      supply: (previous?.supply ?? 0n) + (change?.units ?? 0n),
      nfts: (previous?.nfts ?? 0) + (change?.nfts ?? 0),
    });
  }
  return after;
}

/** Adds a block to the second of its time. */
export function lastSecondAfter({ time, txs }: BlockFacts, previous: LastSecond | undefined): LastSecond {
  if (previous?.time === time) return { ...previous, txs: previous.txs + txs.length };
  return { time, txs: txs.length, previousTime: previous?.time };
}

function minuteAfter({ time, txs, burned }: BlockFacts, rate: number, previous: MinuteCounts | undefined): MinuteCounts {
  const start = minuteStart(time);
  const before = previous?.start === start ? previous : { txs: 0, fees: 0n, maxTps: 0 };
  return { start, txs: before.txs + txs.length, fees: before.fees + burned, maxTps: Math.max(before.maxTps, rate) };
}

/** The open buckets after a block; `previousHolder`: see `bucketsAfter`. */
export function openBucketsAfter(
  facts: BlockFacts,
  previous: OpenBuckets | undefined,
  previousHolder: (address: Address) => Holder | undefined,
): OpenBuckets {
  const second = lastSecondAfter(facts, previous?.second);
  const rate = tpsRate(second);
  const previousBucket = (unit: BucketUnit, start: number) =>
    previous?.buckets[unit].start === start ? previous.buckets[unit].counts : undefined;
  return {
    buckets: bucketsAfter(facts, rate, previousHolder, previousBucket),
    minute: minuteAfter(facts, rate, previous?.minute),
    second,
  };
}

/**
 * The time buckets of a block: hour, day, week and month. `previousHolder` returns the state before the block, so that an address counts
 * only once in a bucket.
 */
export function bucketsAfter(
  facts: BlockFacts,
  rate: number,
  previousHolder: (address: Address) => Holder | undefined,
  previousBucket: (unit: BucketUnit, start: number) => BucketCounts | undefined,
): OpenBuckets['buckets'] {
  const starts = bucketUnitNames.map((unit) => bucketStart(unit, facts.time));
  const active = starts.map(() => 0);
  const senders = starts.map(() => 0);
  let newAddresses = 0;
  for (const address of facts.involved) {
    const previous = previousHolder(address);
    const isSender = facts.senders.has(address);
    if (previous === undefined) newAddresses++;
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i] as number;
      if (previous === undefined || previous.seen < start) active[i] = (active[i] as number) + 1;
      if (isSender && (previous === undefined || previous.sent < start)) senders[i] = (senders[i] as number) + 1;
    }
  }
  const bucket = (unit: BucketUnit): OpenBucket => {
    const i = bucketUnits[unit];
    const start = starts[i] as number;
    const previous = previousBucket(unit, start) ?? emptyBucket;
    const counts = {
      txs: previous.txs + facts.txs.length,
      blocks: previous.blocks + 1,
      active: previous.active + (active[i] as number),
      senders: previous.senders + (senders[i] as number),
      addresses: previous.addresses + newAddresses,
      fees: previous.fees + facts.burned,
      maxTps: Math.max(previous.maxTps, rate),
      last: facts.time,
    };
    return { start, counts };
  };
  return { hour: bucket('hour'), day: bucket('day'), week: bucket('week'), month: bucket('month') };
}

const emptyBucket: BucketCounts = { txs: 0, blocks: 0, active: 0, senders: 0, addresses: 0, fees: 0n, maxTps: 0, last: 0 };
