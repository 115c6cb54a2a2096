import { expect, test } from 'bun:test';
import { type Block, makeBlock } from '../../avm/tx/block.ts';
import { makeTx, type Tx } from '../../avm/tx/tx.ts';
import { zeroId } from '../../base/bytes/id.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { invalidResponse, noResponse } from './fault.ts';
import { startPipeline } from './pipeline.ts';

const txOf = (memo: string): Tx =>
  makeTx({ kind: 'BaseTx', networkID: 1, blockchainID: zeroId, outputs: [], inputs: [], memo: Buffer.from(memo) }, []);

const blockAt = (height: bigint, txs = 1): Block =>
  makeBlock({ parentID: zeroId, height, time: 1n, txs: Array.from({ length: txs }, (_, i) => txOf(`${height} ${i}`)) });

const batchLimit = { txs: 1000, bytes: 1 << 24 };

/** A pipeline over a fake node with a height, a delay per block, and errors by height and attempt. */
function open(
  height: bigint,
  errorAt: (height: bigint, times: number) => unknown = () => undefined,
  delay: () => number = () => 10,
  virtual = createVirtualTiming(),
) {
  const node = { height, inFlight: 0, maxInFlight: 0, polls: 0, attempts: new Map<bigint, number>() };
  const errors: unknown[] = [];
  const prepared: number[] = [];
  const pipeline = startPipeline(1n, {
    remote: {
      height: async () => {
        node.polls++;
        return node.height;
      },
      blockAt: (at) =>
        new Promise((resolve, reject) => {
          const times = (node.attempts.get(at) ?? 0) + 1;
          node.attempts.set(at, times);
          node.maxInFlight = Math.max(node.maxInFlight, ++node.inFlight);
          virtual.timing.after(delay(), () => {
            node.inFlight--;
            const error = errorAt(at, times);
            if (error === undefined) resolve(at > node.height ? undefined : blockAt(at, 3));
            else reject(error);
          });
        }),
    },
    timing: virtual.timing,
    prepare: async (txs) => void prepared.push(txs.length),
    onRemoteHeight: () => {},
    onError: (error) => void errors.push(error),
  });
  /** Takes blocks until there are at least `count`. */
  const take = async (count: number, limit = batchLimit): Promise<Block[]> => {
    const taken: Block[] = [];
    const run = async () => {
      while (taken.length < count) taken.push(...(await pipeline.take(limit, 1000)).map(({ block }) => block));
    };
    void run();
    await virtual.until(() => taken.length >= count);
    return taken;
  };
  return { ...virtual, pipeline, node, errors, prepared, take };
}

const heights = (blocks: readonly Block[]) => blocks.map(({ height }) => Number(height));
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

test('blocks are returned in order for any order of responses, and concurrency grows while requests succeed', async () => {
  let turn = 0;
  const { take, node, pipeline, prepared } = open(300n, undefined, () => 5 + ((turn++ * 7) % 40));
  expect(heights(await take(300))).toEqual(upTo(300));
  expect(node.maxInFlight).toBe(16);
  expect([...node.attempts.values()].every((times) => times === 1)).toBe(true);
  expect(prepared).toHaveLength(300);
  pipeline.stop();
});

test('take returns no more than the limit, but at least one block', async () => {
  const { pipeline, until, node } = open(20n);
  await until(() => node.attempts.size === 20 && node.inFlight === 0);
  expect(heights((await pipeline.take({ txs: 7, bytes: 1 << 20 }, 0)).map(({ block }) => block))).toEqual([1, 2]);
  expect(heights((await pipeline.take({ txs: 1, bytes: 1 }, 0)).map(({ block }) => block))).toEqual([3]);
  pipeline.stop();
});

test('if no block is taken, fetching stops at the memory limit', async () => {
  const { pipeline, pass, node } = open(1_000_000n, undefined, () => 1);
  await pass(60_000);
  expect(node.attempts.size).toBe(2048);
  pipeline.stop();
});

test('after missing and invalid responses every block is returned exactly once', async () => {
  const errorAt = (height: bigint, times: number) => {
    if (height % 7n === 0n && times < 3) return noResponse('avm.getBlockByHeight', 'test');
    if (height % 11n === 0n && times < 4) return invalidResponse('avm.getBlockByHeight', 'test');
    return undefined;
  };
  const { take, errors, pipeline } = open(60n, errorAt);
  expect(heights(await take(60))).toEqual(upTo(60));
  expect(errors.length).toBeGreaterThanOrEqual(8 * 2 + 5 * 3);
  pipeline.stop();
});

test('requests to a failing node back off, and resume when it responds again', async () => {
  let isFailing = true;
  const { node, pipeline, pass, take } = open(5n, () => (isFailing ? noResponse('avm.getBlockByHeight', 'test') : undefined));
  await pass(60_000);
  const before = [...node.attempts.values()].reduce((sum, times) => sum + times, 0);
  // Delays grow to two seconds, minus jitter.
  expect(before).toBeGreaterThan(30);
  expect(before).toBeLessThan(120);
  isFailing = false;
  expect(heights(await take(5))).toEqual(upTo(5));
  pipeline.stop();
});

