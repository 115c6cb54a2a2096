import { expect, test } from 'bun:test';
import type { Address } from '../bytes/address.ts';
import { perAddress } from './per-address.ts';

const address = (n: number) => n.toString(16).padStart(40, '0') as Address;
const some = Array.from({ length: 20 }, (_, i) => address(i));

/** Work that ends when told, and may fail. */
function slowWork() {
  const log: Address[] = [];
  const open = new Map<Address, PromiseWithResolvers<void>>();
  const work = (one: Address): Promise<void> => {
    log.push(one);
    const deferred = Promise.withResolvers<void>();
    open.set(one, deferred);
    return deferred.promise;
  };
  const settle = async (how: 'resolve' | 'reject' = 'resolve'): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    for (const [one, { resolve, reject }] of open) {
      open.delete(one);
      if (how === 'resolve') resolve();
      else reject(new Error('no'));
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { log, open, work, settle };
}

test('several who want the same wait for the same work, which is done for some addresses at once', async () => {
  const { log, open, work, settle } = slowWork();
  const complete = perAddress(work, { atOnce: 8 });
  const all = Promise.all([complete(some), complete([...some, ...some]), complete(some.slice(3))]);
  for (let rounds = 0; rounds < 3; rounds++) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(open.size).toBe(rounds < 2 ? 8 : 4);
    await settle();
  }
  await all;
  await complete(some);
  expect(log.sort()).toEqual(some);
});

test('who could not be helped is helped the next time; the others are not held up', async () => {
  const { log, work, settle } = slowWork();
  const complete = perAddress(work, { atOnce: 1 });
  const outcome = complete([address(1)]).then(String, (error) => error.message);
  const other = complete([address(2)]);
  await settle('reject');
  expect(await outcome).toBe('no');
  await settle();
  await other;
  const again = complete([address(1), address(2)]);
  await settle();
  await again;
  expect(log).toEqual([address(1), address(2), address(1)]);
});

test('what holds for a while is done again after it', async () => {
  let now = 0;
  const log: Address[] = [];
  const complete = perAddress(async (one) => void log.push(one), { atOnce: 2, holds: { milliseconds: 2000, now: () => now } });
  for (const at of [0, 1000, 1999, 2000, 3999, 4001]) {
    now = at;
    await complete([address(1)]);
  }
  expect(log).toHaveLength(3);
});
