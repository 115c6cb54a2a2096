import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { amountFromBytes } from '../state/balance.ts';
import type { AssetHolder } from './explorer-reads.ts';

/*
 * The largest holders of an asset as bytes: one row after the other, largest first. A row is the amount (16 bytes), the number of NFTs (4) and
 * the address (20), so the order of the list is that of the bytes.
 */

const rowBytes = 40;
const addressAt = 20;

/** Rows that a list has at most. */
export const maxRows = 12_000;

/** Rows of a list that the cache takes: no entry may have more than a quarter of its bytes. */
export const maxCachedRows = (cacheBytes: number): number =>
  Math.max(1, Math.min(maxRows, Math.floor((cacheBytes / 4 - listOverhead) / rowBytes)));

/** `floor`: no holder that is not in the list, and has not changed since, is above this row; undefined if the list has all holders. */
export type TopHolders = { readonly rows: Buffer; readonly floor: Buffer | undefined };

/** The columns of a balance; `amount` is null if there is no row. */
export type HolderRow = { readonly address: Uint8Array; readonly amount: Uint8Array | null; readonly nfts: number | null };

/** Collects the largest holders, in any order, in memory for about three lists. `floor`: holders below it are left out. */
export function createTopHolders(floor?: Buffer, max = maxRows) {
  let kept: Buffer[] = [];
  let lowest = floor;
  const cut = (): void => {
    kept.sort((a, b) => Buffer.compare(b, a));
    if (kept.length <= max) return;
    lowest = kept[max - 1];
    kept = kept.slice(0, max);
  };
  const addRow = (row: Buffer): void => {
    if (lowest !== undefined && Buffer.compare(row, lowest) < 0) return;
    kept.push(row);
    if (kept.length >= 3 * max) cut();
  };
  return {
    add: ({ address, amount, nfts }: HolderRow): void => {
      if (amount === null || (amount.length === 0 && !nfts)) return;
      const row = Buffer.alloc(rowBytes);
      row.set(amount, 16 - amount.length);
      row.writeUInt32BE(nfts ?? 0, 16);
      row.set(address, addressAt);
      addRow(row);
    },
    list: (): TopHolders => {
      cut();
      return { rows: Buffer.concat(kept), floor: lowest };
    },
  };
}

/** A list after some addresses have changed: `changed` has their balances now. Merges two sorted lists, which takes a third of sorting again. */
export function updateTopHolders(
  { rows, floor }: TopHolders,
  addresses: ReadonlySet<Address>,
  changed: readonly HolderRow[],
  max = maxRows,
): TopHolders {
  const fresh = createTopHolders(floor, max);
  for (const row of changed) fresh.add(row);
  const added = fresh.list();
  const hex = toHex(rows);
  const merged = Buffer.allocUnsafe(rows.length + added.rows.length);
  let [end, next] = [0, 0];
  const addUntil = (row: Buffer | undefined): void => {
    for (; next < added.rows.length; next += rowBytes) {
      const candidate = added.rows.subarray(next, next + rowBytes);
      if (row !== undefined && Buffer.compare(candidate, row) < 0) return;
      end += candidate.copy(merged, end);
    }
  };
  for (let at = 0; at < rows.length; at += rowBytes) {
    if (addresses.has(hex.slice(2 * (at + addressAt), 2 * (at + rowBytes)) as Address)) continue;
    const row = rows.subarray(at, at + rowBytes);
    addUntil(row);
    end += row.copy(merged, end);
  }
  addUntil(undefined);
  const kept = merged.subarray(0, Math.min(end, max * rowBytes));
  return { rows: kept, floor: end > kept.length ? kept.subarray(-rowBytes) : added.floor };
}

const countOf = ({ rows }: TopHolders): number => rows.length / rowBytes;

/** Whether the list has the first `count` holders. */
export const hasFirst = (list: TopHolders, count: number): boolean => list.floor === undefined || countOf(list) >= count;

export function readTopHolders({ rows }: TopHolders, offset: number, limit: number): AssetHolder[] {
  const holders: AssetHolder[] = [];
  for (let at = offset * rowBytes; at < rows.length && holders.length < limit; at += rowBytes) {
    const row = rows.subarray(at, at + rowBytes);
    holders.push({
      address: toHex(row.subarray(addressAt)) as Address,
      amount: amountFromBytes(row.subarray(0, 16)),
      nfts: row.readUInt32BE(16),
    });
  }
  return holders;
}

export const bytesOfHolders = ({ rows }: TopHolders): number => rows.length + listOverhead;

const listOverhead = 400;
