import { expect, test } from 'bun:test';
import { idOf } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { createAcceptedFrontiers } from './accepted-frontiers.ts';

const node = (i: number): NodeId => String(i).padStart(40, '0') as NodeId;
const block = idOf(Buffer.from('block'));

/** Validators with one weight each; this node is the first of them. */
function open(count: number) {
  const time = { now: 100 };
  const set = new Map(Array.from({ length: count }, (_, i) => [node(i), 1n] as const));
  const frontiers = createAcceptedFrontiers(node(0), { current: () => set }, { now: () => time.now });
  const answer = (number: number, height: bigint): void => frontiers.set(node(number), block, height, time.now);
  return { set, time, frontiers, answer, heardAt: (ownHeight = 9n) => frontiers.majority(ownHeight).heardAt };
}

test('the majority was heard when the last node of it answered, this node included', () => {
  const { time, frontiers, answer, heardAt } = open(5);
  expect(heardAt()).toBe(100);
  time.now = 200;
  answer(1, 0n);
  expect(heardAt()).toBe(100);
  time.now = 300;
  answer(2, 0n);
  expect(heardAt()).toBe(200);
  time.now = 400;
  answer(1, 0n);
  expect(heardAt()).toBe(300);
  // What a node said before stands for its vote, but is not an answer.
  frontiers.set(node(3), block, 9n);
  time.now = 500;
  expect(heardAt()).toBe(300);
  answer(99, 0n);
  expect(heardAt()).toBe(300);
});

test('an answer that arrives after one that was asked for later does not make the later one older', () => {
  const { time, frontiers, heardAt } = open(3);
  time.now = 900;
  frontiers.set(node(1), block, 3n, 500);
  frontiers.set(node(1), block, 3n, 400);
  expect(heardAt()).toBe(500);
});

test('a node alone has always heard the majority; of a large network as many as one poll asks are enough', () => {
  const alone = open(1);
  alone.time.now = 900;
  expect(alone.heardAt()).toBe(900);
  const { time, answer, heardAt } = open(1000);
  for (let i = 1; i <= 18; i++) answer(i, 0n);
  time.now = 700;
  expect(heardAt()).toBe(100);
  for (let i = 1; i <= 19; i++) answer(i, 0n);
  expect(heardAt()).toBe(700);
});

test('while one node is ahead and others have not answered, it is not known whether the majority is', () => {
  const { time, frontiers, answer, heardAt } = open(5);
  for (const number of [1, 2, 3, 4]) answer(number, 333n);
  expect(heardAt(333n)).toBe(100);
  // After a partition: one node that was cut off too, and one that was not.
  time.now = 30_000;
  answer(3, 333n);
  answer(4, 337n);
  expect(frontiers.majority(333n)).toEqual({ height: 333n, heardAt: 100 });
  time.now = 30_100;
  answer(1, 333n);
  expect(heardAt(333n)).toBe(30_000);
  answer(1, 336n);
  answer(2, 336n);
  expect(frontiers.majority(333n)).toEqual({ height: 336n, heardAt: 30_100 });
  expect(heardAt(336n)).toBe(30_100);
});

test('a majority may be ahead only since those that are ahead last said that they were not, however long another is silent', () => {
  const { time, frontiers, answer, heardAt } = open(5);
  const answerAt = (now: number, heights: readonly (readonly [number, bigint])[]): void => {
    time.now = now;
    for (const [number, height] of heights) answer(number, height);
  };
  // The fourth is frozen from now on; two others accept a block sooner than this node, which is not far behind.
  answerAt(1000, [
    [1, 333n],
    [2, 333n],
    [3, 333n],
    [4, 333n],
  ]);
  answerAt(15_000, [
    [1, 333n],
    [2, 333n],
    [3, 333n],
  ]);
  answerAt(15_500, [
    [1, 334n],
    [2, 335n],
    [3, 333n],
  ]);
  expect(frontiers.majority(333n)).toEqual({ height: 333n, heardAt: 15_000 });
  answerAt(16_500, [
    [1, 337n],
    [2, 337n],
    [3, 333n],
  ]);
  expect(heardAt(333n)).toBe(15_000);
  // This node follows: the second may have had more than this only since it told of 335.
  expect([heardAt(334n), heardAt(335n)]).toEqual([15_500, 15_500]);
  expect(heardAt(337n)).toBe(16_500);
});

