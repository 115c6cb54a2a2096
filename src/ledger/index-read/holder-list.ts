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
const maxRows = 12_000;

/** `floor`: no holder that is not in the list, and has not changed since, is above this row; undefined if the list has all holders. */
export type TopHolders = { readonly rows: Buffer; readonly floor: Buffer | undefined };

/** The columns of a balance; `amount` is null if there is no row. */
export type HolderRow = { readonly address: Uint8Array; readonly amount: Uint8Array | null; readonly nfts: number | null };

/** Collects the largest holders, in any order, in memory for about three lists. `floor`: holders below it are left out. `max`: for tests only. */
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
    addRow,
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

/** A list after some addresses have changed: `changed` has their balances now. */
export function updateTopHolders(
  { rows, floor }: TopHolders,
  addresses: ReadonlySet<Address>,
  changed: readonly HolderRow[],
  max?: number,
): TopHolders {
  const top = createTopHolders(floor, max);
  const hex = toHex(rows);
  for (let at = 0; at < rows.length; at += rowBytes)
    if (!addresses.has(hex.slice(2 * (at + addressAt), 2 * (at + rowBytes)) as Address)) top.addRow(rows.subarray(at, at + rowBytes));
  for (const row of changed) top.add(row);
  return top.list();
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

export const bytesOfHolders = ({ rows }: TopHolders): number => rows.length + 400;
