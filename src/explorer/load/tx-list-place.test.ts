import { expect, test } from 'bun:test';
import type { ListPlace } from './list-place.ts';
import { isUpward, pagerOfTxs, placeParams, readPlaced } from './tx-list-place.ts';

const id = 'a'.repeat(40);
const places: readonly ListPlace[] = [
  { kind: 'first' },
  { kind: 'last' },
  { kind: 'from', height: 7 },
  { kind: 'older', id },
  { kind: 'newer', id },
];

test('newer rows and the last page are listed oldest first', () => {
  expect(places.map(isUpward)).toEqual([false, true, false, false, true]);
  expect(places.map((place) => placeParams(place))).toEqual([
    '&sortOrder=desc',
    '&sortOrder=asc',
    '&endBlock=7',
    `&sortOrder=desc&afterTxHash=${id}`,
    `&sortOrder=asc&afterTxHash=${id}`,
  ]);
  expect(placeParams({ kind: 'older', id }, 'afterAsset')).toBe(`&sortOrder=desc&afterAsset=${id}`);
});

test('a place that a revert has removed, and one without a full page of newer rows, is the first page', async () => {
  const read = async (query: string, pages: { readonly [kind: string]: { readonly newer?: string } | undefined }) => {
    const asked: string[] = [];
    const page = await readPlaced(new URLSearchParams(query), async ({ kind }) => {
      asked.push(kind);
      const links = pages[kind];
      return links && { kind, pager: { position: undefined, total: undefined, links } };
    });
    return [page.kind, asked.join()];
  };
  expect(await read(`older=${id}`, { older: {}, first: {} })).toEqual(['older', 'older']);
  expect(await read(`older=${id}`, { first: {} })).toEqual(['first', 'older,first']);
  expect(await read(`newer=${id}`, { newer: { newer: 'x' }, first: {} })).toEqual(['newer', 'newer']);
  expect(await read(`newer=${id}`, { newer: {}, first: {} })).toEqual(['first', 'newer,first']);
});

/** The pager of a page of ten rows; the links as words. */
function pagerOf(place: ListPlace, change: Partial<Parameters<typeof pagerOfTxs>[0]> = {}) {
  const { position, total, links } = pagerOfTxs({
    ...{
      path: '/t',
      query: new URLSearchParams('type=x'),
      place,
      newest: 'N',
      oldest: 'O',
      rows: 10,
      hasMore: true,
      total: 100,
      newer: undefined,
    },
    ...change,
  });
  return [
    position === undefined ? '' : `${position.first}-${position.last}`,
    total,
    ...Object.entries(links).map((link) => link.join(' ')),
  ];
}
const toNewer = ['first /t?type=x', 'newer /t?type=x&newer=N'];
const toOlder = ['older /t?type=x&older=O', 'last /t?type=x&last=1'];

test('each place has the links that lead on', () => {
  expect(pagerOf({ kind: 'first' })).toEqual(['1-10', 100, ...toOlder]);
  expect(pagerOf({ kind: 'first' }, { hasMore: false })).toEqual(['1-10', 100]);
  expect(pagerOf({ kind: 'last' })).toEqual(['91-100', 100, ...toNewer]);
  expect(pagerOf({ kind: 'last' }, { hasMore: false, total: undefined })).toEqual(['', undefined]);
  expect(pagerOf({ kind: 'older', id }, { newer: 20 })).toEqual(['21-30', 100, ...toNewer, ...toOlder]);
  expect(pagerOf({ kind: 'older', id }, { hasMore: false })).toEqual(['', 100, ...toNewer]);
  expect(pagerOf({ kind: 'from', height: 7 }, { newer: 0 })).toEqual(['1-10', 100, ...toOlder]);
  expect(pagerOf({ kind: 'newer', id }, { newer: 5 })).toEqual(['6-15', 100, ...toNewer, ...toOlder]);
  expect(pagerOf({ kind: 'newer', id }, { hasMore: false, newer: 0 })).toEqual(['1-10', 100, ...toOlder]);
  expect(pagerOf({ kind: 'first' }, { rows: 0, newest: undefined, oldest: undefined, hasMore: false, total: 0 })).toEqual(['', 0]);
});
