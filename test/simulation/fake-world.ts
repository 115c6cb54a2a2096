import type { EngineBlock, Vm } from '../../src/avm/vm.ts';
import { type Id, idOf } from '../../src/base/bytes/id.ts';
import type { NodeId } from '../../src/base/bytes/node-id.ts';
import type { Random } from '../random.ts';
import type { EventLoop } from './event-loop.ts';
import { createFakeChain, type Disk, decodeBlock, encodeBlock, genesisId, newDisk } from './fake-chain.ts';
import type { SimulatedChain } from './honest-node.ts';
import type { Scenario } from './scenario.ts';
import { nodeIdAt } from './world.ts';

/** The chains of a simulation, and what an all-seeing adversary knows of them. */
export type World<D = unknown> = {
  readonly nodeId: (index: number) => NodeId;
  readonly newDisk: () => D;
  readonly openChain: (disk: D, isAlive: () => boolean, onAccepted: (block: EngineBlock) => void) => SimulatedChain;
  /** Transactions to issue. Of each group, whose members conflict, one is accepted. */
  readonly txs: readonly (readonly string[])[];
  readonly genesis: EngineBlock;
  /** Blocks that are processing on honest nodes. */
  readonly undecided: () => readonly Id[];
  readonly preferenceOf: (vm: Vm) => Id | undefined;
  readonly forge: (parent: EngineBlock) => readonly [EngineBlock, EngineBlock] | undefined;
  readonly junk: () => Uint8Array;
  readonly close: () => void;
};

export function createFakeWorld(loop: EventLoop, random: Random, scenario: Scenario): World {
  const txs = Array.from({ length: scenario.txs }, (_, index) => {
    const hasRival = scenario.rivals > 0 && index % scenario.rivals === 0;
    return hasRival ? [`t${2 * index}:i${index}`, `t${2 * index + 1}:i${index}`] : [`t${2 * index}:i${index}`];
  });
  let unique = 0;
  const genesis = decodeBlock(newDisk().blocks.get(genesisId)!);
  const preferences = new Map<Vm, Id>();
  /** Verified blocks by their height; those at or below the tip of the adversary's view are removed. */
  const verified = new Map<Id, bigint>();
  let highest = 0n;

  const delay = (isAlive: () => boolean, milliseconds: number): Promise<void> => {
    if (milliseconds === 0) {
      loop.markAsync();
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      loop.timers.after(milliseconds, () => {
        if (!isAlive()) return;
        loop.markAsync();
        resolve();
      });
    });
  };
  const openChain = (disk: Disk, isAlive: () => boolean, onAccepted: (block: EngineBlock) => void): SimulatedChain => {
    const chain = createFakeChain(disk, {
      now: loop.timers.now,
      delay: (milliseconds) => delay(isAlive, milliseconds),
      preverifyMilliseconds: () => random.below(scenario.maxPreverify + 1),
      acceptMilliseconds: () => random.below(scenario.maxAccept + 1),
      unique: () => unique++,
      onAccepted: (block) => {
        if (block.height > highest) highest = block.height;
        onAccepted(block);
      },
    });
    const { vm } = chain;
    const wrapped: Vm = {
      ...vm,
      verify: (block) => {
        vm.verify(block);
        verified.set(block.id, block.height);
      },
      setPreference: (id) => {
        preferences.set(wrapped, id);
        vm.setPreference(id);
      },
    };
    return {
      ...chain,
      vm: wrapped,
      issue: (tx) => {
        const bytes = new TextEncoder().encode(tx);
        return chain.issue(tx) ? { id: idOf(bytes), bytes } : undefined;
      },
    };
  };
  return {
    nodeId: nodeIdAt,
    newDisk,
    openChain: openChain as World['openChain'],
    txs,
    genesis,
    undecided: () => {
      for (const [id, height] of verified) if (height < highest) verified.delete(id);
      return [...verified.keys()];
    },
    preferenceOf: (vm) => preferences.get(vm),
    forge: (parent) => {
      const group = random.pick(txs);
      const make = (tx: string): EngineBlock =>
        decodeBlock(encodeBlock(parent.id, parent.height + 1n, parent.time, 1_000_000 + unique++, [tx]));
      return [make(random.pick(group)), make(random.pick(group))];
    },
    junk: () => {
      const height = BigInt(random.below(2) === 0 ? 1 + random.below(50) : 1_000_000_000);
      const parent = random.below(2) === 0 ? idOf(random.bytes(4)) : genesis.id;
      return random.below(4) === 0 ? random.bytes(40) : encodeBlock(parent, height, genesis.time, unique++, ['bad']);
    },
    close: () => {},
  };
}
