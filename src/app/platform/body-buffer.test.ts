import { expect, test } from 'bun:test';
import { createBodyBudget } from './body-budget.ts';
import { createBodyBuffer } from './body-buffer.ts';
import type { ServeError } from './serve.ts';

const codeOf = (run: () => void): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as ServeError).fault.code;
  }
};

/** Number of bytes left in a budget. */
function leftOf(budget: ReturnType<typeof createBodyBudget>): number {
  let left = 0;
  while (budget.tryTake(1)) left++;
  budget.giveBack(left);
  return left;
}

test('chunks are joined, and all memory is returned to the budget', () => {
  const budget = createBodyBudget(100_000);
  const buffer = createBodyBuffer(50_000, budget);
  const all = Buffer.alloc(50_000, 'abcdefg');
  for (let at = 0; at < all.length; at += 777) buffer.add(all.subarray(at, Math.min(at + 777, all.length)));
  expect(Buffer.from(buffer.toBytes()).equals(all)).toBe(true);
  // The buffer doubles, but never takes more than the limit.
  expect(leftOf(budget)).toBe(50_000);
  buffer.release();
  expect(leftOf(budget)).toBe(100_000);
  buffer.release();
  expect(leftOf(budget)).toBe(100_000);
});

test('a body is rejected at the first byte above its limit', () => {
  const buffer = createBodyBuffer(5, createBodyBudget(1000));
  buffer.add(Buffer.from('abcde'));
  expect(codeOf(() => buffer.add(Buffer.from('f')))).toBe('BODY_TOO_LARGE');
  expect(Buffer.from(buffer.toBytes()).toString()).toBe('abcde');
});

test('a chunk that exceeds the budget is rejected', () => {
  const budget = createBodyBudget(10_000);
  const first = createBodyBuffer(9000, budget);
  const second = createBodyBuffer(9000, budget);
  first.add(Buffer.alloc(9000));
  expect(codeOf(() => second.add(Buffer.alloc(2000)))).toBe('BODY_OVER_BUDGET');
  first.release();
  second.add(Buffer.alloc(2000));
  expect(second.toBytes()).toHaveLength(2000);
});

test('a released buffer rejects further chunks', () => {
  const budget = createBodyBudget(10_000);
  const buffer = createBodyBuffer(9000, budget);
  buffer.add(Buffer.alloc(10));
  buffer.release();
  expect(codeOf(() => buffer.add(Buffer.alloc(1)))).toBe('BODY_TOO_LARGE');
  expect(leftOf(budget)).toBe(10_000);
});

test('more than 16,384 chunks must have 16 bytes on average', () => {
  const small = createBodyBuffer(1_000_000, createBodyBudget(1_000_000));
  const one = Buffer.from('x');
  for (let at = 0; at < 16_384; at++) small.add(one);
  expect(codeOf(() => small.add(one))).toBe('BODY_FRAGMENTED');
  const fair = createBodyBuffer(1_000_000, createBodyBudget(1_000_000));
  for (let at = 0; at < 50_000; at++) fair.add(Buffer.alloc(16));
  expect(fair.toBytes()).toHaveLength(800_000);
});
