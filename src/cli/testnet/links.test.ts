import { expect, test } from 'bun:test';
import {
  cutOffFrom,
  delaysOf,
  healLinks,
  intactLinks,
  type PairDelays,
  pairsOf,
  refuseDelay,
  refuseSplit,
  splitOff,
  withDelay,
} from './links.ts';
import type { TestnetNode } from './node-status.ts';

const createNode = (number: number, kind: TestnetNode['kind'] = 'Serac'): TestnetNode => ({
  ...{ number, kind, nodeID: `NodeID-${number}`, url: `u${number}`, stakingAddress: `s${number}`, folder: `f${number}`, command: [] },
});
const nodes = [createNode(1), createNode(2), createNode(3), createNode(4)];
const mixed = [createNode(1), createNode(2), createNode(3, 'AvalancheGo'), createNode(4, 'AvalancheGo')];
const nodeAt = (number: number): TestnetNode => nodes[number - 1] as TestnetNode;
const numbersOf = (list: readonly TestnetNode[]): number[] => list.map(({ number }) => number);

test('a partition: nodes reach their own side; a node without a side reaches all, and all reach it', () => {
  const sides = splitOff([2, 3], nodes.slice(0, 3));
  expect([...sides]).toEqual([
    [1, false],
    [2, true],
    [3, true],
  ]);
  expect(nodes.map((node) => numbersOf(cutOffFrom(node, nodes, sides)))).toEqual([[2, 3], [1], [1], []]);
  expect(nodes.map((node) => cutOffFrom(node, nodes, intactLinks.sides))).toEqual([[], [], [], []]);
});

test('a partition needs two sides, and AvalancheGo nodes on one of them', () => {
  expect(refuseSplit([1, 2, 3, 4], nodes)).toBe('all nodes would be on one side; name some of them');
  expect(refuseSplit([1, 2, 3], nodes)).toBeUndefined();
  expect(refuseSplit([1, 3], mixed)).toMatch(/^only Serac nodes can refuse a peer/);
  expect([refuseSplit([1], mixed), refuseSplit([3, 4], mixed), refuseSplit([2, 3, 4], mixed)]).toEqual([undefined, undefined, undefined]);
});

test.each<[readonly number[], string]>([
  [[], '1-2 1-3 1-4 2-3 2-4 3-4'],
  [[3], '1-3 2-3 3-4'],
  [[1, 4], '1-4'],
  [[4, 2, 1], '1-2 1-4 2-4'],
])('the pairs of %p', (numbers, pairs) => {
  expect(
    pairsOf(numbers, nodes)
      .map((pair) => numbersOf(pair).join('-'))
      .join(' '),
  ).toBe(pairs);
});

test('a delay holds in both directions until it is 0; others stay', () => {
  const numbered = (node: TestnetNode, delays: PairDelays) => [...delaysOf(node, nodes, delays)].map(([other, ms]) => [other.number, ms]);
  const first = withDelay(new Map(), pairsOf([2], nodes), 80);
  expect(numbered(nodeAt(2), first)).toEqual([
    [1, 80],
    [3, 80],
    [4, 80],
  ]);
  expect(numbered(nodeAt(4), first)).toEqual([[2, 80]]);
  const second = withDelay(first, [[nodeAt(4), nodeAt(2)]], 5);
  expect([numbered(nodeAt(4), second), numbered(nodeAt(4), first)]).toEqual([[[2, 5]], [[2, 80]]]);
  const third = withDelay(second, [[nodeAt(2), nodeAt(1)]], 0);
  expect([numbered(nodeAt(1), third), numbered(nodeAt(2), third)]).toEqual([
    [],
    [
      [3, 80],
      [4, 5],
    ],
  ]);
});

test('a pair of AvalancheGo nodes cannot be delayed', () => {
  expect(refuseDelay(pairsOf([3], mixed))).toBe(
    'only Serac nodes can send later, so messages between two AvalancheGo nodes cannot be delayed',
  );
  expect(refuseDelay(pairsOf([1], mixed))).toBeUndefined();
});

test('healing a node ends its delays and takes it off its side, and only it', () => {
  const eleven = [createNode(1), createNode(11), createNode(2)] as const;
  const delays = withDelay(new Map(), pairsOf([], eleven), 9);
  const healed = healLinks({ sides: splitOff([1], eleven), delays }, 1);
  expect([...healed.sides]).toEqual([
    [11, false],
    [2, false],
  ]);
  expect([...healed.delays]).toEqual([['2-11', 9]]);
});
