import type { Address } from '../../src/base/bytes/address.ts';
import type { Id } from '../../src/base/bytes/id.ts';
import type { IndexSpec } from '../../src/ledger/index-write/block-writer.ts';
import type { ModelBlock, ModelOutput } from './chain-model.ts';
import {
  addressesOfTx,
  assetsOfTx,
  bucketStartByUnit,
  burnedInTx,
  holderRowText,
  nftCount,
  type SeenTimes,
  sendersOfTx,
  sumHex,
  unitsIn,
} from './expected-rows.ts';

/** Counts that are updated block by block, so that a block can be checked without summing up all earlier blocks. */
export function createRunningCounts({ feeAsset }: IndexSpec) {
  const seenTimes = new Map<Address, SeenTimes>();
  const assets = new Map<Id, { first: number; last: number; txs: number; supply: bigint; nfts: number }>();
  const minutes = new Map<number, { txs: number; fees: bigint; maxTps: number }>();
  let second = { txs: 0, since: 0 };
  const buckets = bucketStartByUnit.map(() => new Map<number, RunningBucket>());
  let lastTime: number | undefined;

  const assetAt = (asset: Id, time: number) => {
    const stat = assets.get(asset) ?? { first: time, last: time, txs: 0, supply: 0n, nfts: 0 };
    assets.set(asset, stat);
    return stat;
  };

  const countBlock = (block: ModelBlock): void => {
    const { time } = block;
    if (lastTime !== time) second = { txs: 0, since: lastTime ?? time - 1 };
    lastTime = time;
    second.txs += block.txs.length;
    const minute = minutes.get(time - (time % 60)) ?? { txs: 0, fees: 0n, maxTps: 0 };
    minutes.set(time - (time % 60), minute);
    minute.txs += block.txs.length;
    for (const tx of block.txs) minute.fees += burnedInTx(tx, feeAsset);
    minute.maxTps = Math.max(minute.maxTps, second.txs / (time - second.since));
    for (const [unit, startOf] of bucketStartByUnit.entries()) {
      const start = startOf(time);
      const bucket = buckets[unit]?.get(start) ?? emptyBucket();
      buckets[unit]?.set(start, bucket);
      bucket.blocks++;
      bucket.last = time;
      bucket.maxTps = Math.max(bucket.maxTps, second.txs / (time - second.since));
      for (const tx of block.txs) {
        bucket.txs++;
        bucket.fees += burnedInTx(tx, feeAsset);
        for (const address of sendersOfTx(tx)) bucket.senders.add(address);
        for (const address of addressesOfTx(tx)) {
          bucket.active.add(address);
          if (!seenTimes.has(address)) bucket.newAddresses.add(address);
        }
      }
    }
  };

  return {
    addBlock: (block: ModelBlock): void => {
      if (block.height > 0) countBlock(block);
      for (const tx of block.txs) {
        const senders = sendersOfTx(tx);
        for (const address of addressesOfTx(tx)) {
          const times = seenTimes.get(address) ?? { first: block.time, seen: 0, sent: 0, isNew: block.height > 0 };
          seenTimes.set(address, times);
          if (block.height > 0) times.seen = block.time;
          if (block.height > 0 && senders.has(address)) times.sent = block.time;
        }
        for (const asset of assetsOfTx(tx)) {
          const stat = assetAt(asset, block.time);
          stat.last = block.time;
          stat.txs++;
        }
        for (const [sign, utxos] of [
          [1, tx.created],
          [-1, tx.consumed],
        ] as const)
          for (const utxo of utxos) {
            const stat = assetAt(utxo.assetID, block.time);
            stat.supply += BigInt(sign) * unitsIn(utxo);
            stat.nfts += sign * nftCount(utxo);
          }
      }
    },
    addPreLinearization: ({ utxo, time }: ModelOutput): void => {
      for (const address of utxo.output.addresses) {
        for (const bucket of buckets.flatMap((starts) => [...starts.values()])) bucket.newAddresses.delete(address);
        seenTimes.set(address, { ...(seenTimes.get(address) ?? { seen: 0, sent: 0 }), first: time, isNew: false });
      }
      const stat = assetAt(utxo.assetID, time);
      stat.first = Math.min(stat.first, time);
      stat.supply += unitsIn(utxo);
      stat.nfts += nftCount(utxo);
    },
    /** The expected rows, as texts in the form of expected-rows.ts: one or none. */
    holderRows: (address: Address): string[] => {
      const times = seenTimes.get(address);
      return times === undefined ? [] : [holderRowText(address, times)];
    },
    assetRows: (asset: Id): string[] => {
      const stat = assets.get(asset);
      return stat === undefined ? [] : [`${asset} ${stat.first} ${stat.last} ${stat.txs} ${sumHex(stat.supply)} ${stat.nfts}`];
    },
    minuteRows: (time: number): string[] => {
      const start = time - (time % 60);
      const minute = minutes.get(start);
      return minute === undefined ? [] : [`${start} ${minute.txs} ${sumHex(minute.fees)} ${minute.maxTps}`];
    },
    bucketRows: (unit: number, time: number): string[] => {
      const start = bucketStartByUnit[unit]?.(time) ?? 0;
      const bucket = buckets[unit]?.get(start);
      if (bucket === undefined) return [];
      const { txs, blocks, active, senders, newAddresses, fees, maxTps, last } = bucket;
      return [`${unit} ${start} ${txs} ${blocks} ${active.size} ${senders.size} ${newAddresses.size} ${sumHex(fees)} ${maxTps} ${last}`];
    },
  };
}

type RunningBucket = {
  txs: number;
  blocks: number;
  fees: bigint;
  maxTps: number;
  last: number;
  readonly active: Set<Address>;
  readonly senders: Set<Address>;
  readonly newAddresses: Set<Address>;
};

const emptyBucket = (): RunningBucket => ({
  txs: 0,
  blocks: 0,
  fees: 0n,
  maxTps: 0,
  last: 0,
  active: new Set(),
  senders: new Set(),
  newAddresses: new Set(),
});
