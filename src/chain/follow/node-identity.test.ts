import { expect, test } from 'bun:test';
import { makeBlock } from '../../avm/tx/block.ts';
import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import type { AnyFault } from '../../base/fault.ts';
import { blockChanged, checkNodeIdentity, checkStoredBlock } from './node-identity.ts';

const blockOf = (height: bigint, time = 0n) => makeBlock({ parentID: zeroId, height, time, txs: [] });
const [genesis, other] = [blockOf(0n), blockOf(0n, 9n)];
const chain = 'ab'.repeat(32) as Id;
const node = { networkID: async () => 5, blockchainID: async () => chain, blockAt: async () => genesis as typeof genesis | undefined };
const expected = { networkID: 5, chainID: chain, firstBlockID: genesis.id };

const faultOf = async (check: Promise<void>): Promise<object | undefined> =>
  check.then(
    () => undefined,
    ({ fault, message }: AnyFault) => ({ ...fault, message }),
  );

test('a node of the same network, chain and first block is accepted; so is one that has no first block', async () => {
  expect(await faultOf(checkNodeIdentity(node, expected))).toBeUndefined();
  expect(await faultOf(checkNodeIdentity({ ...node, blockAt: async () => undefined }, expected))).toBeUndefined();
});

test('a node of another network, chain or first block is refused', async () => {
  const [mine, theirs] = [idText(chain), idText(zeroId)];
  expect(await faultOf(checkNodeIdentity({ ...node, networkID: async () => 1 }, expected))).toEqual({
    ...{ code: 'FOLLOW_OTHER_NETWORK', what: 'network', want: '5', got: '1' },
    message: 'the followed node is of network 1, not of network 5',
  });
  expect(await faultOf(checkNodeIdentity({ ...node, blockchainID: async () => zeroId }, expected))).toEqual({
    ...{ code: 'FOLLOW_OTHER_NETWORK', what: 'chain', want: mine, got: theirs },
    message: `the followed node is of chain ${theirs}, not of chain ${mine}`,
  });
  expect(await faultOf(checkNodeIdentity({ ...node, blockAt: async () => other }, expected))).toMatchObject({
    ...{ code: 'FOLLOW_BLOCK_CHANGED', height: '0', held: idText(genesis.id), told: idText(other.id) },
  });
});

test('the chain is asked for by its alias', async () => {
  const aliases: string[] = [];
  const blockchainID = async (alias: string): Promise<Id> => {
    aliases.push(alias);
    return chain;
  };
  await checkNodeIdentity({ ...node, blockchainID }, expected);
  await checkNodeIdentity({ ...node, blockchainID }, { ...expected, alias: 'swap' });
  expect(aliases).toEqual(['X', 'swap']);
});

test('the block of a height is compared if both have it', async () => {
  const check = (stored: Uint8Array | undefined, told: typeof genesis | undefined) =>
    faultOf(checkStoredBlock({ ...node, blockAt: async () => told }, { blockAt: (() => stored) as never }, 7n));
  expect([await check(undefined, other), await check(genesis.bytes, undefined), await check(genesis.bytes, genesis)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(await check(genesis.bytes, other)).toMatchObject({ code: 'FOLLOW_BLOCK_CHANGED', height: '7' });
});

test('a block that is gone is told as gone', () => {
  const { message, fault } = blockChanged(7n, genesis.id, undefined);
  expect(message).toBe(`block 7 of the followed node is gone, but ${idText(genesis.id)} is stored here`);
  expect(fault).toEqual({ code: 'FOLLOW_BLOCK_CHANGED', height: '7', held: idText(genesis.id), told: undefined } as never);
});
