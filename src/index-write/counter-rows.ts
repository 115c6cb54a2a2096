import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import { hourOf } from '../index/calendar.ts';
import { sumToBytes } from '../index/output-amount.ts';
import type { SqlValue } from '../index/sql.ts';
import { type Unit, units } from '../index/tables.ts';
import type { BalanceChange, BlockFacts } from './block-facts.ts';
import { type Before, balanceName } from './previous-rows.ts';
import {
  type AssetStat,
  assetsAfter,
  balancesAfter,
  type Holder,
  holdersAfter,
  isGenesis,
  type Pace,
  paceAfter,
  type Span,
  spansAfter,
} from './row-updates.ts';
import type { WriterCache } from './writer-cache.ts';

/** Rows of everything that is summed or counted, each a flat list of values in the order of the table's columns. */
export type CountedRows = {
  readonly balances: SqlValue[];
  /** Holders whose hours stay the same, and the others. */
  readonly holders: SqlValue[];
  readonly holderHours: SqlValue[];
  readonly assets: SqlValue[];
  readonly spans: SqlValue[];
  readonly seconds: SqlValue[];
};

/** Counts on from `before`, block after block; a row that several blocks change is given once, as the last one leaves it. */
export function countedRows(before: Before, facts: readonly BlockFacts[], memory: WriterCache): CountedRows {
  const holders = layer(before.holders);
  const balances = layer(before.balances);
  const assets = layer(before.assets);
  const spans = new Map(before.spans);
  const spanRows = new Map<string, SqlValue[]>();
  const rows: CountedRows = { balances: [], holders: [], holderHours: [], assets: [], spans: [], seconds: [] };
  let { pace } = before;
  for (const fact of facts) {
    if (!isGenesis(fact)) {
      const next = paceAfter(fact, pace);
      if (pace !== undefined && pace !== before.pace && pace.last.time !== next.last.time) rows.seconds.push(...secondRow(pace));
      pace = next;
      const current = (unit: Unit, start: number) => (spans.get(unit)?.start === start ? spans.get(unit)?.span : undefined);
      for (const [unit, { start, span }] of spansAfter(fact, pace.last.rate, holders.get, current)) {
        spans.set(unit, { start, span });
        spanRows.set(`${unit} ${start}`, spanRow(unit, start, span));
      }
    }
    holders.setAll(holdersAfter(fact, holders.get));
    assets.setAll(assetsAfter(fact, assets.get));
    const after = balancesAfter(fact, balances.get);
    balances.setAll(after);
    for (const [key, { amount, count, nfts }] of after)
      rows.balances.push(...balanceName(fact.changes.get(key) as BalanceChange), fact.height, sumToBytes(amount), count, nfts);
    memory.times.set(fact.height, fact.time);
  }
  if (pace !== undefined && pace !== before.pace) rows.seconds.push(...secondRow(pace));
  for (const row of spanRows.values()) rows.spans.push(...row);
  for (const [asset, stat] of assets.changed) rows.assets.push(...assetRow(asset, stat));
  for (const [address, holder] of holders.changed)
    (sameHours(before.holders.get(address), holder) ? rows.holders : rows.holderHours).push(...holderRow(address, holder));

  for (const [address, holder] of holders.changed) memory.holders.set(address, holder);
  for (const [key, held] of balances.changed) memory.balances.set(key, held);
  for (const [asset, stat] of assets.changed) memory.assets.set(asset, stat);
  for (const [unit, span] of spans) memory.spans.set(unit, span);
  memory.pace = pace;
  return rows;
}

/** Changes on top of what was before. */
function layer<K, V>(below: ReadonlyMap<K, V>) {
  const changed = new Map<K, V>();
  return {
    changed,
    get: (key: K): V | undefined => changed.get(key) ?? below.get(key),
    setAll: (entries: ReadonlyMap<K, V>): void => {
      for (const [key, value] of entries) changed.set(key, value);
    },
  };
}

const sameHours = (was: Holder | undefined, { seen, sent }: Holder): boolean =>
  was !== undefined && hourOf(was.seen) === hourOf(seen) && hourOf(was.sent) === hourOf(sent);

export const holderRow = (address: Address, { first, seen, sent }: Holder): SqlValue[] => [
  addressBlob(address),
  first,
  seen,
  hourOf(seen),
  sent,
  hourOf(sent),
];

export const assetRow = (asset: Id, { first, last, txs, supply, nfts }: AssetStat): SqlValue[] => [
  idBlob(asset),
  first,
  last,
  txs,
  sumToBytes(supply),
  nfts,
];

const spanRow = (unit: Unit, start: number, s: Span): SqlValue[] => [
  units[unit],
  start,
  s.txs,
  s.blocks,
  s.active,
  s.senders,
  s.addresses,
  sumToBytes(s.fees),
  s.maxTps,
  s.last,
];

const secondRow = ({ last: { time, txs, fees, rate } }: Pace): SqlValue[] => [time, txs, sumToBytes(fees), rate];
