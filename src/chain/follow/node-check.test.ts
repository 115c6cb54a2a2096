import { expect, test } from 'bun:test';
import { type Id, idOf } from '../../base/bytes/id.ts';
import { FollowError } from './fault.ts';
import { createNodeCheck } from './node-check.ts';
import type { BlockPosition } from './verify-blocks.ts';

const bytesOf = (height: bigint, chain = 'ours') => Buffer.from(`${chain} ${height}`);
const idAt = (height: bigint, chain = 'ours') => idOf(bytesOf(height, chain));
const at = (height: bigint): BlockPosition => ({ id: idAt(height), height, time: 0n });
const chainID = idOf(Buffer.from('chain'));

/** A node that has our blocks up to height 20, but `other` ones at the given heights. `asked`: heights of the blocks that it was asked for. */
function open() {
  const state = { network: 1, chain: chainID, other: new Set<bigint>(), now: 0, random: 0, verified: 0 };
  const asked: bigint[] = [];
  const wentBack: bigint[] = [];
  const check = createNodeCheck({
    remote: {
      networkID: async () => state.network,
      blockchainID: async () => state.chain,
      blockAt: async (height: bigint) => {
        asked.push(height);
        return height > 20n ? undefined : { id: idAt(height, state.other.has(height) ? 'other' : 'ours') };
      },
    } as never,
    expectedNode: { networkID: 1, chainID, firstBlockID: idAt(0n) },
    ledger: { blockAt: async (height: bigint) => bytesOf(height) } as never,
    timing: { now: () => state.now, random: () => state.random } as never,
    goBack: async (from) => {
      wentBack.push(from.height);
      return from;
    },
    onVerified: () => {
      state.verified++;
    },
  });
  const codeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'fine',
      (error: unknown) => (error instanceof FollowError ? error.fault.code : String(error)),
    );
  return { state, asked, wentBack, check, codeOf };
}

test('a node is checked by its network, chain, first block and the last block here', async () => {
  const { state, asked, check, codeOf } = open();
  expect(await check.check(at(7n))).toEqual(at(7n));
  expect([asked, state.verified]).toEqual([[0n, 7n], 1]);
  state.network = 2;
  expect(await codeOf(check.check(at(7n)))).toBe('FOLLOW_OTHER_NETWORK');
  [state.network, state.chain] = [1, idOf(Buffer.from('other')) as Id];
  expect(await codeOf(check.check(at(7n)))).toBe('FOLLOW_OTHER_NETWORK');
  state.chain = chainID;
  state.other.add(0n);
  expect(await codeOf(check.check(at(7n)))).toBe('FOLLOW_BLOCK_CHANGED');
  expect(state.verified).toBe(1);
  state.other.clear();
  // A node that has not got that far is no other node.
  expect(await codeOf(check.check(at(25n)))).toBe('fine');
});

test('a block that differed is looked at again, until it is right', async () => {
  const { state, asked, check, codeOf } = open();
  state.other.add(7n);
  expect(await codeOf(check.check(at(7n)))).toBe('FOLLOW_BLOCK_CHANGED');
  asked.length = 0;
  expect(await codeOf(check.check(at(9n)))).toBe('FOLLOW_BLOCK_CHANGED');
  expect(asked).toEqual([0n, 9n, 7n]);
  state.other.clear();
  asked.length = 0;
  expect(await codeOf(check.check(at(9n)))).toBe('fine');
  expect(await codeOf(check.check(at(9n)))).toBe('fine');
  expect(asked).toEqual([0n, 9n, 7n, 0n, 9n]);
});

test('a verified node is asked nothing for a minute, then for a random block up to the last one', async () => {
  const { state, asked, check, codeOf } = open();
  await check.recheck(at(9n), false);
  expect([asked, state.verified]).toEqual([[0n, 9n], 1]);
  asked.length = 0;
  state.now = 59_999;
  await check.recheck(at(9n), false);
  expect(asked).toEqual([]);
  [state.now, state.random] = [60_000, 0.999];
  await check.recheck(at(9n), false);
  await check.recheck(at(9n), false);
  expect(asked).toEqual([9n]);
  [state.now, state.random] = [120_000, 0];
  state.other.add(0n);
  expect(await codeOf(check.recheck(at(9n), false))).toBe('FOLLOW_BLOCK_CHANGED');
});

test('the last block is looked at when that is due, and a node that failed is verified again', async () => {
  const { state, wentBack, check } = open();
  await check.recheck(at(9n), false);
  await check.recheck(at(9n), false);
  expect(wentBack).toEqual([9n]);
  await check.recheck(at(10n), true);
  expect([wentBack, state.verified]).toEqual([[9n, 10n], 1]);
  check.distrust();
  await check.recheck(at(10n), false);
  expect(state.verified).toBe(2);
});
