import { expect, spyOn, test } from 'bun:test';
import { ownMemory } from './own-memory.ts';

test('while the memory cannot be read, it is what was read last', () => {
  const before = ownMemory.residentBytes();
  expect(before).toBeGreaterThan(10_000_000);
  const failing = spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
    throw new Error('Failed to get memory usage');
  });
  try {
    expect(ownMemory.residentBytes()).toBe(before);
  } finally {
    failing.mockRestore();
  }
  expect(ownMemory.heapBytes()).toBeGreaterThan(10_000);
});
