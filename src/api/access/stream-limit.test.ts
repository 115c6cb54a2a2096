import { expect, test } from 'bun:test';
import { createStreamLimit } from './stream-limit.ts';

test('a client has so many streams and no more; another client has its own', () => {
  const limit = createStreamLimit(2);
  const ends = [1, 2, 3].map(() => limit.take('client'));
  expect(ends.map((end) => end !== undefined)).toEqual([true, true, false]);
  expect(limit.take('other')).toBeDefined();
  ends[0]?.();
  expect(limit.count('client')).toBe(1);
  expect(limit.take('client')).toBeDefined();
  expect(limit.take('client')).toBeUndefined();
});

test('a stream that is ended twice makes room for one', () => {
  const limit = createStreamLimit(3);
  const [first] = [1, 2, 3].map(() => limit.take('client'));
  first?.();
  first?.();
  expect(limit.count('client')).toBe(2);
});
