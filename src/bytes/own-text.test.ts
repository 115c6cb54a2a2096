import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createLruMap } from './lru-map.ts';
import { memoize } from './memoize.ts';
import { ownText } from './own-text.ts';

test('a copy equals its text, whatever characters and however long', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => expect(ownText(text)).toBe(text)));
  for (const text of ['', 'é', '\u0100', '\ud800', 'x'.repeat(100_000), `${'x'.repeat(256)}\u20ac`]) expect(ownText(text)).toBe(text);
});

const megabyte = 1_000_000;
const residentMegabytes = (): number => {
  Bun.gc(true);
  return process.memoryUsage.rss() / megabyte;
};

/** Hands a cache 60 keys, each a piece of a text of 4 MB of its own, and returns by how many MB the process has grown. */
function growth(cache: (key: string) => void): number {
  const before = residentMegabytes();
  for (let at = 0; at < 60; at++)
    cache(
      Buffer.alloc(4 * megabyte, `key ${at} `)
        .toString('latin1')
        .slice(1000, 1050),
    );
  return residentMegabytes() - before;
}

test('a memo does not keep the texts alive that its keys were cut from', () => {
  const remembered = memoize(1000, (key: string) => key.length);
  expect(growth((key) => remembered(key))).toBeLessThan(100);
});

test('a recency map does not keep the texts alive that its keys were cut from', () => {
  const recency = createLruMap<number>();
  expect(growth((key) => recency.set(key, 1))).toBeLessThan(100);
});
