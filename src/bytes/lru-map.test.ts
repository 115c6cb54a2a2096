import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createLruMap } from './lru-map.ts';

type Step = readonly ['get' | 'set' | 'delete', string];
const steps = fc.array(fc.tuple(fc.constantFrom<Step[0]>('get', 'set', 'delete'), fc.constantFrom('a', 'b', 'c', 'd')), { maxLength: 60 });

test('as a map whose entries are moved to its end', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const recency = createLruMap<number>();
      const plain = new Map<string, number>();
      all.forEach(([what, key], value) => {
        if (what === 'set') {
          plain.delete(key);
          plain.set(key, value);
          recency.set(key, value);
        } else if (what === 'delete') {
          plain.delete(key);
          recency.delete(key);
        } else {
          const known = plain.get(key);
          expect(recency.get(key)).toBe(known as number);
          if (known !== undefined) {
            plain.delete(key);
            plain.set(key, known);
          }
        }
        expect(recency.size()).toBe(plain.size);
      });
      const order: [string, number][] = [];
      for (let oldest = recency.oldest(); oldest !== undefined; oldest = recency.oldest()) {
        order.push([oldest.key, oldest.value]);
        recency.delete(oldest.key);
      }
      expect(order).toEqual([...plain]);
    }),
  );
});
