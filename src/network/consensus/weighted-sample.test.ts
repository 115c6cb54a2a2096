import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { sampleUnits } from './weighted-sample.ts';

const nodeAt = (i: number): NodeId => `${i}`.padStart(40, '0') as NodeId;

/** Random bytes from a seed, the same at every call with the same history. */
function seeded(seed: number): (length: number) => Uint8Array {
  let calls = 0;
  return (length) => {
    const parts: Uint8Array[] = [];
    for (let i = 0; i * 32 < length; i++) parts.push(createHash('sha256').update(`${seed} ${calls} ${i}`).digest());
    calls++;
    return Buffer.concat(parts).subarray(0, length);
  };
}

/** The same sample, by whole 128-bit numbers and a walk over the validators. */
function expectedSample(weights: readonly bigint[], count: number, randomBytes: (length: number) => Uint8Array): Map<NodeId, number> {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const drawn = new Set<bigint>();
  const sampled = new Map<NodeId, number>();
  while (drawn.size < count) {
    const random = Buffer.from(randomBytes(16 * (count - drawn.size)));
    for (let at = 0; at < random.length; at += 16) {
      const unit = BigInt(`0x${random.toString('hex', at, at + 16)}`) % total;
      if (drawn.has(unit)) continue;
      drawn.add(unit);
      let index = 0;
      for (let end = weights[0] as bigint; end <= unit; end += weights[++index] as bigint);
      sampled.set(nodeAt(index), (sampled.get(nodeAt(index)) ?? 0) + 1);
    }
  }
  return sampled;
}

test('units are drawn as by 128-bit numbers, for small and for large totals', () => {
  const sets: readonly bigint[][] = [
    [100n, 100n],
    [1n, 7n, 12n],
    Array.from({ length: 50 }, () => 100n),
    [2n ** 14n, 2n ** 14n],
    [2n ** 14n, 2n ** 14n + 1n],
    [2n ** 36n, 2n ** 36n - 1n],
    [2n ** 36n, 2n ** 36n],
    [2n ** 63n, 5n, 2n ** 60n],
  ];
  for (const [seed, weights] of sets.entries())
    for (let round = 0; round < 20; round++) {
      const validators = new Map(weights.map((weight, i) => [nodeAt(i), weight]));
      const key = seed * 1000 + round;
      const sampled = sampleUnits(validators, 20, seeded(key));
      expect(sampled).toEqual(expectedSample(weights, 20, seeded(key)));
      expect([...(sampled?.values() ?? [])].reduce((sum, units) => sum + units, 0)).toBe(20);
    }
});

test('fewer units than are sampled: no sample', () => {
  expect(sampleUnits(new Map([[nodeAt(0), 19n]]), 20, seeded(1))).toBe(undefined);
  expect(sampleUnits(new Map(), 20, seeded(1))).toBe(undefined);
  expect(sampleUnits(new Map([[nodeAt(0), 20n]]), 20, seeded(1))).toEqual(new Map([[nodeAt(0), 20]]));
});
