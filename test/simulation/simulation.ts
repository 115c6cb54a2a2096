import type { EngineBlock, Vm } from '../../src/avm/vm.ts';
import { type Id, idOf } from '../../src/base/bytes/id.ts';
import type { NodeId } from '../../src/base/bytes/node-id.ts';
import { createRandom, type Random } from '../random.ts';
import { startByzantineNode } from './byzantine-node.ts';
import { type CrashLimit, createCrashLimit } from './crash-limit.ts';
import { createEventLoop, type EventLoop, simulationStart } from './event-loop.ts';
import type { World } from './fake-world.ts';
import { createHonestNode, type HonestNode } from './honest-node.ts';
import { createNetwork, type Network } from './network.ts';
import { createScenario, type Scenario } from './scenario.ts';

type SimulationResult = {
  readonly scenario: Scenario;
  /** What went wrong; undefined if nothing did. */
  readonly failure: string | undefined;
  readonly height: number;
  readonly events: number;
  /** Virtual milliseconds until all transactions were accepted everywhere. */
  readonly duration: number;
  /** A hash of all accepted blocks and of the number of events: equal seeds give equal runs. */
  readonly fingerprint: Id;
};

/** The longest a simulation may take on its own clock. */
const timeLimit = 240_000;

/** Runs one simulation. `createWorld` makes the chains of its nodes. */
export async function runSimulation(
  seed: number,
  createWorld: (loop: EventLoop, random: Random, scenario: Scenario) => World,
  fixedNodes?: number,
  change: (scenario: Scenario) => Scenario = (scenario) => scenario,
): Promise<SimulationResult> {
  const random = createRandom(seed);
  const scenario = change(createScenario(random, fixedNodes));
  const loop = createEventLoop();
  const network = createNetwork(loop, random);
  const world = createWorld(loop, random, scenario);
  const validators = new Map(scenario.weights.map((weight, index) => [world.nodeId(index), weight] as const));
  let failure: string | undefined;

  /** The first block that any honest node accepted at each height. */
  const decided: Id[] = [];
  const onAccepted = (node: NodeId, block: EngineBlock): void => {
    const height = Number(block.height);
    crashLimit.accepted(node, block.height);
    decided[height] ??= block.id;
    if (decided[height] !== block.id) failure ??= `node ${node} accepted ${block.id} at height ${height}, another node ${decided[height]}`;
  };
  const onFatal = (node: NodeId, error: unknown): void => {
    failure ??= `node ${node} stopped: ${error instanceof Error ? error.stack : String(error)}`;
  };
  const crashLimit = createCrashLimit(scenario.nodes);
  const crashing = crashAtAccept(loop, random, scenario, crashLimit);
  const honest = Array.from({ length: scenario.nodes - scenario.byzantine }, (_, index) => {
    const id = world.nodeId(scenario.byzantine + index);
    const disk = world.newDisk();
    const openChain = (isAlive: () => boolean) => {
      const chain = world.openChain(disk, isAlive, (block) => onAccepted(id, block));
      return { ...chain, vm: crashing.wrap(chain.vm, node) };
    };
    const node: HonestNode = createHonestNode({
      id,
      loop,
      network,
      random,
      validators,
      parameters: scenario.parameters,
      openChain,
      onFatal,
    });
    return node;
  });
  network.faults.maxDelay = scenario.maxDelay;
  network.faults.loss = scenario.loss;
  for (const node of honest) node.start();
  for (let index = 0; index < scenario.byzantine; index++) startByzantine(index);
  issueTxs(loop, random, scenario, world.txs, honest);
  makeTrouble(loop, random, scenario, network, honest, crashLimit);

  const isDone = (): boolean =>
    failure !== undefined ||
    (loop.timers.now() >= simulationStart + scenario.troubleUntil &&
      honest.every((node) => node.isRunning() && world.txs.every((rivals) => rivals.some((tx) => node.isAccepted(tx)))));
  const isFinished = await loop.run(isDone, simulationStart + timeLimit);
  if (!isFinished) failure ??= `not all transactions were accepted after ${timeLimit} ms: ${describe(honest, world.txs)}`;
  for (const node of honest) node.crash();
  world.close();
  const events = loop.eventCount();
  return {
    scenario,
    failure,
    height: decided.length - 1,
    events,
    duration: loop.timers.now() - simulationStart,
    fingerprint: idOf(Buffer.from(`${decided.join()} ${events} ${loop.timers.now()}`)),
  };

  function startByzantine(index: number): void {
    const vmOf = (id: NodeId) => honest.find((node) => node.id === id)?.vm();
    const anyVm = () => honest.find((node) => node.isRunning())?.vm();
    startByzantineNode({
      id: world.nodeId(index),
      loop,
      network,
      random,
      peers: honest.map(({ id }) => id),
      undecided: world.undecided,
      preferenceOf: (id) => (vmOf(id) === undefined ? undefined : world.preferenceOf(vmOf(id)!)),
      lastAccepted: () => anyVm()?.block(anyVm()!.lastAccepted()) ?? world.genesis,
      blockBytes: (id) => anyVm()?.blockBytes(id),
      forge: world.forge,
      junk: world.junk,
    });
  }
}

