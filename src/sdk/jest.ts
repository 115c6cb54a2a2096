import { afterAll, test as jestTest } from '@jest/globals';
import type { NodeOptions } from './node-options.ts';
import { createTestChains, type NodeFixture } from './test-chains.ts';

/** Entry point `serac/jest`: jest's `test` with a node for every test. */

export type { NodeFixture };

type DeclareTest = (name: string, run: (fixture: NodeFixture) => unknown, timeout?: number) => void;

/** Jest's `test` whose function gets `{ node }`. For a table of cases, call it in a loop: jest's `each` passes the row instead. */
export type NodeTest = DeclareTest & {
  readonly concurrent: DeclareTest;
  readonly failing: DeclareTest;
  readonly only: DeclareTest;
  readonly skip: DeclareTest;
  readonly todo: (name: string) => void;
};

/**
 * Creates a `test` whose function gets `node`. Each test file has a chain of its own, which is created when its first test needs it, reverted before
 * every further one, and closed after the last. Tests that run at the same time (`test.concurrent`) have different chains.
 */
export function createTest(options: NodeOptions = {}): NodeTest {
  const chains = createTestChains(options);
  afterAll(() => chains.close());
  const withNode =
    (declare: (name: string, run: () => Promise<void>, timeout?: number) => void): DeclareTest =>
    (name, run, timeout) =>
      declare(name, () => chains.lend(async (node) => void (await run({ node }))), timeout);
  return Object.assign(withNode(jestTest), {
    concurrent: withNode(jestTest.concurrent),
    failing: withNode(jestTest.failing),
    only: withNode(jestTest.only),
    skip: withNode(jestTest.skip),
    todo: jestTest.todo,
  });
}

/** `createTest()` with the default options: `test('sends', async ({ node }) => { … })`. */
export const test: NodeTest = createTest();
export const it: NodeTest = test;
