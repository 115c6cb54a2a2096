import { type TestAPI, test as vitestTest } from 'vitest';
import type { LocalNode } from './create-node.ts';
import type { NodeOptions } from './node-options.ts';
import { createTestChains, type NodeFixture, type TestChains } from './test-chains.ts';

/** Entry point `serac/vitest`: vitest's `test` with a node for every test. */

export type { NodeFixture };

/**
 * Creates a `test` whose context has `node`. Each worker of vitest has a chain of its own, which is created when its first test needs it and
 * reverted before every further one. Tests that run at the same time (`describe.concurrent`) have different chains.
 */
export const createTest = (options: NodeOptions = {}): TestAPI<NodeFixture> =>
  vitestTest.extend<NodeFixture>({
    // vitest finds the fixtures that a function needs in the names of its first parameter.
    seracChains: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest requires a destructured parameter
      async ({}, use: (chains: TestChains) => Promise<void>) => {
        const chains = createTestChains(options);
        await use(chains);
        await chains.close();
      },
      { scope: 'worker' },
    ],
    node: async ({ seracChains }: { readonly seracChains: TestChains }, use: (node: LocalNode) => Promise<void>) => {
      await seracChains.lend(use);
    },
  });

/** `createTest()` with the default options: `test('sends', async ({ node }) => { … })`. */
export const test: TestAPI<NodeFixture> = createTest();
export const it: TestAPI<NodeFixture> = test;
