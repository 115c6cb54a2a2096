import { expect } from 'bun:test';
import { type ChainOracle, heightOf, itemText, type Listing } from './chain-oracle.ts';
import { itemsOf, pagesOf } from './data-questions.ts';
import type { Client } from './http.ts';

/** A list as someone read it page by page while the chain went on. It began at a height somewhere between two. */
export type Read = { readonly listing: Listing; readonly least: number; readonly most: number; readonly items: readonly string[] };

/** `height`: of what the clients answer from, now; `node`: which is never behind that. */
export async function readListing(
  clients: readonly Client[],
  listing: Listing,
  pageSize: number,
  { height, node }: { readonly height: () => Promise<number>; readonly node: Client },
): Promise<Read> {
  const least = await height();
  let most: number | undefined;
  const told: Client['send'] = async (...request) => {
    const answer = await (clients[0] as Client).send(...request);
    most ??= await heightOf(node);
    return answer;
  };
  const [first, ...others] = clients as [Client, ...Client[]];
  const pages = await pagesOf([{ ...first, send: told }, ...others], { ...listing, path: `${listing.path}pageSize=${pageSize}` });
  return { listing, least, most: most ?? least, items: itemsOf(pages).map(itemText) };
}

/** At one of the heights at which it can have begun, the list held exactly these items, in this order, each once. */
export function expectRead({ oracle, pinAt }: ChainOracle, { listing, least, most, items }: Read): void {
  let expected: string[] = [];
  for (let height = most; height >= least; height--) {
    expected = listing.holds(oracle, pinAt(height));
    if (expected.length === items.length && expected.every((text, i) => text === items[i])) return;
  }
  expect({ path: listing.path, least, most, items }).toEqual({ path: listing.path, least, most, items: expected });
}
