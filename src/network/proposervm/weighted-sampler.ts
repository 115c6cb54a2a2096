import { maxU64 } from '../../base/bytes/octets.ts';
import { OuterBlockError } from './fault.ts';
import type { RandomSource } from './mersenne-twister.ts';

/**
 * Draws units of weight without replacement, so an index can be drawn as often as it has units. Used for proposers, and for whom to poll.
 * AvalancheGo: utils/sampler/weighted_heap.go, uniform_replacer.go, rand.go.
 */
type WeightedSampler = {
  readonly totalWeight: bigint;
  /** Indices of `count` units. Undefined if there are fewer. */
  readonly sample: (count: number, source: RandomSource) => number[] | undefined;
};

export function createWeightedSampler(weights: readonly bigint[]): WeightedSampler {
  // A binary heap by falling weight, ties in their order; each element knows the weight of its subtree.
  const heap = weights.map((weight, index) => ({ index, weight, subtree: weight }));
  heap.sort((a, b) => (a.weight > b.weight ? -1 : a.weight < b.weight ? 1 : a.index - b.index));
  for (let i = heap.length - 1; i > 0; i--) heap[(i - 1) >> 1]!.subtree += heap[i]!.subtree;
  const totalWeight = heap[0]?.subtree ?? 0n;
  if (totalWeight > maxU64) throw new OuterBlockError('the sum of all weights exceeds 64 bits', { code: 'OUTER_WEIGHT_OVERFLOW' });

  const indexAt = (unit: bigint): number => {
    let rest = unit;
    for (let at = 0; ; ) {
      const element = heap[at]!;
      if (rest < element.weight) return element.index;
      rest -= element.weight;
      at = 2 * at + 1;
      const left = heap[at]!.subtree;
      if (rest < left) continue;
      rest -= left;
      at++;
    }
  };

  return {
    totalWeight,
    sample: (count, source) => {
      if (BigInt(count) > totalWeight) return undefined;
      // Units that were drawn are replaced by those at the front.
      const replaced = new Map<bigint, bigint>();
      return Array.from({ length: count }, (_, round) => {
        const drawn = BigInt(round);
        const at = drawUpTo(totalWeight - 1n - drawn, source) + drawn;
        const unit = replaced.get(at) ?? at;
        replaced.set(at, replaced.get(drawn) ?? drawn);
        return indexAt(unit);
      });
    },
  };
}

/** A number from 0 to `max`, without bias. */
function drawUpTo(max: bigint, source: RandomSource): bigint {
  if ((max & (max + 1n)) === 0n) return source.next() & max;
  if (max > max63) {
    let value = source.next();
    while (value > max) value = source.next();
    return value;
  }
  const largest = max63 - ((max63 + 1n) % (max + 1n));
  let value = source.next() & max63;
  while (value > largest) value = source.next() & max63;
  return value % (max + 1n);
}

const max63 = 2n ** 63n - 1n;
