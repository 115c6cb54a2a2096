import { expect, test } from 'bun:test';
import { useLocalStorage } from './local-storage.fixture.ts';
import { nextVisit, seenHeights } from './watch.ts';

const items = useLocalStorage();

test('what came since the last visit stays new while the page is looked at, also after a reload, and is old on the next visit', () => {
  const [minute, hour] = [60_000, 3_600_000];
  const first = nextVisit({ time: 0, since: {}, seen: {} }, { a: 5 }, hour);
  expect(first.since).toEqual({ a: 5 });
  // A transaction comes while the page is open.
  const live = nextVisit(first, { a: 8 }, hour + minute);
  expect(live.since).toEqual({ a: 5 });
  expect(nextVisit(live, { a: 8 }, hour + 2 * minute).since).toEqual({ a: 5 });
  const later = nextVisit(live, { a: 11, b: 9 }, 3 * hour);
  expect(later.since).toEqual({ a: 8, b: 9 });
  expect(nextVisit(later, { b: 9 }, 3 * hour + minute).since).toEqual({ b: 9 });
});

test('what the page shows is kept in the browser, so that it is known after a reload', () => {
  expect(seenHeights({ a: 5 })).toEqual({ a: 5 });
  expect(seenHeights({ a: 8 })).toEqual({ a: 5 });
  expect(JSON.parse([...items.values()].join())).toMatchObject({ since: { a: 5 }, seen: { a: 8 } });
  for (const name of items.keys()) items.set(name, 'nonsense');
  expect(seenHeights({ a: 9 })).toEqual({ a: 9 });
});
