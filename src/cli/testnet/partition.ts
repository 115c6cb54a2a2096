import type { TestnetNode } from './node-status.ts';

/** Which side of a partition a node is on, by its number; nodes without a side reach everyone. */
export type Sides = ReadonlyMap<number, boolean>;

export const noSides: Sides = new Map();

/** These nodes on one side, all others on the other. */
export const splitOff = (numbers: readonly number[], nodes: readonly TestnetNode[]): Sides =>
  new Map(nodes.map(({ number }) => [number, numbers.includes(number)]));

/** The nodes that a node is cut off from. */
export function cutOffFrom(node: TestnetNode, nodes: readonly TestnetNode[], sides: Sides): readonly TestnetNode[] {
  const own = sides.get(node.number);
  return own === undefined ? [] : nodes.filter(({ number }) => sides.get(number) === !own);
}

/** Why nodes cannot be cut off; undefined if they can. Only Serac nodes can refuse a peer, so a cut between two AvalancheGo nodes is impossible. */
export function refuseSplit(numbers: readonly number[], nodes: readonly TestnetNode[]): string | undefined {
  if (numbers.length === nodes.length) return 'all nodes would be on one side; name some of them';
  const avalancheGo = nodes.filter(({ kind }) => kind === 'AvalancheGo').map(({ number }) => numbers.includes(number));
  return new Set(avalancheGo).size < 2
    ? undefined
    : 'AvalancheGo nodes would be on both sides, and only Serac nodes can refuse a peer; put all AvalancheGo nodes on one side';
}
