import { expect, test } from 'bun:test';
import type { DocsIndex } from './docs-search.ts';
import { findEntries, wordsOf } from './find-entries.ts';

/** An index with one page per row: title, weight, heading, anchor, text. */
const indexOf = (
  ...rows: readonly (readonly [title: string, weight: number, heading: string, anchor: string, text: string])[]
): DocsIndex => ({
  pages: rows.map(([title, weight], at) => ({ url: `${at}.html`, title, weight })),
  entries: rows.map(([, , heading, anchor, text], at) => [at, heading, anchor, text]),
});
const find = (index: DocsIndex, text: string, max = 10): number[] => findEntries(index, wordsOf(text), max).map(({ entry }) => entry[0]);

test('at most eight words are looked for, in small letters', () => {
  expect(wordsOf('  State\tINTERVAL ')).toEqual(['state', 'interval']);
  expect(wordsOf('a b c d e f g h i')).toHaveLength(8);
});

test('all words must be in an entry; the title of the page comes with it', () => {
  const index = indexOf(['Join', 1, 'Peers', 'peers', 'connect to others'], ['Follow', 1, 'Lag', 'lag', 'seconds behind']);
  expect([find(index, 'peers others'), find(index, 'peers seconds'), find(index, 'join')]).toEqual([[0], [], [0]]);
  expect(findEntries(index, ['lag'], 10)[0]?.title).toBe('Follow');
  expect(findEntries({ pages: [], entries: [[3, 'lag', '', '']] }, ['lag'], 10)[0]?.title).toBe('');
});

test('a heading counts more than a title, and that more than the text', () => {
  const index = indexOf(['A', 1, 'B', 'b', 'some lag here'], ['About lag now', 1, 'B', 'b', ''], ['A', 1, 'The lag here', 'c', '']);
  expect(find(index, 'lag')).toEqual([2, 1, 0]);
  // The beginning of a page is found before its sections.
  expect(find(indexOf(['On lag', 1, 'B', 'b', ''], ['On lag', 1, 'B', '', '']), 'lag')).toEqual([1, 0]);
});

test('a whole place counts more than a word in it, a whole word more than a beginning, and that more than a middle', () => {
  const headings = ['xlag', 'lagging', 'a lag', 'lag'];
  expect(find(indexOf(...headings.map((heading) => ['P', 1, heading, 'a', ''] as const)), 'lag')).toEqual([3, 2, 1, 0]);
  // A flag is not a whole word of a longer one, and a word after a dash is one.
  expect(find(indexOf(['P', 1, 'x --state-interval', 'a', ''], ['P', 1, 'x --state here', 'a', '']), '--state')).toEqual([1, 0]);
  expect(find(indexOf(['P', 1, 'x_state y', 'a', ''], ['P', 1, 'xstate y', 'a', '']), 'state')).toEqual([0, 1]);
});

test('a text that has a word often counts more, up to a bound: it never beats a heading', () => {
  const index = indexOf(
    ['P', 1, 'A', 'a', 'lag '.repeat(500)],
    ['P', 1, 'A', 'a', 'lag lag'],
    ['P', 1, 'A', 'a', 'a lag b'],
    ['P', 1, 'of lag', 'a', ''],
  );
  expect(find(index, 'lag')).toEqual([3, 0, 1, 2]);
});

test('places of one page are weighed: a heading as two titles of its beginning, and as five of a section', () => {
  /** Whether the first entry is found before the second. */
  const isBefore = (first: readonly [string, string, string, string], second: readonly [string, string, string, string]): boolean => {
    const rows = [second, first].map(([title, heading, anchor, text]) => [title, 1, heading, anchor, text] as const);
    return find(indexOf(...rows), 'lag')[0] === 1;
  };
  // A middle counts a quarter: headings with it 5, titles 2.5 or 1, a text 0.25.
  expect(isBefore(['', 'xlag', 'a', ''], ['xlag', '', '', ''])).toBe(true);
  expect(isBefore(['', 'xlag', 'a', ''], ['xlag', '', 'a', 'xlag'.repeat(15)])).toBe(true);
  expect(isBefore(['xlag', '', '', ''], ['', '', '', 'xlag'.repeat(9)])).toBe(true);
  expect(isBefore(['', '', '', 'xlag'.repeat(11)], ['xlag', '', '', ''])).toBe(true);
  expect(isBefore(['', '', 'a', 'xlag'.repeat(5)], ['xlag', '', 'a', ''])).toBe(true);
  expect(isBefore(['xlag', '', 'a', ''], ['', '', 'a', 'xlag'.repeat(3)])).toBe(true);
});

test('pages about how Serac is made come after those about its use; at most so many are found', () => {
  const index = indexOf(['P', 0.4, 'lag', 'a', ''], ['P', 1, 'lag', 'a', ''], ['P', 1, 'no', 'a', 'lag']);
  expect([find(index, 'lag'), find(index, 'lag', 1)]).toEqual([[1, 0, 2], [1]]);
});
