import { expect, test } from 'bun:test';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createByteBudget } from './byte-budget.ts';
import { createOutboundQueue } from './outbound-queue.ts';

const node = 'aa'.repeat(20) as NodeId;

/** A queue on a socket that takes a write when the test says so. */
function openQueue() {
  const budget = createByteBudget({ atLarge: 1_000_000, nodeAtLarge: 500_000, validators: 0 }, { of: () => 0n, total: () => 0n });
  const writes: { readonly bytes: Uint8Array; readonly written: () => void }[] = [];
  const queue = createOutboundQueue(node, { write: (bytes, written) => void writes.push({ bytes, written }) }, budget, () => 0);
  const push = (size: number, fill: number): boolean => queue.push(new Uint8Array(size).fill(fill), false, 0);
  return { budget, writes, queue, push };
}

test('frames of one turn are one write, in order; the next turn is the next write', async () => {
  const { writes, push } = openQueue();
  for (let i = 1; i <= 5; i++) push(10, i);
  expect(writes.length).toBe(0);
  await Promise.resolve();
  expect(writes.map(({ bytes }) => [...bytes])).toEqual([[1, 2, 3, 4, 5].flatMap((i) => Array<number>(10).fill(i))]);
  push(3, 9);
  await Promise.resolve();
  expect(writes.length).toBe(2);
});

test('a large frame is written alone, without a copy; joined frames stay below the size of a TLS record', async () => {
  const { writes, queue, push } = openQueue();
  const large = new Uint8Array(40_000);
  push(100, 1);
  queue.push(large, false, 0);
  for (let i = 0; i < 5; i++) push(6000, 2);
  await Promise.resolve();
  expect(writes.map(({ bytes }) => bytes.length)).toEqual([100, 40_000, 12_000, 12_000, 6000]);
  expect(writes[1]?.bytes).toBe(large);
});

test('what the socket has not taken is bounded; each write that it takes releases its frames', async () => {
  const { budget, writes, queue, push } = openQueue();
  for (let i = 0; i < 30; i++) expect(push(10_000, i)).toBe(true);
  await Promise.resolve();
  const begun = writes.length;
  expect(begun * 10_000).toBeLessThan(65_536 + 10_000);
  expect(queue.stalledSince()).toBe(0);
  for (let i = 0; i < 30; i++) writes[i]?.written();
  expect(writes.length).toBe(30);
  expect(budget.granted()).toBe(0);
  expect(queue.stalledSince()).toBe(undefined);
});

test('closing releases queued and written frames, and nothing is written afterwards', async () => {
  const { budget, writes, queue, push } = openQueue();
  for (let i = 0; i < 20; i++) push(10_000, i);
  await Promise.resolve();
  const begun = writes.length;
  push(1, 1);
  queue.close();
  for (const { written } of writes) written();
  await Promise.resolve();
  expect([writes.length, budget.granted(), push(1, 1)]).toEqual([begun, 0, false]);
});
