import { expect, test } from 'bun:test';
import type { BlockSumsEntry } from '../../ledger/index-read/explorer-reads.ts';
import type { IndexReads, PinnedBlock } from '../../ledger/index-read/index-reads.ts';
import { throughputWindow } from '../contract/explorer-routes.ts';
import { createThroughput, noTxs } from './throughput.ts';

/** A chain of blocks that a test changes; `reads` counts the blocks that were read. */
function createBlocks() {
  let blocks: BlockSumsEntry[] = [{ height: 0, firstTx: 0, id: '' as never, time: 0, bytes: 90, fees: 0n, txs: noTxs }];
  const state = { epoch: 0, now: 0, reads: 0 };
  const pin = ({ height, time, id }: BlockSumsEntry): PinnedBlock => ({ height, id, time, lastTx: 0 });
  const reads = {
    tip: async () => pin(blocks[blocks.length - 1] as BlockSumsEntry),
    pinBeforeTime: async (time: number) => {
      const found = blocks.findLast((block) => block.time < time);
      return found && pin(found);
    },
  } as IndexReads;
  const throughput = createThroughput({
    reads,
    explorer: {
      blockSumsAfter: async (height, limit) => {
        const found = blocks.filter((block) => block.height > height).slice(0, limit);
        state.reads += found.length;
        return found;
      },
    },
    epoch: () => state.epoch,
    now: () => state.now,
    longWork: undefined,
  });
  return {
    state,
    throughput,
    add: (time: number, txs: number) =>
      blocks.push({
        height: blocks.length,
        firstTx: 0,
        id: '' as never,
        time,
        bytes: 100,
        fees: BigInt(txs),
        txs: { ...noTxs, BaseTx: txs },
      }),
    revertTo: (height: number) => {
      blocks = blocks.slice(0, height + 1);
      state.epoch++;
    },
    /** Counted again from all blocks. */
    expected: () => {
      const end = Math.max(state.now, blocks[blocks.length - 1]?.time ?? 0);
      const counts = new Map<number, { blocks: number; txs: number; fees: bigint }>();
      for (const { height, time, fees, txs } of blocks) {
        if (height === 0 || time <= end - throughputWindow) continue;
        const before = counts.get(time) ?? { blocks: 0, txs: 0, fees: 0n };
        counts.set(time, { blocks: before.blocks + 1, txs: before.txs + txs.BaseTx, fees: before.fees + fees });
      }
      return { end, counts };
    },
    read: async () => {
      const { end, seconds } = await throughput.read();
      return { end, counts: new Map([...seconds].map(([time, { blocks, txs, fees }]) => [time, { blocks, txs: txs.BaseTx, fees }])) };
    },
  };
}

test('counts the last hour through new blocks, reverts and changes of the clock', async () => {
  const chain = createBlocks();
  let seed = 7;
  const pick = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  let time = 100_000;
  for (let i = 0; i < 400; i++) {
    time += pick(3) === 0 ? 0 : pick(20);
    if (pick(50) === 0) time += throughputWindow;
    chain.add(time, pick(9));
    chain.state.now = time + pick(5) - (pick(10) === 0 ? 2000 : 0) + (pick(25) === 0 ? 5000 : 0);
    if (pick(20) === 0) {
      chain.revertTo(Math.max(0, (i >> 1) - pick(30)));
      time += 1;
    }
    if (pick(3) === 0) expect(await chain.read()).toEqual(chain.expected());
  }
});

test('reads each block once, and starts again at the hour if it is far behind', async () => {
  const chain = createBlocks();
  chain.state.now = 10_000;
  for (let i = 0; i < 1200; i++) chain.add(9000 + Math.floor(i / 2), 1);
  expect((await chain.read()).counts.size).toBe(600);
  expect(chain.state.reads).toBe(1200);
  chain.add(9700, 5);
  await Promise.all([chain.read(), chain.read(), chain.read()]);
  expect(chain.state.reads).toBe(1201);
  for (let i = 0; i < 20_000; i++) chain.add(9700 + i, 1);
  expect(await chain.read()).toEqual(chain.expected());
  expect(chain.state.reads).toBeLessThan(1201 + throughputWindow + 2);
});

test('a chain without blocks since its genesis has none', async () => {
  const chain = createBlocks();
  chain.state.now = 50;
  expect(await chain.read()).toEqual({ end: 50, counts: new Map() });
});
