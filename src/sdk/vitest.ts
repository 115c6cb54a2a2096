import { type TestAPI, test as vitestTest } from 'vitest';
import type { LocalNode } from './create-node.ts';
import type { NodeOptions } from './node-options.ts';
import { createTestChain, type TestChain } from './test-chain.ts';

/** Entry point `serac/vitest`: vitest's `test` with a node for every test. */

export type NodeFixture = {
  /** A node in this process whose chain is as new. */
  readonly node: LocalNode;
};

/**
 * Creates a `test` whose context has `node`. Each worker of vitest has a chain of its own, which is created when its first test needs it and
 * reverted before every further one.
 */
export const createTest = (options: NodeOptions = {}): TestAPI<NodeFixture> =>
  vitestTest.extend<NodeFixture>({
    // vitest finds the fixtures that a function needs in the names of its first parameter.
    seracChain: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest requires a destructured parameter
      async ({}, use: (chain: TestChain) => Promise<void>) => {
        const chain = createTestChain(options);
        await use(chain);
        await chain.close();
      },
      { scope: 'worker' },
    ],
    node: async ({ seracChain }: { readonly seracChain: TestChain }, use: (node: LocalNode) => Promise<void>) => {
      await use(await seracChain.renew());
    },
  });

/** `createTest()` with the default options: `test('sends', async ({ node }) => { … })`. */
export const test: TestAPI<NodeFixture> = createTest();
export const it: TestAPI<NodeFixture> = test;
