import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import { addressBlob, idBlob } from '../index/blob.ts';
import { unitNames, unitStart } from '../index/calendar.ts';
import { isRight, sumFromBytes, sumToBytes } from '../index/output-amount.ts';
import { openShelf } from '../index/output-set.ts';
import type { SqlValue } from '../index/sql.ts';
import { ask, askTogether, type Query, type Steps } from '../index/steps.ts';
import { units } from '../index/tables.ts';
import { ownersOf } from '../state/balance.ts';
import type { NumberedUtxo } from '../state/utxo-table.ts';
import { ledgerChanges, type SupplyChange } from './block-facts.ts';
import { assetRow, holderRow } from './counter-rows.ts';
import { placingRows } from './output-set-rows.ts';
import { type AssetRow, assetStatOf, type BalanceRow, balanceName, type HolderRow, holderOf } from './previous-rows.ts';
import type { WriterQueries } from './writer-queries.ts';

/**
 * Outputs that no block tells of: they were there at block 0, so everything that was written since counts them too. Whoever reads as of an
 * earlier height sees them as well. No transaction is known for them, so they are no history and no activity.
 */
export function* writeOlder(q: WriterQueries, utxos: readonly NumberedUtxo[]): Steps<void> {
  const [begin] = yield* ask<{ time: number }>(q.times([0]));
  const time = begin?.time ?? 0;
  const { add, changes, supply } = ledgerChanges();
  const owners = new Set<Address>();
  for (const { utxo } of utxos) {
    add(utxo, 1n);
    for (const address of ownersOf(utxo)) owners.add(address);
  }
  const keys = [...changes.values()];
  const rows = yield* askTogether({
    holders: q.holders([...owners].map(addressBlob)),
    balances: q.allBalances(keys.flatMap((change, i) => [i, ...balanceName(change)])),
    assets: q.assets([...supply.keys()].map(idBlob)),
  });
  const placed = placingRows(utxos.map(({ utxo, seq }) => ({ utxo, seq, time, shelf: openShelf(utxo) })));
  const minters = utxos.flatMap(({ utxo, seq }) => (isRight(utxo.output) ? [idBlob(utxo.assetID), seq] : []));
  yield [
    ...q.addHolding(placed.holding),
    ...q.addAmount(placed.amount),
    ...q.addMinter(minters),
    ...q.putBalance(raisedBalances(keys, rows.balances as BalanceRow[])),
    ...seenEarlier(q, owners, new Map((rows.holders as HolderRow[]).map(holderOf)), time),
    ...q.putAsset(raisedSupplies(supply, new Map((rows.assets as AssetRow[]).map(assetStatOf)), time)),
  ];
}

type Changes = ReturnType<typeof ledgerChanges>['changes'];
type Change = Changes extends ReadonlyMap<string, infer C> ? C : never;

/** Every balance there ever was of these keys, and one at block 0. */
function raisedBalances(keys: readonly Change[], rows: readonly BalanceRow[]): SqlValue[] {
  const heights = keys.map(() => new Map([[0, { amount: 0n, count: 0, nfts: 0 }]]));
  for (const { n, height, amount, count, nfts } of rows) heights[n]?.set(height, { amount: sumFromBytes(amount), count, nfts });
  return keys.flatMap((change, n) =>
    [...(heights[n] ?? [])].flatMap(([height, { amount, count, nfts }]) => [
      ...balanceName(change),
      height,
      sumToBytes(amount + change.amount),
      count + change.count,
      nfts + change.nfts,
    ]),
  );
}

/** Whoever a later block had seen first is no newcomer of that hour, day, week and month any more. */
function seenEarlier(
  q: WriterQueries,
  owners: ReadonlySet<Address>,
  known: ReadonlyMap<Address, { first: number; seen: number; sent: number }>,
  time: number,
): Query[] {
  const rows: SqlValue[] = [];
  const fewer = new Map<string, SqlValue[]>();
  for (const address of owners) {
    const was = known.get(address);
    if (was !== undefined && was.first <= time) continue;
    rows.push(...holderRow(address, { first: time, seen: was?.seen ?? 0, sent: was?.sent ?? 0 }));
    if (was === undefined) continue;
    for (const unit of unitNames) {
      const start = unitStart(unit, was.first);
      const [count] = fewer.get(`${unit} ${start}`) ?? [0];
      fewer.set(`${unit} ${start}`, [Number(count) + 1, units[unit], start]);
    }
  }
  return [...q.putHolderFirst(rows), ...q.fewerAddresses([...fewer.values()].flat())];
}

function raisedSupplies(
  supply: ReadonlyMap<Id, SupplyChange>,
  known: ReadonlyMap<Id, ReturnType<typeof assetStatOf>[1]>,
  time: number,
): SqlValue[] {
  return [...supply].flatMap(([asset, { units, nfts }]) => {
    const was = known.get(asset) ?? { first: time, last: time, txs: 0, supply: 0n, nfts: 0 };
    return assetRow(asset, { ...was, first: Math.min(was.first, time), supply: was.supply + units, nfts: was.nfts + nfts });
  });
}
