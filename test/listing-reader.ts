import { expect } from 'bun:test';
import { type ChainOracle, heightOf, itemText, type Listing } from './chain-oracle.ts';
import { fetchPages, itemsOf } from './data-requests.ts';
import type { Client } from './http.ts';

/** A list that was read page by page while blocks were accepted. Its first page is of a height from `minHeight` to `maxHeight`. */
export type ListingRead = {
  readonly listing: Listing;
  readonly minHeight: number;
  readonly maxHeight: number;
  readonly items: readonly string[];
};

/** Reads a list page by page. `height`: the current height of the index that the clients read; `node`: a node that is never behind it. */
export async function readListing(
  clients: readonly Client[],
  listing: Listing,
  pageSize: number,
  { height, node }: { readonly height: () => Promise<number>; readonly node: Client },
): Promise<ListingRead> {
  const least = await height();
  let most: number | undefined;
  const sendFirst: Client['send'] = async (...request) => {
    const answer = await (clients[0] as Client).send(...request);
    most ??= await heightOf(node);
    return answer;
  };
  const [first, ...others] = clients as [Client, ...Client[]];
  const pages = await fetchPages([{ ...first, send: sendFirst }, ...others], { ...listing, path: `${listing.path}pageSize=${pageSize}` });
  return { listing, minHeight: least, maxHeight: most ?? least, items: itemsOf(pages).map(itemText) };
}

/** Expects that at one of the possible heights the list had exactly these items, in this order. */
export function expectListingRead({ oracle, pinAt }: ChainOracle, { listing, minHeight, maxHeight, items }: ListingRead): void {
  let expected: string[] = [];
  for (let height = maxHeight; height >= minHeight; height--) {
    expected = listing.expectedItems(oracle, pinAt(height));
    if (expected.length === items.length && expected.every((text, i) => text === items[i])) return;
  }
  expect({ path: listing.path, least: minHeight, most: maxHeight, items }).toEqual({
    path: listing.path,
    least: minHeight,
    most: maxHeight,
    items: expected,
  });
}
