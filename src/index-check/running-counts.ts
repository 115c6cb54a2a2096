import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import type { IndexSpec } from '../index-write/block-writer.ts';
import type { ModelBlock, ModelOutput } from './chain-model.ts';
import { assetsIn, burned, holderText, involvedIn, type Presence, sendersOf, single, startsOf, units, wide } from './expected-rows.ts';

/** Counts that go along with a chain, so that a block can be checked without summing up all the ones before it. */
export function runningCounts({ feeAsset }: IndexSpec) {
  const presences = new Map<Address, Presence>();
  const assets = new Map<Id, { first: number; last: number; txs: number; supply: bigint; nfts: number }>();
  const seconds = new Map<number, { txs: number; fees: bigint; since: number }>();
  const spans = startsOf.map(() => new Map<number, Span>());
  let lastTime: number | undefined;

  const assetAt = (asset: Id, time: number) => {
    const known = assets.get(asset) ?? { first: time, last: time, txs: 0, supply: 0n, nfts: 0 };
    assets.set(asset, known);
    return known;
  };

  const count = (block: ModelBlock): void => {
    const { time } = block;
    if (lastTime !== time) seconds.set(time, { txs: 0, fees: 0n, since: lastTime ?? time - 1 });
    lastTime = time;
    const second = seconds.get(time) as { txs: number; fees: bigint; since: number };
    for (const tx of block.txs) {
      second.txs++;
      second.fees += burned(tx, feeAsset);
    }
    for (const [unit, startOf] of startsOf.entries()) {
      const start = startOf(time);
      const span = spans[unit]?.get(start) ?? newSpan();
      spans[unit]?.set(start, span);
      span.blocks++;
      span.last = time;
      span.maxTps = Math.max(span.maxTps, second.txs / (time - second.since));
      for (const tx of block.txs) {
        span.txs++;
        span.fees += burned(tx, feeAsset);
        for (const address of sendersOf(tx)) span.senders.add(address);
        for (const address of involvedIn(tx)) {
          span.active.add(address);
          if (!presences.has(address)) span.fresh.add(address);
        }
      }
    }
  };

  return {
    presences,
    addBlock: (block: ModelBlock): void => {
      if (block.height > 0) count(block);
      for (const tx of block.txs) {
        const senders = sendersOf(tx);
        for (const address of involvedIn(tx)) {
          const presence = presences.get(address) ?? { first: block.time, seen: 0, sent: 0, isNew: block.height > 0 };
          presences.set(address, presence);
          if (block.height > 0) presence.seen = block.time;
          if (block.height > 0 && senders.has(address)) presence.sent = block.time;
        }
        for (const asset of assetsIn(tx)) {
          const stat = assetAt(asset, block.time);
          stat.last = block.time;
          stat.txs++;
        }
        for (const [sign, utxos] of [
          [1, tx.emitted],
          [-1, tx.consumed],
        ] as const)
          for (const utxo of utxos) {
            const stat = assetAt(utxo.assetID, block.time);
            stat.supply += BigInt(sign) * units(utxo);
            stat.nfts += sign * single(utxo);
          }
      }
    },
    addOlder: ({ utxo, time }: ModelOutput): void => {
      for (const address of utxo.output.addresses) {
        for (const span of spans.flatMap((starts) => [...starts.values()])) span.fresh.delete(address);
        presences.set(address, { ...(presences.get(address) ?? { seen: 0, sent: 0 }), first: time, isNew: false });
      }
      const stat = assetAt(utxo.assetID, time);
      stat.first = Math.min(stat.first, time);
      stat.supply += units(utxo);
      stat.nfts += single(utxo);
    },
    holder: (address: Address): string[] => {
      const presence = presences.get(address);
      return presence === undefined ? [] : [holderText(address, presence)];
    },
    asset: (asset: Id): string[] => {
      const stat = assets.get(asset);
      return stat === undefined ? [] : [`${asset} ${stat.first} ${stat.last} ${stat.txs} ${wide(stat.supply)} ${stat.nfts}`];
    },
    second: (time: number): string[] => {
      const second = seconds.get(time);
      return second === undefined ? [] : [`${time} ${second.txs} ${wide(second.fees)} ${second.txs / (time - second.since)}`];
    },
    span: (unit: number, time: number): string[] => {
      const start = startsOf[unit]?.(time) ?? 0;
      const s = spans[unit]?.get(start);
      if (s === undefined) return [];
      return [
        `${unit} ${start} ${s.txs} ${s.blocks} ${s.active.size} ${s.senders.size} ${s.fresh.size} ${wide(s.fees)} ${s.maxTps} ${s.last}`,
      ];
    },
  };
}

type Span = {
  txs: number;
  blocks: number;
  fees: bigint;
  maxTps: number;
  last: number;
  readonly active: Set<Address>;
  readonly senders: Set<Address>;
  readonly fresh: Set<Address>;
};

const newSpan = (): Span => ({ txs: 0, blocks: 0, fees: 0n, maxTps: 0, last: 0, active: new Set(), senders: new Set(), fresh: new Set() });
