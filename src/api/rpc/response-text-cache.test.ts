import { expect, test } from 'bun:test';
import { createTextCache } from './response-text-cache.ts';

test('the cache evicts the least recently used texts once their bytes exceed the limit', () => {
  const cache = createTextCache<string>(10_000);
  for (const key of ['a', 'b', 'c', 'd']) cache.getOrMake(key, () => key.repeat(2000));
  expect(cache.get('a')).toBe('a'.repeat(2000));
  cache.getOrMake('e', () => 'e'.repeat(2000));
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')).toBeDefined();
});

test('keys and the overhead of an entry count too', () => {
  const cache = createTextCache<string>(10_000);
  for (let i = 0; i < 1000; i++) cache.getOrMake(`${i}`, () => 'x');
  expect(Array.from({ length: 1000 }, (_, i) => cache.get(`${i}`)).filter(Boolean).length).toBeLessThan(50);
});

test('a text of more than a quarter of the limit is not cached, and with a limit of 0 none is', () => {
  const [large, none] = [createTextCache<string>(10_000), createTextCache<string>(0)];
  for (const cache of [large, none]) {
    expect(cache.getOrMake('key', () => 'x'.repeat(2500))).toHaveLength(2500);
    expect(cache.get('key')).toBeUndefined();
  }
});
