import { expect, test } from 'bun:test';
import { consumedIds } from '../src/avm/tx/effects.ts';
import { zeroId } from '../src/base/bytes/id.ts';
import { ewoqGenesisUtxo } from '../test/wallet-kit.ts';
import { createChainGenerator, minAmount } from './data-chain.ts';

function generate(blocks: number) {
  const { nextBlock, hotAddress } = createChainGenerator(1, 50);
  let parent = { id: zeroId, height: 0n };
  return {
    hotAddress,
    blocks: Array.from({ length: blocks }, (_, i) => {
      const made = nextBlock(parent, BigInt(i), 100);
      parent = made.block;
      return made;
    }),
  };
}

test('every transaction spends outputs of earlier transactions, and each output at most once', () => {
  const { blocks, hotAddress } = generate(40);
  const unspent = new Set([ewoqGenesisUtxo.id]);
  let hot = 0;
  for (const { diff } of blocks)
    for (const { tx, effects } of diff.applied) {
      for (const id of consumedIds(tx)) expect(unspent.delete(id)).toBe(true);
      expect(tx.credentials.length).toBe(tx.unsigned.inputs.length);
      for (const { id, output } of effects.created) {
        unspent.add(id);
        expect('amount' in output && output.amount >= minAmount).toBe(true);
        if (output.addresses[0] === hotAddress) hot++;
      }
    }
  expect(unspent.size).toBeGreaterThan(4000);
  expect(hot).toBeGreaterThan(200);
});

test('the same seed generates the same blocks', () => {
  const ids = () => generate(2).blocks.map(({ block }) => block.id);
  expect(ids()).toEqual(ids());
});
