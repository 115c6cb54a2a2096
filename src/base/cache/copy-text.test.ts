import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { cacheFunction } from './cache.ts';
import { copyText } from './copy-text.ts';
import { createLruMap } from './lru-map.ts';

test('a copy equals its text, for any characters and length', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => expect(copyText(text)).toBe(text)));
  for (const text of ['', 'é', '\u0100', '\ud800', 'x'.repeat(100_000), `${'x'.repeat(256)}\u20ac`]) expect(copyText(text)).toBe(text);
});

const megabyte = 1_000_000;
const residentMegabytes = (): number => {
  Bun.gc(true);
  return process.memoryUsage.rss() / megabyte;
};

/** Adds 60 keys to a cache, each a substring of a different 4 MB text, and returns the growth of the process in MB. */
function growthAfter(cache: (key: string) => void): number {
  const before = residentMegabytes();
  for (let at = 0; at < 60; at++)
    cache(
      Buffer.alloc(4 * megabyte, `key ${at} `)
        .toString('latin1')
        .slice(1000, 1050),
    );
  return residentMegabytes() - before;
}

test('a cache of texts from outside does not keep the texts alive that its keys are substrings of', () => {
  const lengthOf = cacheFunction('parsedAddresses', 100, (key: string) => key.length + 1);
  expect(growthAfter((key) => lengthOf(key))).toBeLessThan(100);
});

test('an LRU map does not keep the texts alive that its keys are substrings of', () => {
  const lru = createLruMap<number>();
  expect(growthAfter((key) => lru.set(key, 1))).toBeLessThan(100);
});
