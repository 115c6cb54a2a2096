import { expect, test } from 'bun:test';
import { createReadyBlocks, type FetchedBlock } from './ready-blocks.ts';

const fetched = (txs: number, bytes: number): FetchedBlock =>
  ({ block: { txs: Array.from({ length: txs }), bytes: new Uint8Array(bytes) }, prepared: Promise.resolve() }) as unknown as FetchedBlock;
const all = { txs: 1000, bytes: 100_000 };

test('blocks that arrive in any order are taken in order, up to the first that is missing', () => {
  const ready = createReadyBlocks(5n);
  const [five, six, eight] = [fetched(1, 10), fetched(2, 20), fetched(3, 30)];
  ready.add(8n, eight);
  ready.add(6n, six);
  expect([ready.hasNext(), ready.next(), ready.runEnd(), ready.bytes()]).toEqual([false, 5n, 5n, 50]);
  expect(ready.take(all)).toEqual([]);
  ready.add(5n, five);
  expect([ready.hasNext(), ready.runEnd(), ready.bytes()]).toEqual([true, 7n, 60]);
  expect(ready.take(all)).toEqual([five, six]);
  expect([ready.hasNext(), ready.next(), ready.runEnd(), ready.bytes()]).toEqual([false, 7n, 7n, 30]);
  ready.add(7n, five);
  expect(ready.take(all)).toEqual([five, eight]);
  expect([ready.next(), ready.bytes()]).toEqual([9n, 0]);
});

test('a batch has at most so many transactions and bytes, but always a block', () => {
  const ready = createReadyBlocks(0n);
  for (let height = 0n; height < 4n; height++) ready.add(height, fetched(2, 20));
  expect(ready.take({ txs: 4, bytes: 1000 })).toHaveLength(2);
  expect(ready.take({ txs: 100, bytes: 39 })).toHaveLength(1);
  expect(ready.take({ txs: 1, bytes: 1 })).toHaveLength(1);
  expect(ready.next()).toBe(4n);
});

test('a batch is full when the blocks that can be taken reach one of the limits', () => {
  const ready = createReadyBlocks(0n);
  const fills = () => [ready.fills({ txs: 4, bytes: 1000 }), ready.fills({ txs: 100, bytes: 40 })];
  ready.add(0n, fetched(2, 20));
  // It cannot be taken before the one that is missing.
  ready.add(2n, fetched(50, 500));
  expect(fills()).toEqual([false, false]);
  ready.add(1n, fetched(2, 19));
  expect(fills()).toEqual([true, true]);
  ready.take({ txs: 4, bytes: 1000 });
  ready.take(all);
  expect(fills()).toEqual([false, false]);
});

test('after a restart nothing of before is left', () => {
  const ready = createReadyBlocks(0n);
  ready.add(0n, fetched(2, 20));
  ready.restart(7n);
  expect([ready.next(), ready.runEnd(), ready.bytes(), ready.hasNext(), ready.fills({ txs: 1, bytes: 1 })]).toEqual([
    7n,
    7n,
    0,
    false,
    false,
  ]);
  ready.add(7n, fetched(1, 1));
  expect(ready.take(all)).toHaveLength(1);
});
