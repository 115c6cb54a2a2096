import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { createAddressTask } from './address-task.ts';

const address = (n: number) => n.toString(16).padStart(40, '0') as Address;
const addresses = Array.from({ length: 20 }, (_, i) => address(i));

/** Work that the test resolves or rejects. */
function slowWork() {
  const log: Address[] = [];
  const pending = new Map<Address, PromiseWithResolvers<void>>();
  const work = (one: Address): Promise<void> => {
    log.push(one);
    const deferred = Promise.withResolvers<void>();
    pending.set(one, deferred);
    return deferred.promise;
  };
  const settle = async (how: 'resolve' | 'reject' = 'resolve'): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    for (const [one, { resolve, reject }] of pending) {
      pending.delete(one);
      if (how === 'resolve') resolve();
      else reject(new Error('no'));
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { log, pending, work, settle };
}

test('concurrent callers for the same address share one run, and the number of concurrent runs is limited', async () => {
  const { log, pending, work, settle } = slowWork();
  const runTask = createAddressTask(work, { concurrency: 8 });
  const all = Promise.all([runTask(addresses), runTask([...addresses, ...addresses]), runTask(addresses.slice(3))]);
  for (let rounds = 0; rounds < 3; rounds++) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(pending.size).toBe(rounds < 2 ? 8 : 4);
    await settle();
  }
  await all;
  await runTask(addresses);
  expect(log.sort()).toEqual(addresses);
});

test('a failed address is retried on the next call and does not block others', async () => {
  const { log, work, settle } = slowWork();
  const runTask = createAddressTask(work, { concurrency: 1 });
  const outcome = runTask([address(1)]).then(String, (error) => error.message);
  const other = runTask([address(2)]);
  await settle('reject');
  expect(await outcome).toBe('no');
  await settle();
  await other;
  const again = runTask([address(1), address(2)]);
  await settle();
  await again;
  expect(log).toEqual([address(1), address(2), address(1)]);
});

test('an address is processed again after validFor has passed', async () => {
  let now = 0;
  const log: Address[] = [];
  const runTask = createAddressTask(async (one) => void log.push(one), {
    concurrency: 2,
    validFor: { milliseconds: 2000, now: () => now },
  });
  for (const at of [0, 1000, 1999, 2000, 3999, 4001]) {
    now = at;
    await runTask([address(1)]);
  }
  expect(log).toHaveLength(3);
});

test('a slow address takes one place; the others go on', async () => {
  const { pending, work, settle } = slowWork();
  const slow = Promise.withResolvers<void>();
  const runTask = createAddressTask((one) => (one === address(0) ? slow.promise : work(one)), { concurrency: 2 });
  const first = runTask([address(0)]);
  const others = runTask(addresses.slice(1, 4));
  for (let rounds = 0; rounds < 3; rounds++) await settle();
  expect(pending.size).toBe(0);
  await others;
  slow.resolve();
  await first;
});
