import { expect, test } from 'bun:test';
import { findHeight, findJump } from './list-place.ts';
import { loadBlocks } from './load-blocks.ts';
import { createTestSource, testContext } from './test-source.fixture.ts';

/** A chain with the blocks `oldest` to `tip`, one an hour from the Unix time 0 on. */
function chainOf(oldest: number, tip: number) {
  const blockAt = (height: number) => ({ blockNumber: String(height), blockHash: `b${height}`, blockTimestamp: height * 3600 });
  return createTestSource((path) => {
    const query = new URLSearchParams(path.slice(path.indexOf('?')));
    const size = Number(query.get('pageSize'));
    const end = query.has('endTimestamp') ? Math.ceil(Number(query.get('endTimestamp')) / 3600) - 1 : Number(query.get('endBlock') ?? tip);
    const all = Array.from({ length: tip - oldest + 1 }, (_, i) => tip - i).filter((height) => height <= end);
    return { blocks: (query.get('sortOrder') === 'asc' ? all.reverse() : all).slice(0, size).map(blockAt) };
  });
}

const load = (tip: number, query: string, oldest = 0) =>
  loadBlocks(chainOf(oldest, tip).source, testContext, new URLSearchParams(query), 10);
const heights = ({ blocks }: Awaited<ReturnType<typeof load>>): number[] => blocks.map(({ height }) => height);

test('links lead through all blocks and back, and keep their rows when blocks come', async () => {
  const first = await load(99, '');
  expect(heights(first)).toEqual([99, 98, 97, 96, 95, 94, 93, 92, 91, 90]);
  expect(first.pager).toMatchObject({
    position: { first: 1, last: 10 },
    total: 100,
    links: { older: '/blocks?from=89', last: '/blocks?from=9' },
  });
  expect([first.pager.links.first, first.pager.links.newer]).toEqual([undefined, undefined]);
  const second = await load(99, 'from=89');
  const later = await load(120, 'from=89');
  expect(heights(later)).toEqual(heights(second));
  expect(later.pager.position).toEqual({ first: 32, last: 41 });
  expect(second.pager.links).toEqual({ first: '/blocks', newer: '/blocks', older: '/blocks?from=79', last: '/blocks?from=9' });
  const last = await load(99, 'from=9');
  expect(last.pager).toMatchObject({ position: { first: 91, last: 100 }, links: { newer: '/blocks?from=19' } });
  expect(last.pager.links.older).toBeUndefined();
});

test('heights outside the chain are its first and its last page, and a fork begins above 0', async () => {
  expect(heights(await load(99, 'from=5000'))[0]).toBe(99);
  expect(heights(await load(99, 'from=3'))).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect((await load(99, 'from=0', 40)).pager).toMatchObject({ position: { first: 51, last: 60 }, total: 60 });
  expect((await load(4, '')).pager).toEqual({ position: { first: 1, last: 5 }, total: 5, links: {}, refused: undefined });
});

test('a typed height or date is found', async () => {
  const { source, asked } = chainOf(3, 99);
  const find = (text: string) => findHeight(source, testContext, text);
  expect(await Promise.all(['1,200', '#7', '1970-01-02', '1970-01-02 05:30', '2030-01-01', 'nonsense'].map(find))).toEqual([
    1200,
    7,
    47,
    29,
    'last',
    undefined,
  ]);
  expect(asked.length).toBeLessThan(10);
  expect(await findHeight(chainOf(30, 99).source, testContext, '1970-01-01')).toBe(30);
  const jump = (query: string) => findJump(source, testContext, { path: '/blocks', query: new URLSearchParams(query) });
  expect([await jump('go=12&from=90&kind=x'), await jump('go=2030-01-01'), await jump('go=zz')]).toEqual([
    '/blocks?kind=x&from=12',
    '/blocks',
    undefined,
  ]);
  expect((await load(99, 'go=zz')).pager.refused).toBe('zz');
});
