import { describe, expect, test } from 'bun:test';
import { makeBlock, parseBlock } from '../src/avm/tx/block.ts';
import { idText } from '../src/base/bytes/id.ts';
import type { Fault } from '../src/base/fault.ts';
import { cChain, localGenesis } from './local-chain.ts';
import { createRandom } from './random.ts';
import { codes, expectSame, follow } from './scripted-follower.ts';
import type { Behavior } from './scripted-node.ts';
import { openSourceChain } from './source-chain.ts';
import { localChainParams } from './wallet-kit.ts';

test('every kind of transaction is followed, imports included; new blocks are stored within a second', async () => {
  const source = openSourceChain(1);
  source.grow(80);
  const chain = follow(source);
  const follower = chain.start();
  await chain.until(() => follower.status().state === 'live');
  await Promise.all([follower.ready, follower.caughtUp]);
  expectSame(source, chain);
  for (let i = 0; i < 10; i++) {
    source.grow(1);
    await chain.pass(1000);
    expect(follower.status()).toMatchObject({ state: 'live', height: source.local.state.height(), behindSeconds: 0 });
  }
  expectSame(source, chain);
  expect(follower.status()).toMatchObject({ unknownImports: 0, lastError: undefined, eta: 0 });
  expect(follower.engine.report()).toMatchObject({ processingBlocks: 0, longestProcessing: 0 });
  expect(chain.reported).toEqual([]);
  await follower.stop();
});

test('after a restart following continues at the last stored block and fetches no block twice', async () => {
  const source = openSourceChain(2);
  source.grow(60);
  const chain = follow(source);
  const first = chain.start({ batchLimit: { txs: 5, bytes: 1 << 20 } });
  await chain.until(() => first.status().height >= 20n);
  await first.stop();
  const storedHeight = chain.state.height();
  chain.node.requests.length = 0;
  const second = chain.start();
  await second.ready.catch(() => {});
  await chain.until(() => second.status().state === 'live');
  expectSame(source, chain);
  const blocks = chain.node.requests
    .filter(({ method }) => method === 'avm.getBlockByHeight')
    .map(({ params }) => BigInt(params.height as string));
  expect(blocks.filter((height) => height <= storedHeight)).toEqual([0n, storedHeight]);
  await second.stop();
});

describe('a misbehaving node', () => {
  const behaviors: readonly Behavior[] = [
    'unreachable',
    'hanging',
    'starting',
    'busy',
    'html',
    'truncated',
    'wrongId',
    'corrupted',
    'tooLong',
    'empty',
  ];

  for (const behavior of behaviors)
    test(`${behavior} at the start and later: following recovers`, async () => {
      const source = openSourceChain(3);
      source.grow(20);
      const chain = follow(source);
      chain.node.behavior = () => behavior;
      const follower = chain.start();
      await chain.pass(40_000);
      expect(follower.status()).toMatchObject({ state: 'waiting', height: 0n });
      chain.node.behavior = () => 'normal';
      await chain.until(() => follower.status().state === 'live', 5000);
      chain.node.behavior = () => behavior;
      source.grow(20);
      await chain.pass(40_000);
      expect(follower.status()).toMatchObject({ state: 'waiting', height: 20n });
      expect(follower.status().behindSeconds).toBeGreaterThan(20);
      expect(follower.engine.report().longestProcessing).toBeGreaterThan(30_000);
      chain.node.behavior = () => 'normal';
      await chain.until(() => follower.status().state === 'live', 5000);
      expectSame(source, chain);
      await follower.stop();
    });

  test('a third of all responses are bad in random ways', async () => {
    const source = openSourceChain(4);
    source.grow(60);
    const chain = follow(source);
    const random = createRandom(4);
    chain.node.behavior = () => (random.below(3) === 0 ? random.pick(behaviors) : 'normal');
    const follower = chain.start();
    await chain.until(() => chain.state.height() === 60n, 3_600_000);
    expectSame(source, chain);
    await follower.stop();
  });

  test('loses its newest blocks: following waits for them', async () => {
    const source = openSourceChain(5);
    source.grow(30);
    const chain = follow(source);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    chain.node.height = 25n;
    await chain.pass(10_000);
    source.grow(5);
    expect(follower.status()).toMatchObject({ height: 30n, target: 25n });
    chain.node.height = undefined;
    await chain.until(() => chain.state.height() === 35n, 5000);
    expectSame(source, chain);
    await follower.stop();
  });
});

describe('another node than expected', () => {
  test('of another network is rejected, with both network ids in the message', async () => {
    const chain = follow(openSourceChain(6));
    chain.node.networkID = 5;
    const follower = chain.start();
    const refused = follower.ready.then(
      () => 'taken',
      (error) => error as Fault<{ code: string }>,
    );
    await chain.until(() => follower.status().state === 'waiting');
    expect(await refused).toMatchObject({
      message: 'the followed node is of network 5, not of network 12345',
      fault: { code: 'FOLLOW_OTHER_NETWORK', what: 'network', want: '12345', got: '5' },
    });
    expect(chain.node.requests.some(({ method }) => method === 'avm.getBlockByHeight')).toBe(false);
    await follower.stop();
  });

  test('with another chain id or another block 0 is rejected', async () => {
    const source = openSourceChain(6);
    for (const wrong of ['chain', 'first'] as const) {
      const chain = follow(source);
      if (wrong === 'chain') chain.node.chainID = cChain;
      else chain.node.replacedBlocks.set(0n, makeBlock({ ...localGenesis().first, time: 1n }).bytes);
      const follower = chain.start();
      await chain.until(() => follower.status().state === 'waiting');
      expect(codes(chain.reported)).toEqual([wrong === 'chain' ? 'FOLLOW_OTHER_NETWORK' : 'FOLLOW_BLOCK_CHANGED']);
      await follower.stop();
    }
  });

  test('of another network at the same URL after an outage is rejected', async () => {
    const source = openSourceChain(7);
    source.grow(10);
    const chain = follow(source);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    chain.node.behavior = () => 'unreachable';
    await chain.pass(3000);
    chain.node.behavior = () => 'normal';
    chain.node.networkID = 1;
    source.grow(5);
    await chain.pass(20_000);
    expect(chain.state.height()).toBe(10n);
    expect(codes([follower.status().lastError])).toEqual(['FOLLOW_OTHER_NETWORK']);
    chain.node.networkID = localChainParams.networkID;
    await chain.until(() => chain.state.height() === 15n, 60_000);
    await follower.stop();
  });

  test('with another block than the stored one is found at the start and, by sampling, while following', async () => {
    const source = openSourceChain(8);
    source.grow(3);
    const chain = follow(source);
    const first = chain.start();
    await chain.until(() => first.status().state === 'live');
    const real = parseBlock(source.local.state.blockAt(3n) as Uint8Array);
    const other = makeBlock({ ...real, time: real.time + 1n });
    for (const height of [1n, 2n, 3n]) chain.node.replacedBlocks.set(height, makeBlock({ ...other, height }).bytes);
    await chain.until(() => codes([first.status().lastError])[0] === 'FOLLOW_BLOCK_CHANGED', 600_000);
    await first.stop();
    chain.node.replacedBlocks.delete(1n);
    chain.node.replacedBlocks.delete(2n);
    const second = chain.start();
    await chain.until(() => second.status().state === 'waiting');
    expect(second.status().lastError).toMatchObject({
      fault: { code: 'FOLLOW_BLOCK_CHANGED', height: '3', held: idText(real.id), told: idText(other.id) },
    });
    chain.node.replacedBlocks.clear();
    await chain.until(() => second.status().state === 'live', 60_000);
    await second.stop();
  });
});
