import { after, test as nodeTest, type TestContext, type TestOptions } from 'node:test';
import type { NodeOptions } from './node-options.ts';
import { createTestChains, type NodeFixture } from './test-chains.ts';

/** Entry point `serac/node-test`: `test` of node:test with a node for every test. */

export type { NodeFixture };

type Run = (fixture: NodeFixture, t: TestContext) => unknown;

type DeclareTest = {
  (name: string, run: Run): Promise<void>;
  (name: string, options: TestOptions, run: Run): Promise<void>;
};

/** `test` of node:test whose function gets `{ node }`, and then the context of node:test. */
export type NodeTest = DeclareTest & { readonly only: DeclareTest; readonly skip: DeclareTest; readonly todo: DeclareTest };

/**
 * Creates a `test` whose function gets `node`. Each process has a chain of its own, which is created when its first test needs it, reverted before
 * every further one, and closed after the last. Tests that run at the same time (`concurrency`) have different chains.
 */
export function createTest(options: NodeOptions = {}): NodeTest {
  const chains = createTestChains(options);
  after(() => chains.close());
  const withNode =
    (declare: typeof nodeTest.only): DeclareTest =>
    (name: string, ...rest: [Run] | [TestOptions, Run]) => {
      const [testOptions, run] = rest.length === 1 ? [{}, rest[0]] : rest;
      return declare(name, testOptions, (t) => chains.lend(async (node) => void (await run({ node }, t as TestContext))));
    };
  return Object.assign(withNode(nodeTest), {
    only: withNode(nodeTest.only),
    skip: withNode(nodeTest.skip),
    todo: withNode(nodeTest.todo),
  });
}

/** `createTest()` with the default options: `test('sends', async ({ node }) => { … })`. */
export const test: NodeTest = createTest();
export const it: NodeTest = test;
