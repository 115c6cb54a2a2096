import { expect, test } from 'bun:test';
import { zeroId } from '../src/bytes/id.ts';
import { consumedIds } from '../src/tx/effects.ts';
import { ewoqGenesisUtxo } from '../test/wallet-kit.ts';
import { leastAmount, startGrowth } from './data-chain.ts';

function grown(blocks: number) {
  const { next, hotAddress } = startGrowth(1, 50);
  let parent = { id: zeroId, height: 0n };
  return {
    hotAddress,
    blocks: Array.from({ length: blocks }, (_, i) => {
      const made = next(parent, BigInt(i), 100);
      parent = made.block;
      return made;
    }),
  };
}

test('every transaction spends what ones before it made, and nothing twice', () => {
  const { blocks, hotAddress } = grown(40);
  const held = new Set([ewoqGenesisUtxo.id]);
  let hot = 0;
  for (const { diff } of blocks)
    for (const { tx, effects } of diff.applied) {
      for (const id of consumedIds(tx)) expect(held.delete(id)).toBe(true);
      expect(tx.credentials.length).toBe(tx.unsigned.inputs.length);
      for (const { id, output } of effects.created) {
        held.add(id);
        expect('amount' in output && output.amount >= leastAmount).toBe(true);
        if (output.addresses[0] === hotAddress) hot++;
      }
    }
  expect(held.size).toBeGreaterThan(4000);
  expect(hot).toBeGreaterThan(200);
});

test('it is the same every time', () => {
  const ids = () => grown(2).blocks.map(({ block }) => block.id);
  expect(ids()).toEqual(ids());
});
