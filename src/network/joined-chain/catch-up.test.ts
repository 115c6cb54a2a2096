import { expect, test } from 'bun:test';
import { createRandom } from '../../../test/random.ts';
import { createEventLoop } from '../../../test/simulation/event-loop.ts';
import { createNetwork } from '../../../test/simulation/network.ts';
import type { EngineBlock } from '../../avm/vm.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { chainId, createTestVm, makeBlock, nodeId } from '../consensus/engine.fixture.ts';
import { defaultEngineParameters } from '../consensus/engine-parameters.ts';
import { createGetter } from '../consensus/getter.ts';
import { defaultGossipParameters } from '../gossip/gossip-parameters.ts';
import type { ChainMessage } from '../protocol/transport.ts';
import { describeStaleness } from './chain-health.ts';
import { startJoinedChain } from './joined-chain.ts';

const genesis = makeBlock(undefined, 'g');
const self = nodeId(9);
const peers = [nodeId(1), nodeId(2), nodeId(3)];

/** A chain that bootstrapped at genesis, with three peers whose chain then grows. */
async function openChain(set = new Map([self, ...peers].map((node) => [node, 100n] as const))) {
  const loop = createEventLoop();
  const network = createNetwork(loop, createRandom(5));
  const timers = {
    now: loop.timers.now,
    after: (milliseconds: number, run: () => void) =>
      loop.timers.after(milliseconds, () => {
        loop.markAsync();
        run();
      }),
  };
  const blocks = [genesis];
  /** Whether peers send older blocks than the newest one, and whether they answer at all. */
  const answers = { olderBlocks: true, any: true };
  for (const peer of peers) {
    const transport = network.transportOf(peer);
    const receive = (from: NodeId, message: ChainMessage): void => {
      if (!answers.any) return;
      const newest = blocks.at(-1) as EngineBlock;
      if (message.kind === 'get' && message.containerId !== newest.id && !answers.olderBlocks) return;
      if (message.kind === 'getAncestors' && !answers.olderBlocks) {
        const containers = message.containerId === newest.id ? [newest.bytes] : [];
        transport.send({ kind: 'ancestors', chainId, requestId: message.requestId, containers }, [from]);
        return;
      }
      if (createGetter({ chainId, transport, timers }, createTestVm(blocks)).receive(from, message)) return;
      if (message.kind !== 'pullQuery') return;
      const at = blocks[Number(message.requestedHeight)] ?? newest;
      const ids = { preferredId: newest.id, preferredIdAtHeight: at.id, acceptedId: newest.id, acceptedHeight: newest.height };
      transport.send({ kind: 'chits', chainId, requestId: message.requestId, ...ids }, [from]);
    };
    network.start(peer, { receive, failed: () => {}, connected: () => {}, disconnected: () => {} });
  }
  const vm = createTestVm([genesis]);
  const phases: boolean[] = [];
  const chain = startJoinedChain({
    chainId,
    vm: { ...vm, setBootstrapping: (on) => void phases.push(on) },
    pool: { has: () => false, add: () => true, items: () => [], count: () => 0 },
    transport: network.transportOf(self),
    validators: { current: () => set },
    beacons: () => new Map(peers.map((peer) => [peer, 100n] as const)),
    stakers: () => set,
    timers,
    unixMilliseconds: timers.now,
    randomBytes: createRandom(1).bytes,
    engineParameters: defaultEngineParameters,
    gossipParameters: defaultGossipParameters,
    events: { onBootstrapped: () => {}, onWarning: () => {}, onFatal: () => {} },
  });
  network.start(self, {
    ...chain.handler,
    receive: (from, message) => {
      loop.markAsync();
      chain.handler.receive(from, message);
    },
  });
  const run = (isDone: () => boolean): Promise<boolean> => loop.run(isDone, loop.timers.now() + 60_000);
  expect(await run(chain.isBootstrapped)).toBe(true);
  const grow = (count: number): void => {
    for (let added = 0; added < count; added++) blocks.push(makeBlock(blocks.at(-1), `b${blocks.length}`));
  };
  return { chain, vm, phases, blocks, run, grow, answers, now: loop.timers.now };
}

