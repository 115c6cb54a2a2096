import { type ListPlace, type PagerData, parsePlace, placeUrl, refusedJump } from './list-place.ts';

/** Transactions of a list that are counted to say where a page is in it. */
export const maxCounted = 10_000;

/**
 * Parameters of a route for a place of its list. Those of the last page and of newer ones are listed oldest first. `after`: the parameter with the ID of the row
 * behind which the page begins.
 */
export function placeParams(place: ListPlace, after = 'afterTxHash'): string {
  if (place.kind === 'from') return `&endBlock=${place.height}`;
  const order = isUpward(place) ? 'asc' : 'desc';
  return `&sortOrder=${order}${place.kind === 'older' || place.kind === 'newer' ? `&${after}=${place.id}` : ''}`;
}

/** The page at the place of a URL. A place that a revert has removed, and one without a full page of newer rows, is the first page. */
export async function readPlaced<P extends { readonly pager: PagerData }>(
  query: URLSearchParams,
  readPage: (place: ListPlace) => Promise<P | undefined>,
): Promise<P> {
  const place = parsePlace(query);
  const page = await readPage(place);
  if (page !== undefined && (place.kind !== 'newer' || page.pager.links.newer !== undefined)) return page;
  return (await readPage({ kind: 'first' })) as P;
}

/** Whether the rows of a place are listed oldest first by the route. */
export const isUpward = ({ kind }: ListPlace): boolean => kind === 'newer' || kind === 'last';

/** What is known of a page. */
type TxPage = {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly place: ListPlace;
  /** IDs of the newest and the oldest row. */
  readonly newest: string | undefined;
  readonly oldest: string | undefined;
  readonly rows: number;
  /** Whether the route has more in the direction in which it listed. */
  readonly hasMore: boolean;
  readonly total: number | undefined;
  /** Number of newer rows; undefined if it is not known. */
  readonly newer: number | undefined;
};

/** The pager of a list of transactions, assets or transfers: its places are IDs. */
export function pagerOfTxs({ path, query, place, newest, oldest, rows, hasMore, total, newer }: TxPage): PagerData {
  const hasNewer = isUpward(place) ? hasMore : place.kind !== 'first' && newer !== 0;
  const hasOlder = isUpward(place) ? place.kind === 'newer' : hasMore;
  const before = place.kind === 'first' ? 0 : (newer ?? (place.kind === 'last' && total !== undefined ? total - rows : undefined));
  const url = (change: Parameters<typeof placeUrl>[2]): string => placeUrl(path, query, change);
  return {
    position: rows === 0 || before === undefined ? undefined : { first: before + 1, last: before + rows },
    total,
    links: {
      ...(hasNewer ? { first: url({}), newer: newest && url({ newer: newest }) } : {}),
      ...(hasOlder ? { older: oldest && url({ older: oldest }), last: url({ last: 1 }) } : {}),
    },
    refused: refusedJump(query),
  };
}
