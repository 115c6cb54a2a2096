import type { NodeId } from '../bytes/node-id.ts';
import type { ValidatorSet } from '../p2p/validators.ts';

export type RandomBytes = (length: number) => Uint8Array;

/** Bytes of one draw. The remainder of 128 random bits by a weight of 64 bits is uniform but for 2^-64. */
const drawSize = 16;

/**
 * Samples units of weight without replacement. Returns how many units of each node were drawn; undefined if the set has fewer units than
 * `count`. AvalancheGo: snow/validators/set.go, sample.
 */
export function sampleUnits(set: ValidatorSet, count: number, randomBytes: RandomBytes): Map<NodeId, number> | undefined {
  const nodes: NodeId[] = [];
  const ends: bigint[] = [];
  let total = 0n;
  for (const [node, weight] of set) {
    total += weight;
    nodes.push(node);
    ends.push(total);
  }
  if (total < BigInt(count)) return undefined;
  const drawn = new Set<bigint>();
  const sampled = new Map<NodeId, number>();
  while (drawn.size < count) {
    const random = randomBytes(drawSize * (count - drawn.size));
    for (let at = 0; at < random.length; at += drawSize) {
      const unit = unitAt(random, at) % total;
      if (drawn.has(unit)) continue;
      drawn.add(unit);
      const node = nodes[indexOf(ends, unit)] as NodeId;
      sampled.set(node, (sampled.get(node) ?? 0) + 1);
    }
  }
  return sampled;
}

/** Samples up to `count` of the nodes, each with the same probability. */
export function sampleNodes(nodes: readonly NodeId[], count: number, randomBytes: RandomBytes): NodeId[] {
  const left = [...nodes];
  const sampled: NodeId[] = [];
  const random = randomBytes(drawSize * Math.min(count, left.length));
  for (let at = 0; at < random.length; at += drawSize) {
    const index = Number(unitAt(random, at) % BigInt(left.length));
    sampled.push(left[index] as NodeId);
    left[index] = left.at(-1) as NodeId;
    left.pop();
  }
  return sampled;
}

function unitAt(random: Uint8Array, at: number): bigint {
  const view = new DataView(random.buffer, random.byteOffset + at, drawSize);
  return (view.getBigUint64(0) << 64n) | view.getBigUint64(8);
}

/** The index of the first end above a unit. */
function indexOf(ends: readonly bigint[], unit: bigint): number {
  let [from, to] = [0, ends.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ends[middle] as bigint) > unit) to = middle;
    else from = middle + 1;
  }
  return from;
}
