import { expect, test } from 'bun:test';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Address } from '../../base/bytes/address.ts';
import { createImpersonation } from './impersonation.ts';

const address = (n: number): Address => n.toString(16).padStart(40, '0') as Address;
const tx = (id: string): Tx => ({ id }) as unknown as Tx;

test('addresses are impersonated one by one, or all', () => {
  const impersonation = createImpersonation();
  const { add, remove, has, setAll, isActive, isAll, addresses } = impersonation;
  expect([isActive(), has(address(1)), isAll(), addresses()]).toEqual([false, false, false, []]);
  add(address(1));
  add(address(1));
  expect([isActive(), has(address(1)), has(address(2)), addresses()]).toEqual([true, true, false, [address(1)]]);
  expect([remove(address(1)), remove(address(1)), isActive(), has(address(1))]).toEqual([true, false, false, false]);
  setAll(true);
  expect([isActive(), isAll(), has(address(2)), addresses()]).toEqual([true, true, true, []]);
  setAll(false);
  expect([isActive(), isAll(), has(address(2))]).toEqual([false, false, false]);
});

test('10,000 addresses can be impersonated one by one', () => {
  const { add, addresses } = createImpersonation();
  for (let n = 0; n < 10_000; n++) add(address(n));
  expect(() => add(address(10_000))).toThrow('10000 addresses are impersonated already');
  add(address(7));
  expect(addresses()).toHaveLength(10_000);
});

test('the transactions of a block that needed it are marked, until they no longer do', () => {
  const { mark, markedIn } = createImpersonation();
  const [one, two, three] = [tx('1'), tx('2'), tx('3')];
  mark(one, true);
  mark(two, false);
  mark(three, true);
  expect(markedIn({ txs: [three, two, one] }) as readonly string[]).toEqual(['3', '1']);
  mark(one, false);
  expect(markedIn({ txs: [one, two, three] }) as readonly string[]).toEqual(['3']);
});
