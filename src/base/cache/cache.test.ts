import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { budgetFor } from './budget.fixture.ts';
import { cacheFunction, createCache } from './cache.ts';
import { createCacheBudget } from './cache-budget.ts';
import { allShares, cacheTable } from './cache-table.ts';

const numbers = (bytes: number) => createCache<number, string>('signers', { size: 100, budget: budgetFor('signers', bytes) });
const held = (cache: { get: (key: number) => unknown }, count: number): number =>
  Array.from({ length: count }, (_, key) => cache.get(key)).filter((value) => value !== undefined).length;

describe('a cache', () => {
  test('returns the last value of a key, or nothing; random steps beside a plain map', () => {
    const step = fc.record({ key: fc.nat(30), value: fc.option(fc.string({ maxLength: 5 }), { nil: undefined }), deletes: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.constantFrom(0, 900, 100_000), (steps, bytes) => {
        const size = (_: number, value: string) => 60 + value.length;
        const budget = budgetFor('signers', bytes);
        const cache = createCache<number, string>('signers', { size, budget });
        const model = new Map<number, string>();
        for (const { key, value, deletes } of steps) {
          if (value !== undefined) {
            cache.set(key, value);
            model.set(key, value);
          } else if (deletes) {
            cache.delete(key);
            model.delete(key);
          }
          const found = cache.get(key);
          if (bytes === 100_000) expect(found).toBe(model.get(key));
          else expect([undefined, model.get(key)]).toContain(found);
          const counted = [...model].reduce((sum, [one, text]) => sum + size(one, text), 0);
          if (bytes === 100_000) expect(budget.usage().used).toBe(counted);
          else expect(budget.usage().used).toBeLessThanOrEqual(budget.bytesOf('signers'));
        }
        for (const key of model.keys()) cache.delete(key);
        expect(budget.usage().used).toBe(0);
      }),
    );
  });

  test('holds at most its bytes, and keeps entries that are used', () => {
    const cache = numbers(10_000);
    for (let key = 0; key < 1000; key++) {
      cache.set(key, `${key}`);
      expect(cache.get(0)).toBe('0');
    }
    const count = held(cache, 1000);
    expect(count).toBeLessThanOrEqual(100);
    expect(count).toBeGreaterThan(40);
  });

  test('of the same name shares its bytes with the others, also with those that are not used any more', () => {
    const budget = budgetFor('signers', 10_000);
    const caches = Array.from({ length: 20 }, () => createCache<number, string>('signers', { size: 100, budget }));
    for (const cache of caches) for (let key = 0; key < 90; key++) cache.set(key, 'x');
    expect(caches.reduce((sum, cache) => sum + held(cache, 90), 0)).toBeLessThanOrEqual(100);
  });

  test('does not let a very large entry evict the others, and forgets the value that it would replace', () => {
    const cache = createCache<number, string>('signers', { size: (_, text) => text.length, budget: budgetFor('signers', 1000) });
    for (let key = 0; key < 4; key++) cache.set(key, 'x'.repeat(100));
    cache.set(0, 'x'.repeat(300));
    expect([0, 1, 2, 3].map((key) => cache.get(key)?.length)).toEqual([undefined, 100, 100, 100]);
  });

  test('holds nothing without bytes, and grows when it gets some', () => {
    const budget = createCacheBudget(0);
    const cache = createCache<number, string>('signers', { size: 100, budget });
    cache.set(1, 'a');
    expect(cache.get(1)).toBeUndefined();
    budget.resize(10_000_000);
    cache.set(1, 'a');
    expect(cache.get(1)).toBe('a');
  });

  test('whose entries die with a version drops them when it changes, and takes no value of another version', () => {
    let version: number | undefined = 1;
    const cache = createCache<string, string>('results', { size: 100, version: () => version });
    cache.set('a', '1');
    expect([cache.get('a'), cache.get('a', 1), cache.get('a', 2)]).toEqual(['1', '1', undefined]);
    version = undefined;
    cache.set('b', '1');
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, undefined]);
    version = 2;
    expect(cache.get('a')).toBeUndefined();
    cache.set('a', 'made before', 1);
    expect(cache.get('a')).toBeUndefined();
    const made = cache.getOrMake('a', () => {
      version = 3;
      return 'made while it changed';
    });
    expect([made, cache.get('a')]).toEqual(['made while it changed', undefined]);
  });

  test('cannot be created with another life than its row says', () => {
    expect(() => createCache('idTexts', { size: 1, version: () => 1 })).toThrow(/idTexts.*never/);
    expect(() => createCache('results', { size: 1 })).toThrow(/results.*commit/);
  });
});

test('a cached function runs once for a key, and again after it threw', () => {
  let runs = 0;
  const half = cacheFunction('describedAssets', 100, (value: number) => {
    runs++;
    if (runs === 1) throw new RangeError('first');
    return value / 2;
  });
  expect(() => half(4)).toThrow('first');
  expect([half(4), half(4), runs]).toEqual([2, 2, 2]);
});

test('the shares of all caches are the whole', () => {
  const shares = Object.values(cacheTable).map(({ share }) => share);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBe(allShares);
  expect(createCacheBudget(allShares * 1000).bytesOf('results')).toBe(cacheTable.results.share * 1000);
});
