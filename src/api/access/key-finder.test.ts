import { expect, test } from 'bun:test';
import { budgetFor } from '../../base/cache/budget.fixture.ts';
import { createKeyFinder } from './key-finder.ts';
import { type ApiKey, makeKey } from './keys.ts';

const newKey = (fill: number) =>
  makeKey(new Uint8Array(32).fill(fill), { name: '', plan: 'free', created: 0, expires: undefined, routes: [] });

/** A store that records the hashes it was queried for. */
function createStore(answer: (key: ApiKey | undefined) => Promise<ApiKey | undefined> = async (key) => key) {
  const keys = new Map<string, ApiKey>();
  const queries: string[] = [];
  const store = {
    add: (key: ApiKey) => void keys.set(key.hash, key),
    list: () => [...keys.values()],
    revoke: () => {},
    find: (hash: string) => {
      queries.push(hash);
      return answer(keys.get(hash));
    },
  };
  return { store, queries };
}

test('many lookups cause one query; a change is seen within a second', async () => {
  const { store, queries } = createStore();
  const { text, key } = newKey(1);
  let now = 0;
  const finder = createKeyFinder({ store, now: () => now });
  expect(await finder.find(text)).toBeUndefined();
  store.add(key);
  expect(await finder.find(text)).toBeUndefined();
  expect(queries).toHaveLength(1);
  now = 999;
  expect(await finder.find(text)).toEqual(key);
  store.add({ ...key, revoked: 5 });
  expect(await finder.find(text)).toEqual(key);
  now = 1_998;
  expect(await finder.find(text)).toEqual({ ...key, revoked: 5 });
  expect(queries).toHaveLength(3);
});

test('concurrent lookups share one query; a failure is not cached', async () => {
  let fails = true;
  const { store, queries } = createStore(async (key) => {
    await Promise.resolve();
    if (fails) throw new Error('down');
    return key;
  });
  const { text, key } = newKey(2);
  store.add(key);
  const finder = createKeyFinder({ store, now: () => 0 });
  const outcomes = await Promise.allSettled([finder.find(text), finder.find(text)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(queries).toHaveLength(1);
  fails = false;
  expect(await Promise.all([finder.find(text), finder.find(text)])).toEqual([key, key]);
  expect(queries).toHaveLength(2);
  expect(await finder.find(text)).toEqual(key);
  expect(queries).toHaveLength(2);
});

test('texts without the form of a key cause no query, and the cache is bounded', async () => {
  const { store, queries } = createStore();
  const finder = createKeyFinder({ store, now: () => 0, budget: budgetFor('apiKeys', 4000) });
  for (const text of ['', 'x', `serac_${'?'.repeat(43)}`, 'a'.repeat(100_000)]) expect(await finder.find(text)).toBeUndefined();
  expect(queries).toHaveLength(0);
  for (let fill = 1; fill <= 20; fill++) for (let time = 0; time < 3; time++) await finder.find(newKey(fill).text);
  expect(queries).toHaveLength(20);
  await finder.find(newKey(1).text);
  expect(queries).toHaveLength(21);
});
