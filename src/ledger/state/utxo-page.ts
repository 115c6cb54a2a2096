import type { Address } from '../../base/bytes/address.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { aboveAnyOutput } from './output-number.ts';
import { ownerCount, type StoredUtxo, storedID, storedOwners } from './stored-utxo.ts';

/** Where a page ended and the next one begins; zero values mean the first page. */
export type OwnedUtxoCursor = { readonly address: Address; readonly utxoID: Id };

export type OwnedUtxoPage = { readonly utxos: readonly StoredUtxo[]; readonly end: OwnedUtxoCursor };

export type OwnedUtxoQuery = {
  /** Ascending, without duplicates. */
  readonly addresses: readonly Address[];
  readonly start: OwnedUtxoCursor;
  readonly limit: number;
};

/** A source of outputs by owner, newest first. A larger number is newer. */
export type OwnedUtxos = {
  /** Outputs of an address with a number less than `below`. */
  readonly rows: (address: Address, below: number, limit: number) => OwnedRow[];
  readonly bytesOf: (row: OwnedRow) => StoredUtxo;
  /** The position of an output, spent or not. */
  readonly findPosition: (utxoID: Id) => UtxoPosition | undefined;
  /** Called with the output at which a page ends: the next page begins by finding it. */
  readonly notePosition?: (utxoID: Id, seq: number) => void;
};

/** `bytes` is null if the output is large: see `ownerRowBytes`. */
export type OwnedRow = { readonly seq: number; readonly bytes: StoredUtxo | null };
export type UtxoPosition = { readonly seq: number; readonly bytes: StoredUtxo; readonly isSpent: boolean };

/** How outputs are divided into pages. AvalancheGo has different rules for a chain's own outputs and for those in shared memory. */
export type PagingRules = {
  /** The page begins with the cursor's output, not after it. */
  readonly includesCursor: boolean;
  /** If the cursor's output was spent, the page continues at its position; otherwise it starts again with the newest output of the address. */
  readonly continuesAfterSpent: boolean;
  /** An output of several requested addresses is listed once per page, or once in all pages (under the smallest address). */
  readonly deduplicate: 'per page' | 'across pages';
  /** The end cursor has the zero ID if its address has no outputs, instead of the ID of the address before. */
  readonly clearsEndCursor: boolean;
};

/**
 * `strict`: AvalancheGo's rules. `lenient`: rules under which paging returns every output exactly once.
 * AvalancheGo: vms/components/avax/utxo_fetching.go and utxo_state.go for `own`; chains/atomic/state.go, getKeys, for `atomic`.
 */
export const pagingRules = {
  strict: {
    own: { includesCursor: false, continuesAfterSpent: false, deduplicate: 'per page', clearsEndCursor: false },
    atomic: { includesCursor: true, continuesAfterSpent: false, deduplicate: 'per page', clearsEndCursor: true },
  },
  lenient: {
    own: { includesCursor: false, continuesAfterSpent: true, deduplicate: 'across pages', clearsEndCursor: false },
    atomic: { includesCursor: false, continuesAfterSpent: true, deduplicate: 'across pages', clearsEndCursor: true },
  },
} as const satisfies { [mode: string]: { own: PagingRules; atomic: PagingRules } };

/** After reading this many rows a page is returned even if it is not full; the next page continues at its cursor. */
const maxRowsRead = 65_536;

/** Reads one page of the unspent outputs of some addresses. */
export function readUtxoPage(source: OwnedUtxos, { addresses, start, limit }: OwnedUtxoQuery, rules: PagingRules): OwnedUtxoPage {
  const utxos: StoredUtxo[] = [];
  const isDuplicate = addresses.length > 1 ? createDuplicateCheck(source, addresses, rules) : undefined;
  let end = start;
  let rowsRead = 0;
  for (const address of addresses) {
    if (address < start.address) continue;
    const isCursorAddress = address === start.address;
    let below = (isCursorAddress ? findStart(source, start, rules) : undefined) ?? aboveAnyOutput;
    let last: OwnedRow | undefined;
    while (rowsRead < maxRowsRead && utxos.length < limit) {
      const wanted = limit - utxos.length;
      const rows = source.rows(address, below, wanted);
      for (const row of rows) if (isDuplicate?.(row, address) !== true) utxos.push(source.bytesOf(row));
      last = rows[rows.length - 1] ?? last;
      rowsRead += rows.length;
      if (last === undefined || rows.length < wanted) break;
      below = last.seq;
    }
    const before = rules.clearsEndCursor && !isCursorAddress ? zeroId : end.utxoID;
    end = { address, utxoID: last === undefined ? before : storedID(source.bytesOf(last)) };
    if (last !== undefined && utxos.length >= limit) source.notePosition?.(end.utxoID, last.seq);
    if (utxos.length >= limit || rowsRead >= maxRowsRead) break;
  }
  return { utxos, end };
}

/** Returns whether a row repeats an output that was or will be listed. Call it for each row once. */
function createDuplicateCheck(
  source: OwnedUtxos,
  addresses: readonly Address[],
  rules: PagingRules,
): (row: OwnedRow, address: Address) => boolean {
  const requested = new Set(addresses);
  const seen = new Set<number>();
  return (row, address) => {
    if (seen.size === seen.add(row.seq).size) return true;
    return rules.deduplicate === 'across pages' && address !== addresses[0] && hasSmallerOwner(source.bytesOf(row), address, requested);
  };
}

/** The number to start below. A cursor is ignored if its output does not belong to its address; AvalancheGo's end cursor can be such. */
function findStart(source: OwnedUtxos, start: OwnedUtxoCursor, rules: PagingRules): number | undefined {
  const position = source.findPosition(start.utxoID);
  if (position === undefined || (position.isSpent && !rules.continuesAfterSpent)) return undefined;
  if (!storedOwners(position.bytes).includes(start.address)) return undefined;
  return rules.includesCursor ? position.seq + 1 : position.seq;
}

/** Whether a smaller requested address also owns the output; it is then listed under that one. */
const hasSmallerOwner = (bytes: StoredUtxo, address: Address, requested: ReadonlySet<Address>): boolean =>
  ownerCount(bytes) > 1 && storedOwners(bytes).some((owner) => owner < address && requested.has(owner));