test('no majority is ahead as long as half of the stake, this node included, has answered with nothing higher', () => {
  const { time, answer, heardAt } = open(4);
  for (const number of [1, 2, 3]) answer(number, 5n);
  time.now = 300;
  answer(1, 6n);
  expect(heardAt(5n)).toBe(100);
  answer(2, 5n);
  expect(heardAt(5n)).toBe(300);
});

test('of two nodes none knows what the network has while the other is silent', () => {
  const { time, answer, heardAt } = open(2);
  time.now = 900;
  expect(heardAt()).toBe(100);
  answer(1, 0n);
  expect(heardAt()).toBe(900);
});

test('half of the stake is no majority, and without a majority none is known to have a block', () => {
  const { frontiers, answer } = open(4);
  expect(frontiers.majority(0n)).toEqual({ height: 0n, heardAt: 100 });
  for (const number of [1, 2]) answer(number, 5n);
  expect(frontiers.majority(9n).height).toBe(0n);
  answer(3, 4n);
  expect(frontiers.majority(9n).height).toBe(4n);
  answer(3, 5n);
  expect(frontiers.majority(9n).height).toBe(5n);
});

test('of the heights that a validator told of 64 are remembered: one that is further ahead counts as ahead since the last of them', () => {
  const { time, answer, heardAt } = open(3);
  for (let height = 0n; height <= 100n; height++) {
    time.now = 1000 + Number(height);
    answer(1, height);
  }
  // It may have had more than this height since its answer with this height.
  expect(heardAt(10n)).toBe(1010);
  expect([heardAt(62n), heardAt(80n)]).toEqual([1062, 1062]);
});

test('a validator stands for the highest block that it told of, and at this height for the last one', () => {
  const { frontiers, answer } = open(3);
  const other = idOf(Buffer.from('other'));
  answer(1, 7n);
  answer(1, 6n);
  expect(frontiers.get(node(1))).toMatchObject({ id: block, height: 7n });
  frontiers.set(node(1), other, 7n);
  expect(frontiers.get(node(1))).toMatchObject({ id: other, height: 7n });
});

test('what others told is not kept: neither before they are validators, nor after more have told than there are validators', () => {
  const { set, frontiers, answer } = open(3);
  const replaceBy = (...numbers: number[]): void => {
    set.clear();
    for (const number of numbers) set.set(node(number), 1n);
  };
  answer(5, 9n);
  for (const number of [1, 2]) answer(number, 9n);
  replaceBy(1, 2, 5);
  expect([1, 2, 5].map((number) => frontiers.get(node(number))?.height)).toEqual([9n, 9n, undefined]);
  replaceBy(3, 4);
  expect(frontiers.get(node(1))).toBeUndefined();
  for (const number of [3, 4]) answer(number, 9n);
  replaceBy(1, 2);
  expect(frontiers.get(node(1))).toBeUndefined();
});

test('a chain is split from the network if half of the stake has accepted another block at a height that it has reached', () => {
  const { frontiers } = open(4);
  const other = idOf(Buffer.from('other'));
  const reads: bigint[] = [];
  const own = (height: bigint) => ({
    height,
    idAt: (at: bigint) => {
      reads.push(at);
      return block;
    },
  });
  expect(frontiers.isSplit(own(5n))).toBe(false);
  frontiers.set(node(1), block, 5n);
  frontiers.set(node(2), other, 5n);
  expect(frontiers.isSplit(own(5n))).toBe(false);
  // A higher block may be a descendant of the own one.
  frontiers.set(node(3), other, 6n);
  expect(frontiers.isSplit(own(5n))).toBe(false);
  expect(frontiers.isSplit(own(6n))).toBe(true);
  // A block that was compared is not read again.
  frontiers.set(node(3), other, 6n);
  expect([frontiers.isSplit(own(6n)), reads]).toEqual([true, [5n, 5n, 6n]]);
  frontiers.set(node(3), block, 7n);
  expect(frontiers.isSplit(own(7n))).toBe(false);
});

test('a chain without validators, and one that has none of their blocks, is not split from the network', () => {
  const unknown = { height: 9n, idAt: () => undefined };
  expect(open(0).frontiers.isSplit(unknown)).toBe(false);
  const { frontiers, answer } = open(3);
  for (const number of [1, 2]) answer(number, 5n);
  expect(frontiers.isSplit(unknown)).toBe(false);
});
