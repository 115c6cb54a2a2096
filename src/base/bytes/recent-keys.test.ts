import { expect, test } from 'bun:test';
import { createRecentKeys } from './recent-keys.ts';

test('a key is known once it was added, and forgotten after many others', () => {
  const keys = createRecentKeys(100);
  expect(keys.addAndCheck('a')).toBe(false);
  expect(keys.addAndCheck('a')).toBe(true);
  expect(keys.addAndCheck('b')).toBe(false);
  for (let i = 0; i < 120; i++) keys.addAndCheck(`other ${i}`);
  expect(keys.addAndCheck('a')).toBe(false);
});