test('when live, a new block is fetched within a quarter of a second', async () => {
  const { node, pipeline, pass, take } = open(1n);
  await take(1);
  await pass(5000);
  const polls = node.polls;
  node.height = 2n;
  await pass(250);
  expect(heights((await pipeline.take(batchLimit, 0)).map(({ block }) => block))).toEqual([2]);
  expect(node.polls - polls).toBeLessThanOrEqual(3);
  expect(await pipeline.take(batchLimit, 0)).toEqual([]);
  pipeline.stop();
});

for (const every of [5, 10, 25])
  test(`in a steady stream of a block every ${every} ms each is fetched within half a second, with about seven polls a second`, async () => {
    const { node, pipeline, until, timing } = open(0n);
    const first = timing.now();
    const lags: number[] = [];
    const grow = (): void => {
      node.height++;
      timing.after(every, grow);
    };
    timing.after(every, grow);
    const run = async () => {
      for (;;)
        for (const { block } of await pipeline.take(batchLimit, 1000)) lags.push(timing.now() - first - Number(block.height) * every);
    };
    void run().catch(() => {});
    await until(() => lags.length >= 2000);
    expect(Math.max(...lags)).toBeLessThan(500);
    expect(node.polls).toBeLessThanOrEqual((timing.now() - first) / 150 + 2);
    pipeline.stop();
  });

test('restart drops fetched blocks and continues from the given height', async () => {
  const { node, pipeline, pass, take } = open(40n);
  await take(10, { txs: 3, bytes: 1 << 20 });
  pipeline.restart(5n);
  expect(heights(await take(36))).toEqual(upTo(40).slice(4));
  await pass(1000);
  expect(node.inFlight).toBe(0);
  pipeline.stop();
  expect(await pipeline.take(batchLimit, 0).catch((error) => error.fault.code)).toBe('FOLLOW_STOPPED');
});

test('blocks are returned even if their preparation fails or hangs', async () => {
  for (const prepare of [() => Promise.reject(new Error('test')), () => new Promise<void>(() => {})]) {
    const { timing, until } = createVirtualTiming();
    const remote = { height: async () => 1n, blockAt: async () => blockAt(1n) };
    const pipeline = startPipeline(1n, { remote, timing, prepare, onRemoteHeight: () => {}, onError: () => {} });
    let isPrepared = false;
    const take = async () => {
      for (const { prepared } of await pipeline.take(batchLimit, 1000)) await prepared;
      isPrepared = true;
    };
    void take();
    await until(() => isPrepared, 20_000);
    pipeline.stop();
  }
});

test('while the node has more blocks, they are gathered; the last ones are returned at once', async () => {
  // A busy node answers one request after the other: a block every 4 ms, and a commit takes 3 ms.
  const { pipeline, timing, until, node } = open(600n, undefined, () => 4 * node.inFlight);
  const batches: number[] = [];
  let isDone = false;
  const store = async () => {
    for (let stored = 0; stored < 600; ) {
      const { length } = await pipeline.take(batchLimit, 1000);
      await new Promise<void>((resolve) => timing.after(3, resolve));
      batches.push(length);
      stored += length;
    }
    isDone = true;
  };
  void store();
  await until(() => isDone);
  expect(batches.reduce((sum, length) => sum + length, 0)).toBe(600);
  // Without gathering there were hundreds of batches, most of one block.
  expect(batches.length).toBeLessThan(40);
  for (let next = 601n; next <= 603n; next++) {
    node.height = next;
    const polls = node.attempts.size;
    let taken: number | undefined;
    void pipeline.take(batchLimit, 1000).then(({ length }) => {
      taken = length;
    });
    await until(() => node.attempts.size > polls && node.inFlight === 0);
    const arrived = timing.now();
    await until(() => taken !== undefined);
    expect([taken, timing.now() - arrived < 20]).toEqual([1, true]);
  }
  pipeline.stop();
});

test('no wait is negative on a clock that goes on between two reads', async () => {
  const virtual = createVirtualTiming();
  const waits: number[] = [];
  let reads = 0;
  const timing: typeof virtual.timing = {
    ...virtual.timing,
    // A read takes 7 ms, as on a machine that runs another process meanwhile.
    now: () => virtual.timing.now() + 7 * reads++,
    after: (ms, run) => {
      waits.push(ms);
      return virtual.timing.after(ms, run);
    },
  };
  const { pipeline, take, node } = open(600n, undefined, () => 4 * node.inFlight, { ...virtual, timing });
  await take(600);
  expect(waits.length).toBeGreaterThan(100);
  expect(waits.filter((ms) => ms < 0)).toEqual([]);
  pipeline.stop();
});
