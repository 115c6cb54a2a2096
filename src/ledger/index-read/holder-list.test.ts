import { expect, test } from 'bun:test';
import type { Address } from '../../base/bytes/address.ts';
import { amountToBytes } from '../state/balance.ts';
import { createTopHolders, type HolderRow, hasFirst, readTopHolders, type TopHolders, updateTopHolders } from './holder-list.ts';

const max = 20;

/** A small generator of numbers, so that a failure can be repeated. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

test('a list of the largest holders stays exact while balances change, until it is too short', () => {
  let [remade, cut] = [0, 0];
  for (let seed = 1; seed <= 20; seed++) {
    const random = createRandom(seed);
    const balances = new Map<Address, { amount: bigint; nfts: number }>();
    const rowOf = (address: Address): HolderRow => {
      const { amount, nfts } = balances.get(address) as { amount: bigint; nfts: number };
      return { address: Buffer.from(address, 'hex'), amount: amountToBytes(amount), nfts };
    };
    // Amounts get smaller, so that more and more holders leave the list.
    let largest = 300;
    const change = (): Address => {
      const address = random(200).toString(16).padStart(40, '0') as Address;
      const amount = random(4) === 0 ? 0n : BigInt(random(largest)) << (random(99) === 0 ? 64n : 0n);
      balances.set(address, { amount, nfts: random(3) === 0 ? random(3) : 0 });
      return address;
    };
    const make = (): TopHolders => {
      const top = createTopHolders(undefined, max);
      for (const address of balances.keys()) top.add(rowOf(address));
      return top.list();
    };
    for (let i = 0; i < 100; i++) change();
    let list = make();
    for (let step = 0; step < 60; step++) {
      largest -= 4;
      const changed = new Set(Array.from({ length: 1 + random(6) }, change));
      list = updateTopHolders(list, changed, [...changed].map(rowOf), max);
      if (list.floor !== undefined) cut++;
      if (!hasFirst(list, max / 2)) {
        list = make();
        remade++;
      }
      const expected = [...balances]
        .map(([address, sums]) => ({ address, ...sums }))
        .filter(({ amount, nfts }) => amount > 0n || nfts > 0)
        .sort((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : b.nfts - a.nfts || (a.address < b.address ? 1 : -1)));
      expect(readTopHolders(list, 0, max / 2)).toEqual(expected.slice(0, max / 2));
      expect(readTopHolders(list, 3, 4)).toEqual(expected.slice(3, 7));
    }
  }
  expect(remade).toBeGreaterThan(0);
  expect(cut).toBeGreaterThan(100);
});

test('a balance without a row or with nothing is no holder', () => {
  const top = createTopHolders();
  top.add({ address: Buffer.alloc(20, 1), amount: null, nfts: null });
  top.add({ address: Buffer.alloc(20, 2), amount: amountToBytes(0n), nfts: 0 });
  top.add({ address: Buffer.alloc(20, 3), amount: amountToBytes(0n), nfts: 7 });
  expect(readTopHolders(top.list(), 0, 9)).toEqual([{ address: '03'.repeat(20) as Address, amount: 0n, nfts: 7 }]);
});
