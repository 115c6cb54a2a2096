import { expect, test } from 'bun:test';
import { createLinks, relativeUrl } from './docs-links.ts';
import type { DocsPage } from './docs-pages.ts';

const page = (name: string, source: string, anchors: readonly (readonly [string, string])[] = []): DocsPage =>
  ({ page: name, source, title: `title of ${name}`, anchors: new Map(anchors) }) as unknown as DocsPage;
const join = page('guides/join', 'texts/guides/join.md', [
  ['join-a-network', ''],
  ['peers', '#peers'],
]);
const [first, second] = [
  page('reference/flags', 'texts/flags.md', [['a', '#a']]),
  page('reference/more-flags', 'texts/flags.md', [
    ['a', '#a'],
    ['b', '#b'],
  ]),
];
const readme = page('start/readme', 'texts/start/README.md');
const { resolve } = createLinks([join, first, second, readme]);

test('a link leads to the page of its file, relative to the page that has it', () => {
  expect(resolve(readme, '../guides/join.md', '.html')).toEqual({ url: '../guides/join.html', title: 'title of guides/join' });
  expect(resolve(readme, '../guides/join.md', '.md')?.url).toBe('../guides/join.md');
  expect(resolve(readme, '../guides/join.md#peers', '.html')?.url).toBe('../guides/join.html#peers');
  expect(resolve(readme, '../guides/join.md#join-a-network', '.html')?.url).toBe('../guides/join.html');
  expect(resolve(join, '../start/', '.html')?.url).toBe('../start/readme.html');
  expect(relativeUrl('a/b', 'a/c.html')).toBe('c.html');
});

test('a heading of the same page is a link within it, else the page of the file that has the heading', () => {
  expect(resolve(join, '#peers', '.html')?.url).toBe('#peers');
  expect(resolve(join, '#join-a-network', '.html')?.url).toBe('join.html');
  expect(resolve(join, 'join.md#peers', '.html')?.url).toBe('#peers');
  expect(resolve(second, '#a', '.html')?.url).toBe('#a');
  expect(resolve(first, '#b', '.html')?.url).toBe('more-flags.html#b');
  expect(resolve(join, '../flags.md', '.html')?.url).toBe('../reference/flags.html');
});

test('web and mail addresses stay; other schemes and files without a page have no link', () => {
  for (const url of ['https://example.com/a#b', 'http://example.com', 'mailto:a@example.com'])
    expect(resolve(join, url, '.html')).toEqual({ url });
  for (const url of ['javascript:alert(1)', 'JavaScript:x', 'data:text/html,x', '../../src/main.ts', '../../src/'])
    expect([url, resolve(join, url, '.html')]).toEqual([url, undefined]);
});

test('a heading that no page of the file has is an error', () => {
  expect(() => resolve(readme, '../guides/join.md#nothing', '.html')).toThrow('a heading that no page has');
  expect(() => resolve(join, '#a', '.html')).toThrow('a heading that no page has');
});
