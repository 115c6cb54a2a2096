import { expect, test } from 'bun:test';
import type { AnyFault } from '../../base/fault.ts';
import { createVirtualClock, settle } from '../../base/timing/virtual-timing.fixture.ts';
import { askMajority, askNodes, findAgreed, heightReachedBy, majorityOf } from './ask-nodes.ts';
import { noResponse } from './fault.ts';

const nodes = ['a', 'b', 'c'].map((url) => ({ url }));

/** Questions that a test answers one by one. `result` is undefined until the asking has ended. */
function open(isEnough?: (answers: readonly number[]) => boolean) {
  const clock = createVirtualClock(0);
  const open = new Map(nodes.map(({ url }) => [url, Promise.withResolvers<number>()]));
  const state: { result?: unknown; error?: unknown } = {};
  const options = { after: clock.after, ...(isEnough && { isEnough }) };
  askNodes(nodes, ({ url }) => (open.get(url) as PromiseWithResolvers<number>).promise, options).then(
    (result) => {
      state.result = result;
    },
    (error: unknown) => {
      state.error = error;
    },
  );
  return {
    clock,
    state,
    answer: async (url: string, value: number) => {
      open.get(url)?.resolve(value);
      await settle();
    },
    fail: async (url: string, error: unknown) => {
      open.get(url)?.reject(error);
      await settle();
    },
  };
}

test('more than half is the majority', () => {
  expect([1, 2, 3, 4, 5].map(majorityOf)).toEqual([1, 2, 2, 3, 3]);
});

test('all answers and failures are waited for', async () => {
  const { state, answer, fail } = open();
  await answer('b', 2);
  const error = noResponse('m', 'why');
  await fail('a', error);
  expect(state.result).toBeUndefined();
  await answer('c', 3);
  expect(state.result).toEqual({ answers: [2, 3], failures: [{ url: 'a', error }] });
});

test('when more than half have answered, the slow ones have a second', async () => {
  const { clock, state, answer } = open();
  await answer('a', 1);
  clock.advance(10_000);
  await settle();
  expect(state.result).toBeUndefined();
  await answer('b', 2);
  clock.advance(999);
  await settle();
  expect(state.result).toBeUndefined();
  clock.advance(1);
  await settle();
  expect(state.result).toEqual({ answers: [1, 2], failures: [] });
});

test('enough answers end the asking at once, and a bug is thrown', async () => {
  const enough = open((answers) => answers.includes(7));
  await enough.answer('a', 7);
  expect(enough.state.result).toEqual({ answers: [7], failures: [] });
  const broken = open();
  const bug = new TypeError('bug');
  await broken.fail('a', bug);
  expect(broken.state.error).toBe(bug);
});

test('no timer is left when the asking has ended, whatever comes after more than half of the answers', async () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((url) => ({ url, answer: Promise.withResolvers<number>() }));
  const timers = new Set<() => void>();
  const after = (_: number, run: () => void) => {
    timers.add(run);
    return () => void timers.delete(run);
  };
  const ended = askNodes(five, ({ answer }) => answer.promise, { after, isEnough: (answers) => answers.includes(4) });
  const [a, b, c, d, e] = five.map(({ answer }) => answer) as [PromiseWithResolvers<number>, ...PromiseWithResolvers<number>[]];
  for (const [i, one] of [a, b, c].entries()) one?.resolve(i);
  await settle();
  d?.reject(noResponse('m', 'why'));
  await settle();
  expect(timers.size).toBe(1);
  e?.resolve(4);
  await ended;
  expect(timers.size).toBe(0);
});

test('a question that more than half must answer fails with what is missing', async () => {
  const { after } = createVirtualClock(0);
  const tooFew = (reason: string): AnyFault => noResponse('m', reason);
  const ask = async ({ url }: { url: string }) => {
    if (url !== 'a') throw noResponse('m', url);
    return 1;
  };
  expect(await askMajority(nodes.slice(0, 1), ask, { after }, tooFew)).toEqual([1]);
  await expect(askMajority(nodes, ask, { after }, tooFew)).rejects.toThrow(/2 of 3 nodes must answer, 1 did; b: .*b; c: .*c/);
});

test('an answer is agreed on if enough nodes gave it', () => {
  const agreed = (needed: number, ...answers: { v: number }[]) => findAgreed(answers, needed, ({ v }) => `${v}`)?.answer.v;
  expect(agreed(2, { v: 1 }, { v: 2 }, { v: 2 })).toBe(2);
  expect(agreed(2, { v: 1 }, { v: 2 }, { v: 3 })).toBeUndefined();
  expect([agreed(1, { v: 5 }), agreed(1)]).toEqual([5, undefined]);
});

test('a height is reached by so many nodes', () => {
  const heights = [5n, 100n, 20n];
  expect([1, 2, 3, 4].map((count) => heightReachedBy(count, heights))).toEqual([100n, 20n, 5n, 0n]);
});
