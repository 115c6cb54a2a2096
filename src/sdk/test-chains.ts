import { createNode, type LocalNode } from './create-node.ts';
import type { NodeOptions } from './node-options.ts';

/** What a test of `serac/vitest`, `serac/jest` and `serac/node-test` gets. */
export type NodeFixture = {
  /** A node in this process whose chain is as new. */
  readonly node: LocalNode;
};

/** The chains of a worker: one, which its tests use one after the other, and more while tests run at the same time. */
export type TestChains = {
  /** Runs a test with a node whose chain is as new, and which no other test uses meanwhile. */
  readonly lend: (test: (node: LocalNode) => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
};

export function createTestChains(options: NodeOptions): TestChains {
  const all: TestChain[] = [];
  const free: TestChain[] = [];
  const addChain = (): TestChain => {
    const chain = createTestChain(options);
    all.push(chain);
    return chain;
  };
  return {
    lend: async (test) => {
      const chain = free.pop() ?? addChain();
      try {
        await test(await chain.renew());
      } finally {
        free.push(chain);
      }
    },
    close: async () => void (await Promise.all(all.map((chain) => chain.close()))),
  };
}

/** A chain that is used by one test after the other. */
type TestChain = {
  /** Returns a node whose chain, clock, mempool and settings are as new: reverted if that is enough, else created again. */
  readonly renew: () => Promise<LocalNode>;
  readonly close: () => Promise<void>;
};

/** Not a name that a test would choose for its own snapshot. */
const newChain = 'serac: new chain';

function createTestChain(options: NodeOptions): TestChain {
  let node: LocalNode | undefined;
  let initialSettings = '';
  const create = async (): Promise<LocalNode> => {
    const created = await createNode(options);
    await created.dev.snapshot(newChain);
    initialSettings = await readSettings(created);
    return created;
  };
  return {
    renew: async () => {
      if (node !== undefined && (await restore(node, initialSettings))) return node;
      await node?.close();
      node = await create();
      return node;
    },
    close: async () => node?.close(),
  };
}

/** Reverts the chain. Returns false if the test has closed the node, deleted the snapshot, or left settings that a revert does not undo. */
async function restore(node: LocalNode, initialSettings: string): Promise<boolean> {
  try {
    await node.dev.revert(newChain);
    const { snapshots } = await node.dev.listSnapshots();
    for (const { name } of snapshots) if (name !== newChain) await node.dev.deleteSnapshot(name);
    return (await readSettings(node)) === initialSettings;
  } catch {
    return false;
  }
}

/** What a test changes outside the chain: block policy, impersonation, faults, health and webhooks. */
async function readSettings({ dev, health, fetch }: LocalNode): Promise<string> {
  const { automine, interval, impersonated, autoImpersonate, faults } = await dev.nodeInfo();
  const { healthy } = await health.health();
  const webhooks = await (await fetch('/v1/webhooks')).text();
  return JSON.stringify({ automine, interval, impersonated, autoImpersonate, faults, healthy, webhooks });
}
