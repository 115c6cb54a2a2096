import { pageSize, pageToken } from '../api/params.ts';
import type { Pages } from '../api/route.ts';
import type { IndexReads, Pin } from '../index/reads.ts';

/** How most lists are paged. */
export const pageParams = { pageToken, pageSize: pageSize(10, 100) };

/** A listing under way: the block at which it began, and the last item that was given. */
export type Listing = { readonly pin: Pin; readonly after: number | undefined };

/** Goes on where the token says, else begins at the last block. */
export async function listingOf({ tip, pinAt }: IndexReads, { asked }: Pages): Promise<Listing> {
  const pin = asked === undefined ? undefined : await pinAt(asked.height);
  return pin === undefined ? { pin: await tip(), after: undefined } : { pin, after: asked?.after };
}

/** Of one row more than a page takes: the page, and a token if something follows. */
export function pageOf<T>(
  rows: readonly T[],
  { pin }: Listing,
  { limit, numberOf, pages }: { readonly limit: number; readonly numberOf: (row: T) => number; readonly pages: Pages },
): { readonly items: readonly T[]; readonly nextPageToken: string | undefined } {
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { items: rows, nextPageToken: undefined };
  return { items: rows.slice(0, limit), nextPageToken: pages.next({ height: pin.height, after: numberOf(last) }) };
}
