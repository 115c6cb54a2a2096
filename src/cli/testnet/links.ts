import type { TestnetNode } from './node-status.ts';

/** Which side of a partition a node is on, by its number; nodes without a side reach everyone. */
export type Sides = ReadonlyMap<number, boolean>;

/** Milliseconds by which messages between two nodes arrive later, by `pairKey`. */
export type PairDelays = ReadonlyMap<string, number>;

/** What was done to the connections between nodes. */
export type Links = { readonly sides: Sides; readonly delays: PairDelays };

export const intactLinks: Links = { sides: new Map(), delays: new Map() };

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
    : 'only Serac nodes can refuse a peer, so all AvalancheGo nodes must be on one side of the partition';
}

const pairKey = (a: number, b: number): string => `${Math.min(a, b)}-${Math.max(a, b)}`;

/** The pairs that nodes form: of no node all pairs, of one node those with every other, of several those among them. */
export function pairsOf(numbers: readonly number[], nodes: readonly TestnetNode[]): (readonly [TestnetNode, TestnetNode])[] {
  const isMeant = (a: number, b: number): boolean =>
    numbers.length < 2 ? numbers.length === 0 || numbers.includes(a) || numbers.includes(b) : numbers.includes(a) && numbers.includes(b);
  return nodes.flatMap((a, at) => nodes.slice(at + 1).flatMap((b) => (isMeant(a.number, b.number) ? [[a, b] as const] : [])));
}

/** The delays after a change of some pairs; 0 ends a delay. */
export function withDelay(delays: PairDelays, pairs: readonly (readonly [TestnetNode, TestnetNode])[], milliseconds: number): PairDelays {
  const changed = new Map(delays);
  for (const [a, b] of pairs) {
    if (milliseconds > 0) changed.set(pairKey(a.number, b.number), milliseconds);
    else changed.delete(pairKey(a.number, b.number));
  }
  return changed;
}

/** The nodes to which a node sends later, with the milliseconds. */
export const delaysOf = (node: TestnetNode, nodes: readonly TestnetNode[], delays: PairDelays): ReadonlyMap<TestnetNode, number> =>
  new Map(
    nodes.flatMap((other) => {
      const milliseconds = delays.get(pairKey(node.number, other.number));
      return other.number === node.number || milliseconds === undefined ? [] : [[other, milliseconds] as const];
    }),
  );

/** Why messages between these nodes cannot be delayed; undefined if they can. Only Serac nodes can send later. */
export const refuseDelay = (pairs: readonly (readonly [TestnetNode, TestnetNode])[]): string | undefined =>
  pairs.some((pair) => pair.every(({ kind }) => kind === 'AvalancheGo'))
    ? 'only Serac nodes can send later, so messages between two AvalancheGo nodes cannot be delayed'
    : undefined;

/** The connections as they were before anything was done to this node's. */
export const healLinks = ({ sides, delays }: Links, number: number): Links => ({
  sides: new Map([...sides].filter(([other]) => other !== number)),
  delays: new Map([...delays].filter(([key]) => !key.split('-').includes(`${number}`))),
});
