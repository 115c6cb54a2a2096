import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import { unitNames, unitStart } from '../index/calendar.ts';
import type { SpanEntry } from '../index/span.ts';
import type { Unit } from '../index/tables.ts';
import type { BlockFacts } from './block-facts.ts';

/** Rows of the index as the writer thinks of them. Each function below tells them after a block from how they were before it. */
export type Holder = {
  readonly first: number;
  /** Last block that named the address, and last one that consumed an output of it; 0 for never, as with one that only the genesis names. */
  readonly seen: number;
  readonly sent: number;
};
export type Held = { readonly amount: bigint; readonly count: number; readonly nfts: number };
export type AssetStat = {
  readonly first: number;
  readonly last: number;
  readonly txs: number;
  readonly supply: bigint;
  readonly nfts: number;
};
export type Second = { readonly time: number; readonly txs: number; readonly fees: bigint; readonly rate: number };
/** The last second that has blocks, and the time of the one before it. */
export type Pace = { readonly last: Second; readonly before: number | undefined };
export type Span = Omit<SpanEntry, 'start'>;

/** Block 0 holds what was there before the first block. It is history, but no activity: nothing of it is counted in time. */
export const isGenesis = ({ height }: Pick<BlockFacts, 'height'>): boolean => height === 0;

export function holdersAfter(facts: BlockFacts, before: (address: Address) => Holder | undefined): Map<Address, Holder> {
  const after = new Map<Address, Holder>();
  const { time, senders } = facts;
  const seen = isGenesis(facts) ? 0 : time;
  for (const address of facts.involved) {
    const was = before(address);
    const sent = senders.has(address) ? seen : (was?.sent ?? 0);
    if (was?.seen !== seen || was.sent !== sent) after.set(address, { first: was?.first ?? time, seen, sent });
  }
  return after;
}

export function balancesAfter(facts: BlockFacts, before: (key: string) => Held | undefined): Map<string, Held> {
  const after = new Map<string, Held>();
  for (const [key, { amount, count, nfts }] of facts.changes) {
    if (amount === 0n && count === 0 && nfts === 0) continue;
    const was = before(key);
    after.set(key, { amount: (was?.amount ?? 0n) + amount, count: (was?.count ?? 0) + count, nfts: (was?.nfts ?? 0) + nfts });
  }
  return after;
}

export function assetsAfter(facts: BlockFacts, before: (asset: Id) => AssetStat | undefined): Map<Id, AssetStat> {
  const counts = new Map<Id, number>();
  for (const { assets } of facts.txs) for (const asset of assets) counts.set(asset, (counts.get(asset) ?? 0) + 1);
  const after = new Map<Id, AssetStat>();
  for (const [asset, count] of counts) {
    const was = before(asset);
    const change = facts.supply.get(asset);
    after.set(asset, {
      first: was?.first ?? facts.time,
      last: facts.time,
      txs: (was?.txs ?? 0) + count,
      supply: (was?.supply ?? 0n) + (change?.units ?? 0n),
      nfts: (was?.nfts ?? 0) + (change?.nfts ?? 0),
    });
  }
  return after;
}

/** A second grows block by block, and its rate with it. The very first one has nothing before it: it counts as one second long. */
export function paceAfter({ time, txs, burned }: BlockFacts, before: Pace | undefined): Pace {
  const same = before?.last.time === time;
  const previous = same ? before.before : before?.last.time;
  const count = txs.length + (same ? before.last.txs : 0);
  const fees = burned + (same ? before.last.fees : 0n);
  return { last: { time, txs: count, fees, rate: count / (previous === undefined ? 1 : time - previous) }, before: previous };
}

/** The hour, day, week and month of a block; the holders are as they were before it: so nobody counts twice in one of them. */
export function spansAfter(
  facts: BlockFacts,
  rate: number,
  holder: (address: Address) => Holder | undefined,
  before: (unit: Unit, start: number) => Span | undefined,
): Map<Unit, { readonly start: number; readonly span: Span }> {
  const starts = unitNames.map((unit) => unitStart(unit, facts.time));
  const active = starts.map(() => 0);
  const senders = starts.map(() => 0);
  let fresh = 0;
  for (const address of facts.involved) {
    const was = holder(address);
    const sends = facts.senders.has(address);
    if (was === undefined) fresh++;
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i] as number;
      if (was === undefined || was.seen < start) active[i] = (active[i] as number) + 1;
      if (sends && (was === undefined || was.sent < start)) senders[i] = (senders[i] as number) + 1;
    }
  }
  const after = new Map<Unit, { start: number; span: Span }>();
  for (const [i, unit] of unitNames.entries()) {
    const start = starts[i] as number;
    const was = before(unit, start) ?? noSpan;
    const span = {
      txs: was.txs + facts.txs.length,
      blocks: was.blocks + 1,
      active: was.active + (active[i] as number),
      senders: was.senders + (senders[i] as number),
      addresses: was.addresses + fresh,
      fees: was.fees + facts.burned,
      maxTps: Math.max(was.maxTps, rate),
      last: facts.time,
    };
    after.set(unit, { start, span });
  }
  return after;
}

const noSpan: Span = { txs: 0, blocks: 0, active: 0, senders: 0, addresses: 0, fees: 0n, maxTps: 0, last: 0 };
