import type { NodeId } from '../../base/bytes/node-id.ts';
import type { ValidatorSet } from '../protocol/validators.ts';

/** Random choices of nodes: by stake, for whom to poll, and with equal chances, for whom to ask something else. */
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
  return total < maxExactTotal ? sampleSmall(nodes, ends.map(Number), count, randomBytes) : sampleLarge(nodes, ends, count, randomBytes);
}

/** The totals below this are sampled with numbers, which hold the product of a remainder and 2^16 exactly. */
const maxExactTotal = 1n << 37n;

/** Below this total a remainder and 16 more bits fit into a signed integer of 32 bits, whose remainder is computed several times faster. */
const maxIntegerTotal = 1 << 15;

/** Draws the same units as `sampleLarge` from the same random bytes, several times faster. A node draws for every poll. */
function sampleSmall(nodes: readonly NodeId[], ends: readonly number[], count: number, randomBytes: RandomBytes): Map<NodeId, number> {
  const total = ends.at(-1) as number;
  const drawn = new Set<number>();
  const sampled = new Map<NodeId, number>();
  while (drawn.size < count) {
    const random = randomBytes(drawSize * (count - drawn.size));
    for (let at = 0; at < random.length; at += drawSize) {
      const unit = total <= maxIntegerTotal ? integerUnit(random, at, total) : numberUnit(random, at, total);
      if (drawn.has(unit)) continue;
      drawn.add(unit);
      const node = nodes[indexOf(ends, unit)] as NodeId;
      sampled.set(node, (sampled.get(node) ?? 0) + 1);
    }
  }
  return sampled;
}

/** The 128 bits at `at` modulo `total`, with integers of 32 bits. */
function integerUnit(random: Uint8Array, at: number, total: number): number {
  let unit = 0;
  for (let i = at; i < at + drawSize; i += 2) unit = ((unit << 16) | ((random[i] as number) << 8) | (random[i + 1] as number)) % total;
  return unit;
}

function numberUnit(random: Uint8Array, at: number, total: number): number {
  let unit = 0;
  for (let i = at; i < at + drawSize; i += 2) unit = (unit * 65_536 + (random[i] as number) * 256 + (random[i + 1] as number)) % total;
  return unit;
}

function sampleLarge(nodes: readonly NodeId[], ends: readonly bigint[], count: number, randomBytes: RandomBytes): Map<NodeId, number> {
  const total = ends.at(-1) as bigint;
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
function indexOf<T extends bigint | number>(ends: readonly T[], unit: T): number {
  let [from, to] = [0, ends.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ends[middle] as T) > unit) to = middle;
    else from = middle + 1;
  }
  return from;
}