/** Clients issue transactions at random nodes, and again at other nodes until they are accepted: a crash loses the mempool. */
function issueTxs(
  loop: EventLoop,
  random: Random,
  scenario: Scenario,
  txs: readonly (readonly string[])[],
  nodes: readonly HonestNode[],
): void {
  const span = Math.max(3000, scenario.troubleUntil);
  for (const rivals of txs)
    for (const tx of rivals) {
      const issue = (): void => {
        if (nodes.every((node) => node.isRunning() && rivals.some(node.isAccepted))) return;
        random.pick(nodes).issue(tx);
        loop.timers.after(4000 + random.below(4000), issue);
      };
      loop.timers.after(random.below(span), issue);
    }
}

/** Some decided blocks are not stored: the node crashes just before, and restarts without them. */
function crashAtAccept(loop: EventLoop, random: Random, { crashesAtAccept, troubleUntil }: Scenario, limit: CrashLimit) {
  const end = simulationStart + troubleUntil;
  let left = crashesAtAccept;
  const mustCrash = (node: HonestNode): boolean => left > 0 && loop.timers.now() < end && random.below(8) === 0 && limit.mayCrash(node.id);
  const crash = (node: HonestNode): Promise<void> => {
    left--;
    // The engine is in the middle of a decision: it must not see that its node stops.
    loop.timers.after(0, node.crash);
    loop.timers.after(Math.min(end - loop.timers.now(), 100 + random.below(6000)), () => {
      if (!node.isRunning()) node.start();
    });
    return new Promise(() => {});
  };
  return {
    /** The same object: the world knows a node's preference by it. */
    wrap: (vm: Vm, node: HonestNode): Vm => {
      const { accept, verify } = vm;
      return Object.assign(vm, {
        accept: (ids: readonly Id[]) => (mustCrash(node) ? crash(node) : accept(ids)),
        verify: (block: EngineBlock) => {
          verify(block);
          limit.verified(node.id, block.height);
        },
      });
    },
  };
}

function makeTrouble(
  loop: EventLoop,
  random: Random,
  scenario: Scenario,
  network: Network,
  nodes: readonly HonestNode[],
  limit: CrashLimit,
): void {
  const { troubleUntil, crashes, partitions } = scenario;
  for (let index = 0; index < crashes; index++) {
    const node = random.pick(nodes);
    const at = random.below(troubleUntil);
    loop.timers.after(at, () => {
      if (limit.mayCrash(node.id)) node.crash();
    });
    loop.timers.after(Math.min(troubleUntil, at + 100 + random.below(6000)), () => {
      if (!node.isRunning()) node.start();
    });
  }
  for (let index = 0; index < partitions; index++) {
    const cut = random.below(1 << 20);
    const isVisible = random.below(2) === 0;
    const at = random.below(troubleUntil);
    loop.timers.after(at, () => network.partition((node) => (cut >> (Number.parseInt(node.slice(-4), 16) % 20)) & 1, isVisible));
    loop.timers.after(Math.min(troubleUntil, at + 500 + random.below(6000)), network.heal);
  }
  loop.timers.after(troubleUntil, () => {
    network.heal();
    for (const node of nodes) if (!node.isRunning()) node.start();
  });
}

function describe(nodes: readonly HonestNode[], txs: readonly (readonly string[])[]): string {
  return nodes
    .map((node) => {
      const missing = txs.filter((rivals) => !rivals.some(node.isAccepted)).length;
      const state = node.chain()?.engine();
      const height = state?.lastAccepted.height ?? `bootstrapping (${node.chain()?.bootstrap().phase})`;
      return `${node.id.slice(-2)}: height ${height}, ${missing} missing, ${state?.processingBlocks} processing, ${state?.openPolls} polls`;
    })
    .join('; ');
}
