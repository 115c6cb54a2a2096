import { type ListPlace, type PagerData, placeUrl, refusedJump } from './list-place.ts';

/** Transactions of a list that are counted to say where a page is in it. */
export const maxCounted = 10_000;

/** Parameters of a route that lists transactions, for a place of the list. Those of the last page and of newer ones are listed oldest first. */
export function placeParams(place: ListPlace): string {
  if (place.kind === 'from') return `&endBlock=${place.height}`;
  if (place.kind === 'older') return `&afterTxHash=${place.id}`;
  if (place.kind === 'newer') return `&sortOrder=asc&afterTxHash=${place.id}`;
  return place.kind === 'last' ? '&sortOrder=asc' : '';
}

/** Whether the rows of a place are listed oldest first by the route. */
export const isUpward = ({ kind }: ListPlace): boolean => kind === 'newer' || kind === 'last';

/** What is known of a page of transactions. */
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

/** The pager of a list of transactions: its places are IDs. */
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
