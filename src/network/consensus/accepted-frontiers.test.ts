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
  return { time, frontiers: createAcceptedFrontiers(node(0), { current: () => set }, { now: () => time.now }) };
}

test('the majority was heard when the last node of it answered, this node included', () => {
  const { time, frontiers } = open(5);
  expect(frontiers.heardAt()).toBe(100);
  time.now = 200;
  frontiers.heard(node(1));
  expect(frontiers.heardAt()).toBe(100);
  time.now = 300;
  frontiers.heard(node(2));
  expect(frontiers.heardAt()).toBe(200);
  time.now = 400;
  frontiers.heard(node(1));
  expect(frontiers.heardAt()).toBe(300);
  // What a node said before stands for its vote, but is not an answer.
  frontiers.set(node(3), block, 9n);
  time.now = 500;
  expect(frontiers.heardAt()).toBe(300);
  frontiers.heard(node(99));
  expect(frontiers.heardAt()).toBe(300);
});

test('a node alone has always heard the majority; of a large network as many as one poll asks are enough', () => {
  const alone = open(1);
  alone.time.now = 900;
  expect(alone.frontiers.heardAt()).toBe(900);
  const { time, frontiers } = open(1000);
  for (let i = 1; i <= 18; i++) frontiers.heard(node(i));
  time.now = 700;
  expect(frontiers.heardAt()).toBe(100);
  for (let i = 1; i <= 19; i++) frontiers.heard(node(i));
  expect(frontiers.heardAt()).toBe(700);
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
