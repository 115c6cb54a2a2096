import { describe, expect, test } from 'bun:test';
import { createRandom } from '../../../test/random.ts';
import { createEventLoop, simulationStart } from '../../../test/simulation/event-loop.ts';
import { createNetwork } from '../../../test/simulation/network.ts';
import type { EngineBlock } from '../../avm/vm.ts';
import { idOf } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { chainId, createTestVm, makeBlock, nodeId, type TestVm } from '../consensus/engine.fixture.ts';
import { createGetter } from '../consensus/getter.ts';
import type { ChainMessage } from '../protocol/transport.ts';
import { startBootstrapper } from './bootstrapper.ts';
import { createProgressMeter } from './progress.ts';

const genesis = makeBlock(undefined, 'g');
const self = nodeId(100);

function chainOf(length: number, label = 'b'): EngineBlock[] {
  const blocks = [genesis];
  for (let index = 1; index <= length; index++) blocks.push(makeBlock(blocks.at(-1), `${label}${index}`));
  return blocks;
}

type Peer = {
  readonly blocks: readonly EngineBlock[];
  /** 0: not a beacon. */
  readonly weight?: bigint;
  readonly answer?: (message: ChainMessage) => 'honest' | 'silent';
  /** The block that it names as accepted at a height. */
  readonly checkpointAt?: (height: number) => EngineBlock | undefined;
};

/** A node that bootstraps from peers with given chains, on a virtual clock. */
function openNetwork(peers: readonly Peer[], vm: TestVm = createTestVm([genesis]), maxReceived?: number) {
  const loop = createEventLoop();
  const network = createNetwork(loop, createRandom(5));
  const running = new Set<NodeId>();
  const served = new Map<NodeId, number>();
  const timers = {
    now: loop.timers.now,
    after: (milliseconds: number, run: () => void) =>
      loop.timers.after(milliseconds, () => {
        loop.markAsync();
        run();
      }),
  };
  for (const [index, { blocks, answer, checkpointAt = (height: number) => blocks[height] }] of peers.entries()) {
    const id = nodeId(index + 1);
    const peerVm = createTestVm(blocks);
    const transport = network.transportOf(id);
    const getter = createGetter({ chainId, transport, timers }, peerVm);
    const receive = (from: NodeId, message: ChainMessage): void => {
      if (answer?.(message) === 'silent') return;
      if (message.kind === 'getAncestors') served.set(id, (served.get(id) ?? 0) + 1);
      if (getter.receive(from, message) || message.kind !== 'pullQuery') return;
      const last = blocks.at(-1) as EngineBlock;
      const at = checkpointAt(Number(message.requestedHeight)) ?? last;
      const ids = { preferredId: last.id, preferredIdAtHeight: at.id, acceptedId: last.id, acceptedHeight: last.height };
      transport.send({ kind: 'chits', chainId, requestId: message.requestId, ...ids }, [from]);
    };
    network.start(id, { receive, failed: () => {}, connected: () => {}, disconnected: () => {} });
    running.add(id);
  }
  const beacons = new Map(peers.map(({ weight = 1n }, index) => [nodeId(index + 1), weight] as const).filter(([, weight]) => weight > 0n));
  const meter = createProgressMeter(timers.now, () => vm.block(vm.lastAccepted())!.height);
  const outcome: { finished: boolean; fatal: unknown; retries: string[] } = { finished: false, fatal: undefined, retries: [] };
  let requestId = 0;
  const connected = new Set(running);
  const known = { beacons: true };
  const start = () => {
    const link = { chainId, transport: network.transportOf(self), timers, randomBytes: createRandom(9).bytes };
    const bootstrapper = startBootstrapper(link, {
      vm,
      beacons: () => (known.beacons ? beacons : undefined),
      isConnected: (node) => connected.has(node),
      peers: () => [...connected],
      nextRequestId: () => ++requestId,
      meter,
      maxReceived,
      onFinished: () => {
        outcome.finished = true;
      },
      onRetry: ({ message }) => void outcome.retries.push(message),
      onFatal: (error) => {
        outcome.fatal = error;
      },
    });
    network.start(self, {
      receive: (from, message) => {
        loop.markAsync();
        bootstrapper.receive(from, message);
      },
      failed: (from, id, response) => {
        loop.markAsync();
        bootstrapper.failed(from, id, response);
      },
      connected: () => {},
      disconnected: () => {},
    });
    return bootstrapper;
  };
  const run = (seconds = 120) => loop.run(() => outcome.finished || outcome.fatal !== undefined, loop.timers.now() + 1000 * seconds);
  return { vm, start, run, outcome, meter, served, connected, known, loop, elapsed: () => loop.timers.now() - simulationStart };
}