test('a chain that is more than 256 blocks behind most of the stake bootstraps again, and reaches the tip', async () => {
  const { chain, vm, phases, blocks, run, grow } = await openChain();
  expect(phases).toEqual([true, false]);
  // More than the engine fetches before it measures.
  grow(3000);
  expect(await run(() => vm.accepted.length === blocks.length && !chain.isBootstrapping())).toBe(true);
  expect(vm.accepted.map(({ id }) => id)).toEqual(blocks.map(({ id }) => id));
  expect(phases).toEqual([true, false, true, false]);
  chain.stop();
});

test('a chain that bootstraps again is behind the tip that the beacons name, not only behind what it knew before', async () => {
  const { chain, run, grow, answers } = await openChain();
  answers.olderBlocks = false;
  grow(300);
  expect(await run(chain.isBootstrapping)).toBe(true);
  expect(chain.lag()?.majorityHeight).toBe(300n);
  grow(3000);
  expect(await run(() => chain.lag()?.majorityHeight === 3300n)).toBe(true);
  expect(chain.isBootstrapping()).toBe(true);
  answers.olderBlocks = true;
  expect(await run(() => chain.lag() === undefined)).toBe(true);
  expect([chain.isBootstrapping(), chain.bootstrap().height]).toEqual([false, 3300n]);
  chain.stop();
});

test('a chain is stale once the network has had a block for 10 s that it cannot fetch, and no longer when it has it', async () => {
  const { chain, run, grow, answers, now } = await openChain();
  expect(await run(() => describeStaleness(chain) !== undefined)).toBe(false);
  answers.olderBlocks = false;
  const began = now();
  grow(20);
  expect(await run(() => describeStaleness(chain) !== undefined)).toBe(true);
  expect(describeStaleness(chain)).toBe('behind the network: most of the stake is at height 20, this node at 0 (for 10s)');
  expect(now() - began).toBeWithin(9000, 15_000);
  answers.olderBlocks = true;
  expect(await run(() => describeStaleness(chain) === undefined)).toBe(true);
  expect(chain.bootstrap().height).toBe(20n);
  chain.stop();
});

test('a chain is stale when most of the stake has been silent for 30 s, and while it bootstraps', async () => {
  const { chain, run, grow, answers, now } = await openChain();
  answers.any = false;
  const began = now();
  expect(await run(() => describeStaleness(chain) !== undefined)).toBe(true);
  expect(describeStaleness(chain)).toBe(
    'out of touch: for 30s it is not known what most of the stake has accepted, this node is at height 0',
  );
  expect(now() - began).toBeWithin(29_000, 40_000);
  answers.any = true;
  expect(await run(() => describeStaleness(chain) === undefined)).toBe(true);
  answers.olderBlocks = false;
  grow(300);
  expect(await run(chain.isBootstrapping)).toBe(true);
  expect(describeStaleness(chain)).toStartWith('bootstrapping: it is at height 0');
  chain.stop();
});

test('a chain whose only validator is its node is stale 30 s after it lost its last peer', async () => {
  const { chain, run, now } = await openChain(new Map([[self, 100n]]));
  expect(await run(() => describeStaleness(chain) !== undefined)).toBe(false);
  const began = now();
  for (const peer of peers) chain.handler.disconnected(peer);
  expect(await run(() => describeStaleness(chain) !== undefined)).toBe(true);
  // The virtual clock moves from one timer to the next.
  expect(describeStaleness(chain)).toMatch(/^cut off: no peer has been connected for 3[01]s, this node is at height 0$/);
  expect(now() - began).toBeWithin(30_000, 40_000);
  expect(chain.isolation()).toBe(now() - began);
  chain.handler.connected(peers[0] as NodeId);
  expect([describeStaleness(chain), chain.isolation()]).toEqual([undefined, 0]);
  chain.stop();
});
