import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createLruMap } from './lru-map.ts';

type Step = readonly ['get' | 'set' | 'delete', string];
const steps = fc.array(fc.tuple(fc.constantFrom<Step[0]>('get', 'set', 'delete'), fc.constantFrom('a', 'b', 'c', 'd')), { maxLength: 60 });

test('behaves as a Map whose entries are moved to the end on every get and set', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      const lru = createLruMap<number>();
      const model = new Map<string, number>();
      sequence.forEach(([action, key], value) => {
        if (action === 'set') {
          model.delete(key);
          model.set(key, value);
          lru.set(key, value);
        } else if (action === 'delete') {
          model.delete(key);
          lru.delete(key);
        } else {
          const current = model.get(key);
          expect(lru.get(key)).toBe(current as number);
          if (current !== undefined) {
            model.delete(key);
            model.set(key, current);
          }
        }
        expect(lru.size()).toBe(model.size);
      });
      const order: [string, number][] = [];
      for (let oldest = lru.oldest(); oldest !== undefined; oldest = lru.oldest()) {
        order.push([oldest.key, oldest.value]);
        lru.delete(oldest.key);
      }
      expect(order).toEqual([...model]);
    }),
  );
});

test('with a maximum, a new key evicts the one that was used longest ago', () => {
  const lru = createLruMap<number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  lru.get('a');
  lru.set('c', 3);
  expect([lru.get('a'), lru.get('b'), lru.get('c'), lru.size()]).toEqual([1, undefined, 3, 2]);
});
