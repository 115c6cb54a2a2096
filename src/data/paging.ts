import { pageSize, pageToken } from '../api/params.ts';
import type { Pages } from '../api/route.ts';
import type { IndexReads, OutputEntry, Pin } from '../index-read/index-reads.ts';

/** How most lists are paged. */
export const pageParams = { pageToken, pageSize: pageSize(10, 100) };

/** A listing under way: the block at which it began, and the last item that was given. */
export type Listing = { readonly pin: Pin; readonly after: number | undefined };

/** Goes on where the token says, else begins at the last block. */
export async function listingOf({ tip, pinAt }: IndexReads, { asked }: Pages): Promise<Listing> {
  const pin = asked === undefined ? undefined : await pinAt(asked.height);
  return pin === undefined ? { pin: await tip(), after: undefined } : { pin, after: asked?.after };
}

export type PageTerms<T> = {
  readonly limit: number;
  readonly numberOf: (row: T) => number;
  /** Bytes of what it shows; without it all are alike. */
  readonly weightOf?: (row: T) => number;
  readonly pages: Pages;
};

export type Page<T> = { readonly items: readonly T[]; readonly nextPageToken: string | undefined };

/** Of one row more than a page takes: the page, and a token if something follows. */
export function pageOf<T>(rows: readonly T[], { pin }: Listing, { limit, numberOf, weightOf, pages }: PageTerms<T>): Page<T> {
  const size = weightOf === undefined ? limit : bearable(rows, limit, weightOf);
  const last = rows[size - 1];
  if (rows.length <= size || last === undefined) return { items: rows, nextPageToken: undefined };
  return { items: rows.slice(0, size), nextPageToken: pages.next({ height: pin.height, after: numberOf(last) }) };
}

export const weightOfOutputs = (outputs: readonly OutputEntry[]): number => outputs.reduce((sum, { utxo }) => sum + utxo.bytes.length, 0);

/** A transaction may have a thousand outputs and an output a thousand owners: a page of those ends early, and is not the last. */
function bearable<T>(rows: readonly T[], limit: number, weightOf: (row: T) => number): number {
  let weight = 0;
  const tooMany = rows.findIndex((row) => {
    weight += weightOf(row);
    return weight > maxWeight;
  });
  return tooMany < 0 ? limit : Math.min(limit, Math.max(1, tooMany));
}

/** Of outputs as they are stored; as JSON they are about eight times as long, and take about 50 ms to look up and write. */
export const maxWeight = 250_000;
