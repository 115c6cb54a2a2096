import { expect, test } from 'bun:test';
import { createBatchSize } from './batch-size.ts';

test('a failed commit halves the next batches, down to a least size; stored ones double them again', () => {
  const size = createBatchSize({ txs: 1000, bytes: 64_000 });
  expect(size.limit()).toEqual({ txs: 1000, bytes: 64_000 });
  size.onFailed();
  size.onFailed();
  expect(size.limit()).toEqual({ txs: 250, bytes: 16_000 });
  for (let i = 0; i < 20; i++) size.onFailed();
  expect(size.limit()).toEqual({ txs: 16, bytes: 1000 });
  size.onStored();
  expect(size.limit()).toEqual({ txs: 32, bytes: 2000 });
  for (let i = 0; i < 20; i++) size.onStored();
  expect(size.limit()).toEqual({ txs: 1000, bytes: 64_000 });
});