/** One text for a list of blocks, so that a difference does not print thousands of IDs. */
const hashOf = (blocks: readonly EngineBlock[]): string => `${blocks.length} ${idOf(Buffer.from(blocks.map(({ id }) => id).join()))}`;

describe('a new node reaches the tip', () => {
  test('of a long chain, from several peers, in order', async () => {
    const blocks = chainOf(9000);
    const { start, run, vm, outcome, meter, served } = openNetwork([{ blocks }, { blocks }, { blocks }]);
    start();
    expect(await run()).toBe(true);
    expect(outcome).toEqual({ finished: true, fatal: undefined, retries: [] });
    expect(hashOf(vm.accepted)).toBe(hashOf(blocks));
    expect([...served.values()].every((count) => count > 1)).toBe(true);
    const { executed, tipHeight, phase, secondsLeft } = meter.read();
    expect([executed, tipHeight, phase, secondsLeft]).toEqual([9000, 9000n, 'done', 0]);
  });
  test('with few blocks of each answer', async () => {
    const blocks = chainOf(500);
    const { start, run, vm, served } = openNetwork([{ blocks }], undefined, 20);
    start();
    expect(await run()).toBe(true);
    expect(hashOf(vm.accepted)).toBe(hashOf(blocks));
    expect(served.get(nodeId(1))).toBeGreaterThan(24);
  });
  test('once the beacons are known', async () => {
    const blocks = chainOf(20);
    const { start, run, outcome, vm, known } = openNetwork([{ blocks }, { blocks }]);
    known.beacons = false;
    start();
    await run(60);
    expect([outcome.finished, vm.accepted.length]).toEqual([false, 1]);
    known.beacons = true;
    await run(60);
    expect([outcome.finished, vm.accepted.length]).toEqual([true, 21]);
  });

  test('without beacons at once', async () => {
    const { start, run, outcome } = openNetwork([]);
    start();
    await run(5);
    expect(outcome.finished).toBe(true);
  });
  test('that most of the weight has accepted, not that of a heavy minority', async () => {
    const [honest, lie] = [chainOf(40), chainOf(60, 'lie')];
    const { start, run, vm } = openNetwork([
      { blocks: honest, weight: 51n },
      { blocks: lie, weight: 49n },
    ]);
    start();
    await run();
    expect(hashOf(vm.accepted)).toBe(hashOf(honest));
  });
  test('although a peer never sends blocks and another sends none of them', async () => {
    const blocks = chainOf(3000);
    const silent = { blocks, answer: ({ kind }: ChainMessage) => (kind === 'getAncestors' ? ('silent' as const) : ('honest' as const)) };
    const { start, run, vm, outcome } = openNetwork([{ blocks }, { blocks }, silent, { blocks: [genesis] }]);
    start();
    await run();
    expect([outcome.finished, vm.accepted.length]).toEqual([true, 3001]);
  });
  test('although two of five peers name wrong checkpoints: unknown blocks, and accepted ones of other heights', async () => {
    const blocks = chainOf(20_000);
    const lie = chainOf(20_000, 'lie');
    const honest = { blocks };
    const { start, run, vm, outcome } = openNetwork([
      honest,
      honest,
      honest,
      { blocks, checkpointAt: (height) => lie[height] },
      { blocks, checkpointAt: (height) => blocks[height - 1] },
    ]);
    start();
    await run(600);
    expect([outcome.finished, outcome.fatal]).toEqual([true, undefined]);
    expect(outcome.retries.some((text) => /has height \d+, not \d+/.test(text))).toBe(true);
    expect(hashOf(vm.accepted)).toBe(hashOf(blocks));
  });

  test('although nine of ten peers are no beacons and name wrong checkpoints', async () => {
    const blocks = chainOf(9000);
    const liar: Peer = { blocks, weight: 0n, checkpointAt: () => chainOf(1, 'other')[1] };
    const { start, run, vm, outcome } = openNetwork([{ blocks }, ...Array.from({ length: 9 }, () => liar)]);
    start();
    expect(await run()).toBe(true);
    expect(outcome).toEqual({ finished: true, fatal: undefined, retries: [] });
    expect(hashOf(vm.accepted)).toBe(hashOf(blocks));
  });
});

