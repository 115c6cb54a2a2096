import { expect, test } from 'bun:test';
import type { PagePayload } from '../views/page-payload.ts';
import { useLocalStorage } from './local-storage.fixture.ts';
import { keepRecent, recentPages } from './recent.ts';

const items = useLocalStorage();

/** Opens a page; the module reads its path from the address bar. */
function open(path: string, view = 'block', title = `title of ${path}`): void {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'location');
  Object.defineProperty(globalThis, 'location', { value: { pathname: path }, configurable: true });
  try {
    keepRecent({ view, title } as unknown as PagePayload);
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'location');
    else Object.defineProperty(globalThis, 'location', before);
  }
}
const paths = () => recentPages().map(({ path }) => path);

test('the last eight pages are kept, newest first, each once', () => {
  expect(recentPages()).toEqual([]);
  for (let height = 1; height <= 9; height++) open(`/block/${height}`);
  expect(paths()).toEqual([9, 8, 7, 6, 5, 4, 3, 2].map((height) => `/block/${height}`));
  open('/block/5', 'block', 'x'.repeat(101));
  expect(paths()).toEqual([5, 9, 8, 7, 6, 4, 3, 2].map((height) => `/block/${height}`));
  expect(recentPages()[0]?.title).toBe('x'.repeat(100));
  expect(recentPages()[1]?.title).toBe('title of /block/9');
});

test('home and a page that found nothing are not kept', () => {
  open('/', 'home');
  open('/nothing', 'message');
  expect(recentPages()).toEqual([]);
});

test('what another program has stored is read only as far as it is a page of this server', () => {
  const good = { path: '/block/1', title: 'Block 1' };
  const bad = [
    null,
    7,
    {},
    { path: '/x' },
    { title: 'x' },
    { path: 'https://example.com', title: 'x' },
    { path: '//example.com', title: 'x' },
  ];
  items.set('serac-recent', JSON.stringify([...bad, good]));
  expect(recentPages()).toEqual([good]);
  items.set('serac-recent', JSON.stringify(Array.from({ length: 12 }, () => good)));
  expect(recentPages()).toHaveLength(8);
  for (const text of ['{}', 'no JSON']) {
    items.set('serac-recent', text);
    expect(recentPages()).toEqual([]);
  }
});
