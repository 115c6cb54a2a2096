import { expect, test } from 'bun:test';
import { createKeyFinder } from './key-finder.ts';
import { type ApiKey, makeKey } from './keys.ts';

const made = (fill: number) =>
  makeKey(new Uint8Array(32).fill(fill), { name: '', plan: 'free', created: 0, expires: undefined, routes: [] });

/** A store that counts how often it is asked. */
function createStore(answer: (key: ApiKey | undefined) => ApiKey | undefined | Promise<ApiKey | undefined> = (key) => key) {
  const keys = new Map<string, ApiKey>();
  const asked: string[] = [];
  const store = {
    add: (key: ApiKey) => void keys.set(key.hash, key),
    list: () => [...keys.values()],
    revoke: () => {},
    find: (hash: string) => {
      asked.push(hash);
      return answer(keys.get(hash));
    },
  };
  return { store, asked };
}

test('the store is asked once for many requests; a change is seen within a second', () => {
  const { store, asked } = createStore();
  const { text, key } = made(1);
  let now = 0;
  const finder = createKeyFinder({ store, now: () => now });
  expect(finder.find(text)).toBeUndefined();
  store.add(key);
  expect(finder.find(text)).toBeUndefined();
  expect(asked).toHaveLength(1);
  now = 999;
  expect(finder.find(text)).toEqual(key);
  store.add({ ...key, revoked: 5 });
  expect(finder.find(text)).toEqual(key);
  now = 1_998;
  expect(finder.find(text)).toEqual({ ...key, revoked: 5 });
  expect(asked).toHaveLength(3);
});

test('who asks at the same time waits for the same answer; a failure is not kept', async () => {
  let fails = true;
  const { store, asked } = createStore(async (key) => {
    await Promise.resolve();
    if (fails) throw new Error('down');
    return key;
  });
  const { text, key } = made(2);
  store.add(key);
  const finder = createKeyFinder({ store, now: () => 0 });
  const outcomes = await Promise.allSettled([finder.find(text), finder.find(text)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toHaveLength(1);
  fails = false;
  expect(await Promise.all([finder.find(text), finder.find(text)])).toEqual([key, key]);
  expect(asked).toHaveLength(2);
  // Known by now: no waiting.
  expect(finder.find(text)).toEqual(key);
});

test('texts that are no keys never reach the store, and what is kept is bounded', () => {
  const { store, asked } = createStore();
  const finder = createKeyFinder({ store, now: () => 0, maxKept: 3 });
  for (const text of ['', 'x', `serac_${'?'.repeat(43)}`, 'a'.repeat(100_000)]) expect(finder.find(text)).toBeUndefined();
  expect(asked).toHaveLength(0);
  for (const fill of [1, 2, 3, 4, 4, 3, 2, 1]) finder.find(made(fill).text);
  expect(asked).toHaveLength(5);
});
