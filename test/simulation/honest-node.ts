import type { Vm } from '../../src/avm/vm.ts';
import type { Id } from '../../src/base/bytes/id.ts';
import type { NodeId } from '../../src/base/bytes/node-id.ts';
import type { EngineParameters } from '../../src/network/consensus/engine-parameters.ts';
import { defaultGossipParameters } from '../../src/network/gossip/gossip-parameters.ts';
import type { GossipPool } from '../../src/network/gossip/tx-gossip.ts';
import { type JoinedChain, startJoinedChain } from '../../src/network/joined-chain/joined-chain.ts';
import type { ValidatorSet } from '../../src/network/protocol/validators.ts';
import type { Random } from '../random.ts';
import type { EventLoop } from './event-loop.ts';
import type { Network } from './network.ts';
import { chainId } from './world.ts';

/** A chain of a simulated node, in memory: the small one or the real one. */
export type SimulatedChain = {
  readonly vm: Vm;
  readonly pool: GossipPool;
  /** Issues a transaction through this node. Returns its bytes and ID if it was taken. */
  readonly issue: (tx: string) => { readonly id: Id; readonly bytes: Uint8Array } | undefined;
  readonly isAccepted: (tx: string) => boolean;
};

/** A node that follows the protocol. It can crash at any time and restart with what is on its disk. */
export type HonestNode = {
  readonly id: NodeId;
  readonly start: () => void;
  readonly crash: () => void;
  readonly isRunning: () => boolean;
  readonly issue: (tx: string) => void;
  readonly isAccepted: (tx: string) => boolean;
  readonly chain: () => JoinedChain | undefined;
  readonly vm: () => Vm | undefined;
};

type HonestNodeParts = {
  readonly id: NodeId;
  readonly loop: EventLoop;
  readonly network: Network;
  readonly random: Random;
  readonly validators: ValidatorSet;
  readonly parameters: EngineParameters;
  /** Opens the chain on the node's disk. `isAlive` tells whether the process still runs. */
  readonly openChain: (isAlive: () => boolean) => SimulatedChain;
  readonly onFatal: (node: NodeId, error: unknown) => void;
};

export function createHonestNode(parts: HonestNodeParts): HonestNode {
  const { id, loop, network, random, validators } = parts;
  let running: { readonly chain: JoinedChain; readonly opened: SimulatedChain } | undefined;

  /** Work of a process that crashed does not run. While promises may be waiting, the loop lets them run after each event. */
  const timersOf = (isAlive: () => boolean) => ({
    now: loop.timers.now,
    after: (milliseconds: number, run: () => void) =>
      loop.timers.after(milliseconds, () => {
        if (!isAlive()) return;
        if (running?.chain.isBootstrapping() !== false) loop.markAsync();
        run();
      }),
  });
  const start = (): void => {
    let isAlive = true;
    const opened = parts.openChain(() => isAlive);
    const chain = startJoinedChain({
      chainId,
      vm: opened.vm,
      pool: opened.pool,
      transport: network.transportOf(id),
      validators: { current: () => validators },
      beacons: () => validators,
      stakers: () => validators,
      timers: timersOf(() => isAlive),
      unixMilliseconds: loop.timers.now,
      randomBytes: (length) => fastBytes(random, length),
      engineParameters: parts.parameters,
      gossipParameters: defaultGossipParameters,
      events: { onBootstrapped: () => {}, onWarning: () => {}, onFatal: (error) => parts.onFatal(id, error) },
    });
    const stop = chain.stop;
    running = {
      opened,
      chain: {
        ...chain,
        stop: () => {
          isAlive = false;
          stop();
        },
      },
    };
    const { handler } = chain;
    network.start(id, {
      ...handler,
      receive: (from, message) => {
        if (chain.isBootstrapping()) loop.markAsync();
        handler.receive(from, message);
      },
      failed: (from, requestId, response, cause) => {
        if (chain.isBootstrapping()) loop.markAsync();
        handler.failed(from, requestId, response, cause);
      },
    });
    loop.markAsync();
  };

  return {
    id,
    start,
    crash: () => {
      running?.chain.stop();
      running = undefined;
      network.stop(id);
    },
    isRunning: () => running !== undefined,
    issue: (tx) => {
      const item = running?.opened.issue(tx);
      if (item !== undefined) running?.chain.gossip.issued(item);
    },
    isAccepted: (tx) => running?.opened.isAccepted(tx) ?? false,
    chain: () => running?.chain,
    vm: () => running?.opened.vm,
  };
}

/** Random bytes, four per number: polls need many. */
function fastBytes(random: Random, length: number): Uint8Array {
  const words = new Uint32Array((length + 3) >> 2);
  for (let index = 0; index < words.length; index++) words[index] = random.next();
  return new Uint8Array(words.buffer, 0, length);
}
