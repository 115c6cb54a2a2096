import type { Address } from '../bytes/address.ts';
import { type Id, idText } from '../bytes/id.ts';
import { maxU64 } from '../bytes/octets.ts';
import { AvmError } from './avm-fault.ts';
import { createTextCache } from './text-cache.ts';

/** Sums kept by the state, one row per asset and lock time: what only this address may spend, and what it shares with others. */
export type BalanceRow = { readonly assetID: Id; readonly locktime: bigint; readonly own: bigint; readonly shared: bigint };

export type UtxoRefRow = { readonly txID: Id; readonly outputIndex: number };

export type BalanceReads = {
  readonly balances: (address: Address) => readonly BalanceRow[];
  /** Transfer outputs of one asset, newest first; without `partial` only those of one owner whose lock time is not after `now`. */
  readonly transferRefs: (address: Address, assetID: Id, partial: boolean, now: bigint) => readonly UtxoRefRow[];
  /** A number that changes whenever an output of the address appears or goes. */
  readonly changed: (address: Address) => number;
};

/** What counts: all with `partial`, else only what one owner alone can spend by now. Peer: vms/avm/service.go, GetBalance. */
const counted = (row: BalanceRow, partial: boolean, now: bigint): bigint =>
  partial ? row.own + row.shared : row.locktime <= now ? row.own : 0n;

/** Balances of every asset, ordered by asset; a sum past u64 stays at its end, as the peer's does. */
export function allBalances(reads: BalanceReads, address: Address, partial: boolean, now: bigint): Map<Id, bigint> {
  const sums = new Map<Id, bigint>();
  for (const row of reads.balances(address)) {
    const amount = counted(row, partial, now);
    if (amount > 0n) sums.set(row.assetID, (sums.get(row.assetID) ?? 0n) + amount);
  }
  for (const [assetID, sum] of sums) if (sum > maxU64) sums.set(assetID, maxU64);
  return sums;
}

/**
 * One asset's balance with every output it is made of, as JSON. The list may have thousands of entries and is asked for again
 * and again, so the text is kept until an output of the address appears or goes, or one of its lock times passes.
 */
export function createBalanceOf(reads: BalanceReads): (address: Address, assetID: Id, partial: boolean, now: bigint) => Uint8Array {
  const texts = createTextCache<Uint8Array>(8_000_000);
  return (address, assetID, partial, now) => {
    const key = `${address}${assetID}${partial}${reads.changed(address)}${partial ? '' : lastUnlock(reads, address, assetID, now)}`;
    return texts.of(key, () => Buffer.from(balanceText(reads, address, assetID, partial, now)));
  };
}

function balanceText(reads: BalanceReads, address: Address, assetID: Id, partial: boolean, now: bigint): string {
  let sum = 0n;
  for (const row of reads.balances(address)) if (row.assetID === assetID) sum += counted(row, partial, now);
  if (sum > maxU64) throw new AvmError('overflow', { code: 'AVM_BALANCE_OVERFLOW', assetID: idText(assetID) });
  const refs = reads.transferRefs(address, assetID, partial, now);
  const listed = refs.map((ref) => `{"txID":"${idText(ref.txID)}","outputIndex":${ref.outputIndex}}`);
  return `{"balance":"${sum}","utxoIDs":[${listed.join(',')}]}`;
}

/** The latest lock time that has passed: it changes exactly when a locked output becomes spendable. */
function lastUnlock(reads: BalanceReads, address: Address, assetID: Id, now: bigint): bigint {
  let last = 0n;
  for (const row of reads.balances(address)) if (row.assetID === assetID && row.locktime <= now && row.locktime > last) last = row.locktime;
  return last;
}