test('waits until three quarters of the weight are connected', async () => {
  const blocks = chainOf(10);
  const { start, run, outcome, connected, meter } = openNetwork([{ blocks }, { blocks }, { blocks }, { blocks }]);
  connected.delete(nodeId(1));
  connected.delete(nodeId(2));
  start();
  await run(20);
  expect([outcome.finished, meter.read().phase]).toEqual([false, 'connecting']);
  connected.add(nodeId(1));
  await run(20);
  expect(outcome.finished).toBe(true);
});

test('resumes from the last accepted block after it was stopped', async () => {
  const blocks = chainOf(6000);
  const first = openNetwork([{ blocks }, { blocks }]);
  const bootstrapper = first.start();
  await first.loop.run(() => first.vm.accepted.length > 2000, simulationStart + 60_000);
  bootstrapper.stop();
  const reached = first.vm.accepted.length;
  expect(reached).toBeLessThan(6001);
  const second = openNetwork([{ blocks }, { blocks }], createTestVm(first.vm.accepted));
  second.start();
  await second.run();
  expect(hashOf(second.vm.accepted)).toBe(hashOf(blocks));
  expect(second.meter.read().executed).toBe(6001 - reached);
});

test('tries again when no peer sends the tip that the beacons named', async () => {
  const blocks = chainOf(50);
  let asked = 0;
  // The only peer leaves for 4 s when it has named the tip.
  const answer = ({ kind }: ChainMessage) => {
    if (kind === 'getAccepted' && asked++ === 0) {
      connected.delete(nodeId(1));
      loop.timers.after(4000, () => connected.add(nodeId(1)));
    }
    return 'honest' as const;
  };
  const { start, run, vm, outcome, connected, loop } = openNetwork([{ blocks, answer }]);
  start();
  await run();
  expect([outcome.finished, outcome.retries]).toEqual([true, [expect.stringContaining(`no peer sent block ${blocks.at(-1)?.id}`)]]);
  expect(hashOf(vm.accepted)).toBe(hashOf(blocks));
});

test('tries again while the beacons do not agree', async () => {
  const { start, run, outcome, vm } = openNetwork([{ blocks: chainOf(5, 'x') }, { blocks: chainOf(5, 'y') }, { blocks: chainOf(5, 'z') }]);
  start();
  await run(30);
  expect([outcome.finished, outcome.fatal, vm.accepted.length]).toEqual([false, undefined, 1]);
});

test('an invalid block that most beacons have accepted is fatal, and the error names it', async () => {
  const blocks = chainOf(30);
  const bad = [...blocks, makeBlock(blocks.at(-1), 'bad')];
  const { start, run, outcome, vm } = openNetwork([{ blocks: bad }, { blocks: bad }]);
  start();
  await run();
  expect(String(outcome.fatal)).toContain(`block ${bad.at(-1)!.id} at height 31 is accepted by most beacons but invalid here: invalid`);
  expect(vm.accepted.length).toBe(31);
});
