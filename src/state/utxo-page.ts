import type { Address } from '../bytes/address.ts';
import { type Id, zeroId } from '../bytes/id.ts';
import { ownerCount, type StoredUtxo, storedID, storedOwners } from './stored-utxo.ts';

/** Where a page ended, and where the next one goes on: zero values are the very beginning. */
export type UtxoCursor = { readonly address: Address; readonly utxoID: Id };

export type UtxoPage = { readonly utxos: readonly StoredUtxo[]; readonly end: UtxoCursor };

export type PageQuery = {
  /** Ascending, without repeats. */
  readonly addresses: readonly Address[];
  readonly start: UtxoCursor;
  readonly limit: number;
};

/** Outputs by owner, newest first; a larger number is newer. */
export type OwnedUtxos = {
  /** Those of one address that are older than `below`. */
  readonly rows: (address: Address, below: number, limit: number) => OwnedRow[];
  readonly bytesOf: (row: OwnedRow) => StoredUtxo;
  /** Where an output stands or stood. */
  readonly place: (utxoID: Id) => Place | undefined;
};

/** Without bytes where the output is large: it may have thousands of owners, and each would hold a copy. */
export type OwnedRow = { readonly seq: number; readonly bytes: StoredUtxo | null };
export type Place = { readonly seq: number; readonly bytes: StoredUtxo; readonly gone: boolean };

/** How pages are cut. The peer has one manner for a chain's own outputs and another for those in shared memory; each row is one. */
export type PagingRules = {
  /** The cursor's own output comes again. */
  readonly inclusive: boolean;
  /** A cursor whose output is gone keeps its place; otherwise the address starts over from its newest. */
  readonly keepsPlace: boolean;
  /** An output of several asked addresses is listed once in a page, or once in all of them: under the smallest address. */
  readonly listedOnce: 'in a page' | 'in all pages';
  /** An address with nothing to show leaves no output in the end cursor. */
  readonly clearsEnd: boolean;
};

/** Peer: vms/components/avax/utxo_fetching.go and utxo_state.go for `own`; chains/atomic/state.go, getKeys, for `atomic`. */
export const pagingRules = {
  strict: {
    own: { inclusive: false, keepsPlace: false, listedOnce: 'in a page', clearsEnd: false },
    atomic: { inclusive: true, keepsPlace: false, listedOnce: 'in a page', clearsEnd: true },
  },
  kind: {
    own: { inclusive: false, keepsPlace: true, listedOnce: 'in all pages', clearsEnd: false },
    atomic: { inclusive: false, keepsPlace: true, listedOnce: 'in all pages', clearsEnd: true },
  },
} as const satisfies { [manner: string]: { own: PagingRules; atomic: PagingRules } };

/** A page that had to skip this many entries comes back short: its cursor goes on from there. */
const maxLooked = 65_536;

const newest = Number.MAX_SAFE_INTEGER;

export function utxoPage(source: OwnedUtxos, { addresses, start, limit }: PageQuery, manner: PagingRules): UtxoPage {
  const utxos: StoredUtxo[] = [];
  const several = addresses.length > 1;
  const asked = new Set(addresses);
  const seen = new Set<number>();
  const isListed = (row: OwnedRow, address: Address): boolean => {
    if (!several) return false;
    if (seen.size === seen.add(row.seq).size) return true;
    return manner.listedOnce === 'in all pages' && address !== addresses[0] && hasSmallerOwner(source.bytesOf(row), address, asked);
  };
  let end = start;
  let looked = 0;
  for (const address of addresses) {
    if (address < start.address) continue;
    const atStart = address === start.address;
    let below = (atStart ? placeOf(source, start, manner) : undefined) ?? newest;
    let last: OwnedRow | undefined;
    while (looked < maxLooked && utxos.length < limit) {
      const wanted = limit - utxos.length;
      const rows = source.rows(address, below, wanted);
      for (const row of rows) if (!isListed(row, address)) utxos.push(source.bytesOf(row));
      last = rows[rows.length - 1] ?? last;
      looked += rows.length;
      if (last === undefined || rows.length < wanted) break;
      below = last.seq;
    }
    const before = manner.clearsEnd && !atStart ? zeroId : end.utxoID;
    end = { address, utxoID: last === undefined ? before : storedID(source.bytesOf(last)) };
    if (utxos.length >= limit || looked >= maxLooked) break;
  }
  return { utxos, end };
}

/** A cursor counts only if its output belongs to its address; the peer's end cursor may carry another address's. */
function placeOf(source: OwnedUtxos, start: UtxoCursor, manner: PagingRules): number | undefined {
  const place = source.place(start.utxoID);
  if (place === undefined || (place.gone && !manner.keepsPlace)) return undefined;
  if (!storedOwners(place.bytes).includes(start.address)) return undefined;
  return manner.inclusive ? place.seq + 1 : place.seq;
}

/** An output of several asked addresses was or will be listed under the smallest of them. */
const hasSmallerOwner = (bytes: StoredUtxo, address: Address, asked: ReadonlySet<Address>): boolean =>
  ownerCount(bytes) > 1 && storedOwners(bytes).some((owner) => owner < address && asked.has(owner));
