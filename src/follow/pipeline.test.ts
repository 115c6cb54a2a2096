import { expect, test } from 'bun:test';
import { zeroId } from '../bytes/id.ts';
import { createVirtualTiming } from '../timing/virtual-timing.fixture.ts';
import { type Block, makeBlock } from '../tx/block.ts';
import { makeTx, type Tx } from '../tx/tx.ts';
import { nonsense, silent } from './fault.ts';
import { startPipeline } from './pipeline.ts';

const txOf = (memo: string): Tx =>
  makeTx({ kind: 'BaseTx', networkID: 1, blockchainID: zeroId, outputs: [], inputs: [], memo: Buffer.from(memo) }, []);

const blockAt = (height: bigint, txs = 1): Block =>
  makeBlock({ parentID: zeroId, height, time: 1n, txs: Array.from({ length: txs }, (_, i) => txOf(`${height} ${i}`)) });

const most = { txs: 1000, bytes: 1 << 24 };

/** A node of some height that takes a while for each block, and whatever else a test wants of it. */
function open(height: bigint, trouble: (height: bigint, times: number) => unknown = () => undefined, delay: () => number = () => 10) {
  const virtual = createVirtualTiming();
  const node = { height, underWay: 0, most: 0, polls: 0, asked: new Map<bigint, number>() };
  const troubles: unknown[] = [];
  const prepared: number[] = [];
  const pipeline = startPipeline(1n, {
    remote: {
      height: async () => {
        node.polls++;
        return node.height;
      },
      blockAt: (at) =>
        new Promise((resolve, reject) => {
          const times = (node.asked.get(at) ?? 0) + 1;
          node.asked.set(at, times);
          node.most = Math.max(node.most, ++node.underWay);
          virtual.timing.after(delay(), () => {
            node.underWay--;
            const error = trouble(at, times);
            if (error === undefined) resolve(at > node.height ? undefined : blockAt(at, 3));
            else reject(error);
          });
        }),
    },
    timing: virtual.timing,
    prepare: async (txs) => void prepared.push(txs.length),
    onContact: () => {},
    onTrouble: (error) => void troubles.push(error),
  });
  /** Takes until so many have come. */
  const take = async (count: number, limit = most): Promise<Block[]> => {
    const taken: Block[] = [];
    const run = async () => {
      while (taken.length < count) taken.push(...(await pipeline.take(limit, 1000)).map(({ block }) => block));
    };
    void run();
    await virtual.until(() => taken.length >= count);
    return taken;
  };
  return { ...virtual, pipeline, node, troubles, prepared, take };
}

const heights = (blocks: readonly Block[]) => blocks.map(({ height }) => Number(height));
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

test('blocks come in order, whatever order the node answers in; more questions are asked the better it answers', async () => {
  let turn = 0;
  const { take, node, pipeline, prepared } = open(300n, undefined, () => 5 + ((turn++ * 7) % 40));
  expect(heights(await take(300))).toEqual(upTo(300));
  expect(node.most).toBe(16);
  expect([...node.asked.values()].every((times) => times === 1)).toBe(true);
  expect(prepared).toHaveLength(300);
  pipeline.stop();
});

test('no more is taken at once than wanted, but always something', async () => {
  const { pipeline, until, node } = open(20n);
  await until(() => node.asked.size === 20 && node.underWay === 0);
  expect(heights((await pipeline.take({ txs: 7, bytes: 1 << 20 }, 0)).map(({ block }) => block))).toEqual([1, 2]);
  expect(heights((await pipeline.take({ txs: 1, bytes: 1 }, 0)).map(({ block }) => block))).toEqual([3]);
  pipeline.stop();
});

test('who takes nothing is not sent more than memory bears', async () => {
  const { pipeline, pass, node } = open(1_000_000n, undefined, () => 1);
  await pass(60_000);
  expect(node.asked.size).toBe(2048);
  pipeline.stop();
});

test('silence, nonsense and missing blocks are waited out; nothing is lost and nothing comes twice', async () => {
  const trouble = (height: bigint, times: number) => {
    if (height % 7n === 0n && times < 3) return silent('avm.getBlockByHeight', 'test');
    if (height % 11n === 0n && times < 4) return nonsense('avm.getBlockByHeight', 'test');
    return undefined;
  };
  const { take, troubles, pipeline } = open(60n, trouble);
  expect(heights(await take(60))).toEqual(upTo(60));
  expect(troubles.length).toBeGreaterThanOrEqual(8 * 2 + 5 * 3);
  pipeline.stop();
});

test('a node in trouble is asked less and less often, and again at once when it is well', async () => {
  const ill = { is: true };
  const { node, pipeline, pass, take } = open(5n, () => (ill.is ? silent('avm.getBlockByHeight', 'test') : undefined));
  await pass(60_000);
  const before = [...node.asked.values()].reduce((sum, times) => sum + times, 0);
  // Pauses grow to two seconds, less some chance.
  expect(before).toBeGreaterThan(30);
  expect(before).toBeLessThan(120);
  ill.is = false;
  expect(heights(await take(5))).toEqual(upTo(5));
  pipeline.stop();
});

test('at the tip a new block is here within a fraction of a second', async () => {
  const { node, pipeline, pass, take } = open(1n);
  await take(1);
  await pass(5000);
  const polls = node.polls;
  node.height = 2n;
  await pass(250);
  expect(heights((await pipeline.take(most, 0)).map(({ block }) => block))).toEqual([2]);
  expect(node.polls - polls).toBeLessThanOrEqual(3);
  expect(await pipeline.take(most, 0)).toEqual([]);
  pipeline.stop();
});

for (const every of [5, 10, 25])
  test(`in a steady stream of a block every ${every} ms each is here within half a second, for some seven polls a second`, async () => {
    const { node, pipeline, until, timing } = open(0n);
    const first = timing.now();
    const lags: number[] = [];
    const grow = (): void => {
      node.height++;
      timing.after(every, grow);
    };
    timing.after(every, grow);
    const run = async () => {
      for (;;) for (const { block } of await pipeline.take(most, 1000)) lags.push(timing.now() - first - Number(block.height) * every);
    };
    void run().catch(() => {});
    await until(() => lags.length >= 2000);
    expect(Math.max(...lags)).toBeLessThan(500);
    expect(node.polls).toBeLessThanOrEqual((timing.now() - first) / 150 + 2);
    pipeline.stop();
  });

test('a restart forgets what was fetched and goes on from where it is told', async () => {
  const { node, pipeline, pass, take } = open(40n);
  await take(10, { txs: 3, bytes: 1 << 20 });
  pipeline.restart(5n);
  expect(heights(await take(36))).toEqual(upTo(40).slice(4));
  await pass(1000);
  expect(node.underWay).toBe(0);
  pipeline.stop();
  expect(await pipeline.take(most, 0).catch((error) => error.fault.code)).toBe('FOLLOW_STOPPED');
});

test('whoever prepares may fail or never answer: the blocks come all the same', async () => {
  for (const prepare of [() => Promise.reject(new Error('test')), () => new Promise<void>(() => {})]) {
    const { timing, until } = createVirtualTiming();
    const remote = { height: async () => 1n, blockAt: async () => blockAt(1n) };
    const pipeline = startPipeline(1n, { remote, timing, prepare, onContact: () => {}, onTrouble: () => {} });
    let isPrepared = false;
    const take = async () => {
      for (const { prepared } of await pipeline.take(most, 1000)) await prepared;
      isPrepared = true;
    };
    void take();
    await until(() => isPrepared, 20_000);
    pipeline.stop();
  }
});
