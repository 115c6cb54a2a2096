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
