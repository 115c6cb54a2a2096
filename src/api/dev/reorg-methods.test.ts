import { expect, test } from 'bun:test';
import { makeBlock } from '../../avm/tx/block.ts';
import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import { genesis, spend } from '../../chain/lifecycle/memory-chain.fixture.ts';
import { reorgMethods } from './reorg-methods.ts';

const txOf = (index: number) => spend([[genesis.id, index]]);
const [inBlock, waiting, late] = [txOf(0), txOf(1), txOf(2)];
const block = makeBlock({ parentID: genesis.id, height: 2n, time: 1000n, txs: [inBlock] });

/** Two blocks, and a mempool with one transaction. `beforeTurn` runs while the reorg waits for another call. */
function setUp({ mine = () => block, beforeTurn = () => {} }: { mine?: () => EngineBlock; beforeTurn?: () => void } = {}) {
  const tip = { ...block };
  const mempool = [waiting];
  const prepared: Id[] = [];
  const returned: Id[] = [];
  const calls: string[] = [];
  const run = () =>
    reorgMethods.reorg.run(
      {
        chain: {
          issue: () => {},
          pending: () => ({ mempool: [...mempool], walletQueue: [] }),
          fetchAndRecover: async ({ id }) => {
            prepared.push(id);
            throw new Error('the forked node does not answer');
          },
        },
        engine: { mine },
        ledger: { lastAccepted: () => ({ ...tip }), blockIdAt: () => tip.id },
        txsOfBlock: () => [inBlock],
        revertToBlock: async (height, beforeRevert) => {
          beforeTurn();
          beforeRevert();
          calls.push(`revert to ${height}`);
          mempool.length = 0;
        },
        createFiller: () => genesis,
        returnToMempool: (txs) => returned.push(...txs.map(({ id }) => id)),
        longWork: { begin: () => () => undefined },
        informReaders: async () => void calls.push('inform readers'),
      },
      { depth: 1, returnTxs: true },
    ) as Promise<unknown>;
  return { run, tip, mempool, prepared, returned, calls };
}

test('a reorg that cannot build a block returns all transactions to the mempool', async () => {
  const { run, returned, calls } = setUp({
    mine: () => {
      throw new Error('disk is full');
    },
  });
  await expect(run()).rejects.toThrow('disk is full');
  expect([returned, calls]).toEqual([
    [inBlock.id, waiting.id],
    ['revert to 1', 'inform readers'],
  ]);
});

test('a transaction that comes while the reorg waits for another call returns to the mempool', async () => {
  const { run, mempool, prepared, returned } = setUp({ beforeTurn: () => void mempool.push(late) });
  await run();
  expect(returned).toEqual([inBlock.id, waiting.id, late.id]);
  // Also if they cannot be prepared.
  expect(prepared).toEqual(returned);
});

test('a block that is accepted while the reorg waits for another call stops it', async () => {
  const { run, tip, calls } = setUp({ beforeTurn: () => void Object.assign(tip, { id: genesis.id, height: 3n }) });
  await expect(run()).rejects.toMatchObject({ fault: { code: 'DEV_TIP_CHANGED', height: '3' } });
  expect(calls).toEqual([]);
});
