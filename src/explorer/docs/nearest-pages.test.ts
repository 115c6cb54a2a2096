import { expect, test } from 'bun:test';
import { findNearestPages, readPageList } from './nearest-pages.ts';

const list = `# Serac

- [Follow a node](guides/follow.md): Blocks and history of another node.
- [Join a network](guides/join.md): Peers, proposers and bootstrap.
- [Back up](operate/back-up.md): Copies of the chain.
- [Architecture](understand/architecture.md): The wings.
not a line
`;
const pages = readPageList(list);
const nearest = (path: string, count = 1): string[] => findNearestPages(path, pages, count).map(({ page }) => page);

test('the list of all pages has path, title and sentence of each', () => {
  expect(pages.map(({ page }) => page)).toEqual(['guides/follow', 'guides/join', 'operate/back-up', 'understand/architecture']);
  expect(pages[1]).toEqual({ page: 'guides/join', title: 'Join a network', about: 'Peers, proposers and bootstrap.' });
});

/** The order of pages, each of a title and a sentence, for a path that does not exist. */
const orderOf = (path: string, ...listed: readonly (readonly [page: string, about: string])[]): string =>
  findNearestPages(
    path,
    listed.map(([page, about]) => ({ page, title: '', about })),
    listed.length,
  )
    .map(({ page }) => page)
    .join(' ');

test('a misspelled name, another folder and words of a page lead to it', () => {
  expect(nearest('guides/folow')).toEqual(['guides/follow']);
  expect(nearest('JOIN.html')).toEqual(['guides/join']);
  expect(nearest('reference/backup.md')).toEqual(['operate/back-up']);
  expect(nearest('how/proposers')).toEqual(['guides/join']);
  expect(nearest('wings')).toEqual(['understand/architecture']);
  expect([nearest('', 2).length, nearest('/', 9).length]).toEqual([2, 4]);
});

test('a word of three letters counts, one of two is in every page', () => {
  expect(orderOf('xxxx/rpc', ['a/zzz', ''], ['a/yyy', 'the rpc'])).toBe('a/yyy a/zzz');
  expect(orderOf('xxxx/of', ['a/zz', ''], ['a/yy', 'all of it'])).toBe('a/zz a/yy');
});

test('a name that is equal counts as much as two words; half of one as much as one', () => {
  expect(orderOf('one/two/six/abcd', ['a/zzzz', 'one two six'], ['a/abcd', ''])).toBe('a/zzzz a/abcd');
  expect(orderOf('one/abcd', ['a/zzzz', 'one'], ['a/abzz', 'one'], ['a/abcz', ''])).toBe('a/abzz a/abcz a/zzzz');
});

test('the ending of a file is no part of its name, nor is a first letter left out', () => {
  expect(orderOf('a/html.md', ['a/html-md', ''], ['a/html', ''])).toBe('a/html a/html-md');
  expect(orderOf('name.html', ['a/nameXhtml', ''], ['a/nameXXX', ''])).toBe('a/nameXXX a/nameXhtml');
  expect(orderOf('/a/b', ['a/a', ''], ['a/b', ''])).toBe('a/b a/a');
  expect(orderOf('b', ['a/c', ''], ['a/b', ''])).toBe('a/b a/c');
});

test('of a long path the first hundred characters are compared', () => {
  expect(nearest(`${'-'.repeat(96)}join`)).toEqual(['guides/join']);
  expect(orderOf(`${'-'.repeat(96)}/rpc`, ['a/z', ''], ['a/y', 'rpc'])).toBe('a/y a/z');
  expect(orderOf(`${'-'.repeat(97)}/rpc`, ['a/z', ''], ['a/y', 'rpc'])).toBe('a/z a/y');
});
