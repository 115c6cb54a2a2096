import { expect, test } from 'bun:test';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Id } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { createWalletQueue } from './wallet-queue.ts';

const tx = (id: string) => ({ id }) as unknown as Tx;

/** Creates a queue whose first transaction is decided, whose second is being prepared, and whose third waits. */
function createPreparingQueue(refused?: string) {
  const mempool: string[] = [];
  let preparation: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  const add = ({ id }: Tx) => {
    if (id === refused) throw new Fault('refused', { code: 'TEST_REFUSED' });
    mempool.push(id);
  };
  const prepare = ({ id }: Tx) =>
    id === 'large'
      ? new Promise<void>((resolve, reject) => {
          preparation = { resolve, reject };
        })
      : undefined;
  const queue = createWalletQueue(add, true, prepare);
  for (const id of ['first', 'large', 'last']) queue.issue(tx(id));
  queue.onDecided('first' as Id);
  expect(mempool).toEqual(['first']);
  return { mempool, queue, preparation: preparation as NonNullable<typeof preparation> };
}

test('a transaction is added to the mempool when it is prepared, the next one when it is decided', async () => {
  const { mempool, queue, preparation } = createPreparingQueue();
  preparation.resolve();
  await Promise.resolve();
  expect(mempool).toEqual(['first', 'large']);
  queue.onDecided('large' as Id);
  expect(mempool).toEqual(['first', 'large', 'last']);
});

test('a transaction whose preparation fails is added as well', async () => {
  const { mempool, preparation } = createPreparingQueue();
  preparation.reject(new Fault('busy', { code: 'TEST_BUSY' }));
  await Promise.resolve();
  expect(mempool).toEqual(['first', 'large']);
});

test('after a transaction that the mempool refuses, the next one is added', async () => {
  const { mempool, queue, preparation } = createPreparingQueue('large');
  preparation.resolve();
  await Promise.resolve();
  expect(mempool).toEqual(['first', 'last']);
  expect(queue.has('large' as Id)).toBe(false);
});

test('a transaction that was accepted during its preparation is not added', async () => {
  const { mempool, queue, preparation } = createPreparingQueue();
  queue.onDecided('large' as Id);
  preparation.resolve();
  await Promise.resolve();
  expect(mempool).toEqual(['first', 'last']);
});
