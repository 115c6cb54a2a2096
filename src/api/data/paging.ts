import { type Id, idText } from '../../base/bytes/id.ts';
import type { IndexReads, PinnedBlock } from '../../ledger/index-read/index-reads.ts';
import { notFound } from '../rest/api-error.ts';
import type { Paging } from '../rest/route.ts';

/** Position in a list: the pinned block, and the last item of the previous page. */
type Listing = { readonly pin: PinnedBlock; readonly after: number | undefined };

/** Continues at the position in the page token; without a token starts at the last block. */
export async function openListing({ tip, pinAtHeight }: IndexReads, { cursor }: Paging): Promise<Listing> {
  const pin = cursor === undefined ? undefined : await pinAtHeight(cursor.height);
  return pin === undefined ? { pin: await tip(), after: undefined } : { pin, after: cursor?.after };
}

/**
 * Where a list of transactions begins: `after` is from its page token or the number of the transaction `afterTxHash`. `until` is the pinned block, whose last
 * transaction that is listed is the last one of the block `endBlock`.
 */
export async function openTxListing(
  reads: IndexReads,
  paging: Paging,
  { afterTxHash, endBlock }: { readonly afterTxHash: Id | undefined; readonly endBlock: number | undefined },
): Promise<Listing & { readonly until: PinnedBlock }> {
  const { pin, after } = await openListing(reads, paging);
  const end = endBlock === undefined || endBlock >= pin.height ? pin : await reads.pinAtHeight(endBlock);
  const until = { ...pin, lastTx: end?.lastTx ?? 0 };
  if (after !== undefined || afterTxHash === undefined) return { pin, after, until };
  const seq = await reads.txSeq(afterTxHash, pin);
  if (seq === undefined) throw notFound(`No accepted transaction ${idText(afterTxHash)}`);
  return { pin, after: seq, until };
}

type ListPage<T> = { readonly items: readonly T[]; readonly nextPageToken: string | undefined };

/** Makes a page from up to `limit + 1` rows: the extra row shows that there is a next page. */
export function cutPage<T>(
  rows: readonly T[],
  { pin }: Listing,
  {
    limit,
    seqOf,
    bytesOf,
    readTo,
    paging,
  }: {
    readonly limit: number;
    /** The number of a row: the page token has that of the last row. */
    readonly seqOf: (row: T) => number;
    /** Size of a row in bytes, for lists whose pages are limited by size. */
    readonly bytesOf?: (row: T) => number;
    /** Number of the row behind which the next page begins, if the list goes on although the page is not full. */
    readonly readTo?: number | undefined;
    readonly paging: Paging;
  },
): ListPage<T> {
  const size = bytesOf === undefined ? limit : countWithinBytes(rows, limit, bytesOf);
  const last = rows[size - 1];
  const isCut = rows.length > size && last !== undefined;
  const after = isCut ? seqOf(last) : readTo;
  const nextPageToken = after === undefined ? undefined : paging.nextPageToken({ height: pin.height, after });
  return { items: isCut ? rows.slice(0, size) : rows, nextPageToken };
}

/** Number of rows that fit in `maxPageBytes`, at least one: a transaction can have a thousand outputs, and an output a thousand owners. */
export function countWithinBytes<T>(rows: readonly T[], limit: number, bytesOf: (row: T) => number): number {
  let bytes = 0;
  const firstExcess = rows.findIndex((row) => {
    bytes += bytesOf(row);
    return bytes > maxPageBytes;
  });
  return firstExcess < 0 ? limit : Math.min(limit, Math.max(1, firstExcess));
}

/**
 * Limit for a page, in bytes as stored: of its outputs, or of its transactions (each counts with its outputs or itself, whichever is more). The
 * JSON of outputs is about eight times as long and takes about 50 ms to look up and write.
 */
export const maxPageBytes = 250_000;
