import { expect, test } from 'bun:test';
import { cutPage } from './paging.ts';

const pin = { height: 7, id: '', time: 1, lastTx: 9 } as never;
const paging = {
  cursor: undefined,
  nextPageToken: ({ height, after }: { height: number; after: number }) => `${height} ${after}`,
} as never;

/** The items of a page of at most two numbers, and the token of the next page. */
const cut = (rows: readonly number[], readTo?: number) =>
  cutPage(rows, { pin, after: undefined }, { limit: 2, seqOf: (row) => row, readTo, paging });

test('the row behind a full page shows that there is a next one', () => {
  expect(cut([1, 2])).toEqual({ items: [1, 2], nextPageToken: undefined });
  expect(cut([1, 2, 3])).toEqual({ items: [1, 2], nextPageToken: '7 2' });
});

test('a page that is not full, or empty, has a token if the list goes on', () => {
  expect(cut([1], 5)).toEqual({ items: [1], nextPageToken: '7 5' });
  expect(cut([], 5)).toEqual({ items: [], nextPageToken: '7 5' });
  expect(cut([1, 2, 3], 5)).toEqual({ items: [1, 2], nextPageToken: '7 2' });
});
