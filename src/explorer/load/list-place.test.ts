import { expect, test } from 'bun:test';
import { findHeight, findJump, pagerOfRanks, parsePlace, placeUrl, readOldest, refusedJump } from './list-place.ts';
import { createTestSource, testChainPath, testContext } from './test-source.fixture.ts';

const query = (text: string): URLSearchParams => new URLSearchParams(text);
const id = 'a'.repeat(30);

test('a URL names a place by a height, by the ID of a row, or the last page; what is unknown is the first page', () => {
  expect(parsePlace(query('from=12'))).toEqual({ kind: 'from', height: 12 });
  expect(parsePlace(query(`from=0&older=${id}&last=1`))).toEqual({ kind: 'from', height: 0 });
  expect(parsePlace(query(`older=${id}&newer=${id}`))).toEqual({ kind: 'older', id });
  expect(parsePlace(query(`newer=${'1'.repeat(60)}&last=1`))).toEqual({ kind: 'newer', id: '1'.repeat(60) });
  expect(parsePlace(query('last='))).toEqual({ kind: 'last' });
  for (const text of [
    '',
    'from=x',
    'from=-1',
    `from=${'1'.repeat(16)}`,
    `older=${'a'.repeat(29)}`,
    `older=${'a'.repeat(61)}`,
    `newer=${id}0`,
  ])
    expect([text, parsePlace(query(text))]).toEqual([text, { kind: 'first' }]);
  expect(parsePlace(query(`from=${'1'.repeat(15)}`))).toEqual({ kind: 'from', height: 111_111_111_111_111 });
});

test('the URL of another place keeps the filters and nothing of the place before', () => {
  const all = query('type=Import&page=2&from=1&older=a&newer=b&last=1&rank=11&go=x&rows=100');
  expect(placeUrl('/blocks', all, {})).toBe('/blocks?type=Import');
  expect(placeUrl('/blocks', all, { from: 7 })).toBe('/blocks?type=Import&from=7');
  expect(placeUrl('/blocks', query('page=2'), {})).toBe('/blocks');
  expect(all.get('page')).toBe('2');
});

test('a ranking has pages of whole rows, up to the last that can be listed', () => {
  const pagerOf = (text: string, total: number, listed?: number) => {
    const { start, pager } = pagerOfRanks({ path: '/h', query: query(text), rows: 10, total, ...(listed !== undefined && { listed }) });
    return { start, ...pager };
  };
  const links = (first?: string, newer?: string, older?: string, last?: string) => ({ links: { first, newer, older, last } });
  expect(pagerOf('', 25)).toEqual({
    start: 1,
    position: { first: 1, last: 10 },
    total: 25,
    ...links(undefined, undefined, '/h?rank=11', '/h?rank=21'),
  });
  expect(pagerOf('rank=15', 25)).toEqual({
    start: 11,
    position: { first: 11, last: 20 },
    total: 25,
    ...links('/h', '/h', '/h?rank=21', '/h?rank=21'),
  });
  expect(pagerOf('rank=21', 25)).toEqual({ start: 21, position: { first: 21, last: 25 }, total: 25, ...links('/h', '/h?rank=11') });
  expect(pagerOf('rank=999999', 20)).toMatchObject({ start: 11, position: { first: 11, last: 20 } });
  expect(pagerOf('rank=30', 1000, 20)).toMatchObject({ start: 11, total: 1000, position: { first: 11, last: 20 } });
  expect(pagerOf('rank=10', 25).start).toBe(1);
  for (const text of ['rank=0', 'rank=x', 'rank=1000000']) expect([text, pagerOf(text, 25).start]).toEqual([text, 1]);
  expect(pagerOf('', 0)).toEqual({ start: 1, position: undefined, total: 0, links: {} });
  expect(pagerOf('', 10).links).toEqual({});
});

test('what was typed and is neither a height nor a date is shown, as far as it is short', () => {
  expect([refusedJump(query('')), refusedJump(query('go=')), refusedJump(query('go=x'))]).toEqual([undefined, undefined, 'x']);
  expect(refusedJump(query(`go=${'x'.repeat(200)}`))).toBe('x'.repeat(100));
});

/** A chain whose blocks 1 to 9 are of the days 1 to 9 of 2024, and whose oldest is `oldest`. */
const chain = (oldest = 0) =>
  createTestSource((path) => {
    if (path === `${testChainPath}/block-summaries?sortOrder=asc&pageSize=1`)
      return { blocks: oldest < 0 ? [] : [{ blockNumber: `${oldest}` }] };
    const [, end] = /\/blocks\?pageSize=1(?:&endTimestamp=(\d+))?$/.exec(path) ?? [];
    const day = end === undefined ? 9 : Math.ceil((Number(end) - Date.UTC(2024, 0, 1) / 1000) / 86_400);
    return { blocks: day < Math.max(1, oldest) || oldest < 0 ? [] : [{ blockNumber: `${Math.min(9, day)}` }] };
  });
const heightOf = (typed: string, oldest?: number) => findHeight(chain(oldest).source, testContext, typed);

test('a height is typed as itself, a date leads to its last block', async () => {
  expect(await heightOf(' #1,234 ')).toBe(1234);
  expect(await heightOf('9'.repeat(16))).toBeUndefined();
  expect(await heightOf('2024-01-03')).toBe(3);
  expect(await heightOf('2024-01-08')).toBe(8);
  // The last block, and a day that is still to come.
  expect(await heightOf('2024-01-09')).toBe('last');
  expect(await heightOf('2124-01-01')).toBe('last');
  expect(await heightOf('yesterday?')).toBeUndefined();
});

test('a day before the first block leads to the oldest', async () => {
  expect(await heightOf('2023-12-31')).toBe(0);
  expect(await heightOf('2023-12-31', 4)).toBe(4);
  expect(await heightOf('1969-12-31', -1)).toBe(0);
  expect(await readOldest(chain(4).source, testContext)).toBe(4);
  expect(await readOldest(chain(-1).source, testContext)).toBeUndefined();
});

test('a jump is a URL of the same list', async () => {
  const jump = (go: string) => findJump(chain().source, testContext, { path: '/blocks', query: query(`type=x&go=${go}`) });
  expect([await jump('12'), await jump('2124-01-01'), await jump('?')]).toEqual(['/blocks?type=x&from=12', '/blocks?type=x', undefined]);
});
