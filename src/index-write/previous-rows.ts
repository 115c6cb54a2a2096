import type { Address } from '../bytes/address.ts';
import { toHex } from '../bytes/hex.ts';
import type { Id } from '../bytes/id.ts';
import { addressBlob, idBlob, u64Blob } from '../index/blob.ts';
import { unitNames, unitStart } from '../index/calendar.ts';
import { sumFromBytes } from '../index/output-amount.ts';
import { askTogether, type Steps } from '../index/steps.ts';
import { type Unit, units } from '../index/tables.ts';
import type { BalanceChange, BlockFacts, NewInIndex } from './block-facts.ts';
import { type AssetStat, type Held, type Holder, isGenesis, type Pace, type Span } from './row-updates.ts';
import type { WriterCache } from './writer-cache.ts';
import type { WriterQueries } from './writer-queries.ts';

/** Rows as they are before some blocks, of all that the blocks change. */
export type Before = {
  readonly holders: ReadonlyMap<Address, Holder>;
  readonly balances: ReadonlyMap<string, Held>;
  readonly assets: ReadonlyMap<Id, AssetStat>;
  /** Times of the blocks that made what these consume, and of these, by height. */
  readonly times: ReadonlyMap<number, number>;
  readonly spans: ReadonlyMap<Unit, { readonly start: number; readonly span: Span }>;
  readonly pace: Pace | undefined;
};

/** Every row is read at most once, and not at all if it is remembered. */
export function* readBefore(
  q: WriterQueries,
  memory: WriterCache,
  blocks: readonly NewInIndex[],
  facts: readonly BlockFacts[],
): Steps<Before> {
  const holders = new Map<Address, Holder>();
  const balances = new Map<string, Held>();
  const assets = new Map<Id, AssetStat>();
  const times = new Map<number, number>();
  const unknown = {
    holders: new Set<Address>(),
    balances: new Map<string, BalanceChange>(),
    assets: new Set<Id>(),
    times: new Set<number>(),
  };
  for (const fact of facts) {
    for (const address of fact.involved) recall(memory.holders.get(address), holders, unknown.holders, address);
    for (const [key, change] of fact.changes) {
      const held = memory.balances.get(key);
      if (held !== undefined) balances.set(key, held);
      else unknown.balances.set(key, change);
    }
    for (const { assets: touched } of fact.txs)
      for (const asset of touched) recall(memory.assets.get(asset), assets, unknown.assets, asset);
  }
  for (const { block, consumed } of blocks) {
    times.set(Number(block.height), Number(block.time));
    for (const { height } of consumed) if (!times.has(height)) recall(memory.times.get(height), times, unknown.times, height);
  }
  // Later blocks of the batch can only begin new spans: time does not go back.
  const since = facts.find((fact) => !isGenesis(fact));
  const spansThen = unitNames.map((unit) => ({ unit, start: unitStart(unit, since?.time ?? 0) }));
  const missing = since === undefined ? [] : spansThen.filter(({ unit, start }) => memory.spans.get(unit)?.start !== start);
  const keys = [...unknown.balances.keys()];
  const rows = yield* askTogether({
    holders: q.holders([...unknown.holders].map(addressBlob)),
    balances: q.newestBalances([...unknown.balances.values()].flatMap((change, i) => [i, ...balanceName(change)])),
    assets: q.assets([...unknown.assets].map(idBlob)),
    times: q.times([...unknown.times]),
    spans: q.spans(missing.flatMap(({ unit, start }) => [units[unit], start])),
    seconds: memory.pace === undefined && since !== undefined ? [q.lastSeconds] : [],
  });
  for (const row of rows.holders as HolderRow[]) holders.set(...holderOf(row));
  for (const { n, amount, count, nfts } of rows.balances as BalanceRow[])
    balances.set(keys[n] as string, { amount: sumFromBytes(amount), count, nfts });
  for (const row of rows.assets as AssetRow[]) assets.set(...assetStatOf(row));
  for (const { height, time } of rows.times as { height: number; time: number }[]) {
    times.set(height, time);
    memory.times.set(height, time);
  }
  const spans = new Map(memory.spans);
  for (const { unit, start, fees, max_tps, ...span } of rows.spans as SpanRow[])
    spans.set(unitNames[unit] as Unit, { start, span: { ...span, fees: sumFromBytes(fees), maxTps: max_tps } });
  const [last, previous] = rows.seconds as SecondRow[];
  const pace = last === undefined ? memory.pace : { last: { ...last, fees: sumFromBytes(last.fees) }, before: previous?.time };
  return { holders, balances, assets, times, spans, pace };
}

function recall<K, V>(remembered: V | undefined, known: Map<K, V>, unknown: Set<K>, key: K): void {
  if (remembered === undefined) unknown.add(key);
  else known.set(key, remembered);
}

export const balanceName = ({ address, asset, locktime }: Pick<BalanceChange, 'address' | 'asset' | 'locktime'>) =>
  [addressBlob(address), idBlob(asset), u64Blob(locktime)] as const;

export const holderOf = ({ address, first, seen, sent }: HolderRow): [Address, Holder] => [
  toHex(address) as Address,
  { first, seen, sent },
];

export const assetStatOf = ({ asset, first, last, txs, supply, nfts }: AssetRow): [Id, AssetStat] => [
  toHex(asset) as Id,
  { first, last, txs, supply: sumFromBytes(supply), nfts },
];

export type HolderRow = Holder & { readonly address: Uint8Array };
export type BalanceRow = {
  readonly n: number;
  readonly height: number;
  readonly amount: Uint8Array;
  readonly count: number;
  readonly nfts: number;
};
export type AssetRow = Omit<AssetStat, 'supply'> & { readonly asset: Uint8Array; readonly supply: Uint8Array };
type SecondRow = { readonly time: number; readonly txs: number; readonly fees: Uint8Array; readonly rate: number };
type SpanRow = Omit<Span, 'fees' | 'maxTps'> & {
  readonly unit: number;
  readonly start: number;
  readonly fees: Uint8Array;
  readonly max_tps: number;
};
