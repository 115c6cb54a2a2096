import { describe, expect, test } from 'bun:test';
import vectors from '../../../vectors/p2p.json' with { type: 'json' };
import type { Id } from '../../base/bytes/id.ts';
import { type NodeId, nodeIdText, parseNodeId } from '../../base/bytes/node-id.ts';
import { createMersenneTwister } from './mersenne-twister.ts';
import { createProposerSchedule, createWeightedSampler, slotOf, type Validator } from './proposer.ts';

const chainId = vectors.chainIdX as Id;

/** The validator set at a P-Chain height, from the capture. */
const validatorsAt = (height: number): Validator[] =>
  vectors.validatorSetsByPChainHeight
    .find(({ fromHeight, toHeightSeen }) => fromHeight <= height && height <= toHeightSeen)!
    .validators.map(([node, weight]) => ({ nodeId: parseNodeId(node!), weight: BigInt(weight!) }));

describe('proposers of AvalancheGo', () => {
  type Row = [height: number, parentTime: number, time: number, parentPChainHeight: number, slot: number, proposer: string];
  const rows = vectors.proposerChecks.rows as Row[];

  test('81 blocks of a network of five, then six validators', () => {
    expect(rows.length).toBe(81);
    for (const [height, parentTime, time, pChainHeight, slot, proposer] of rows) {
      expect(slotOf(BigInt(parentTime), BigInt(time))).toBe(BigInt(slot));
      const schedule = createProposerSchedule(chainId, validatorsAt(pChainHeight));
      expect([height, nodeIdText(schedule.proposerOf(BigInt(height), BigInt(slot))!)]).toEqual([height, `NodeID-${proposer}`]);
    }
  });

  test('the set at the parent decides, not the set at the block itself', () => {
    const differing = rows.filter(([height, , , pChainHeight, slot, proposer]) => {
      const other = createProposerSchedule(chainId, validatorsAt(pChainHeight < 9 ? 9 : 8));
      return nodeIdText(other.proposerOf(BigInt(height), BigInt(slot))!) !== `NodeID-${proposer}`;
    });
    expect(differing.map(([height]) => height)).toContain(71);
  });

  test('six slots of validators with weights 100 to 500', () => {
    const nodeOf = (first: number) => first.toString(16).padStart(2, '0').padEnd(40, '0') as NodeId;
    const validators = [5, 3, 1, 2, 4].map((first) => ({ nodeId: nodeOf(first), weight: 100n * BigInt(first) }));
    const schedule = createProposerSchedule(chainId, validators);
    const slots = [0n, 1n, 2n, 3n, 4n, 5n];
    expect(slots.map((slot) => schedule.proposerOf(10n, slot))).toEqual([5, 4, 4, 2, 4, 1].map(nodeOf));
    expect(schedule.firstSlotOf(10n, nodeOf(2), 0n, 4n)).toBe(3n);
    expect(schedule.firstSlotOf(10n, nodeOf(4), 2n, 1n)).toBe(2n);
    expect(schedule.firstSlotOf(10n, nodeOf(2), 0n, 3n)).toBeUndefined();
    expect([2, 9].map((first) => schedule.isValidator(nodeOf(first)))).toEqual([true, false]);
  });

  test('without validators anyone may propose; inactive ones do not count', () => {
    expect(createProposerSchedule(chainId, []).proposerOf(1n, 0n)).toBeUndefined();
    const inactive = { nodeId: '0'.repeat(40) as NodeId, weight: 5n };
    expect(createProposerSchedule(chainId, [inactive]).proposerOf(1n, 0n)).toBeUndefined();
    expect(() => createProposerSchedule(chainId, [{ nodeId: 'ff'.repeat(20) as NodeId, weight: 0n }])).toThrow('no weight');
  });
});

test('MT19937-64 gives the first and the 10,000th number of its reference', () => {
  const source = createMersenneTwister(5489n);
  expect(source.next()).toBe(14514284786278117030n);
  for (let round = 2; round < 10_000; round++) source.next();
  expect(source.next()).toBe(9981545732273789042n);
});

test('the twister equals a plain one with bigint for many seeds', () => {
  for (let round = 0n; round < 20n; round++) {
    const seed = BigInt.asUintN(64, (round + 1n) * 0x9e3779b97f4a7c15n);
    const fast = createMersenneTwister(seed);
    const plain = plainTwister(seed);
    for (let i = 0; i < 400; i++) expect(fast.next()).toBe(plain());
  }
});

describe('weighted sampling', () => {
  test('draws what AvalancheGo draws', () => {
    // utils/sampler, NewDeterministicWeightedWithoutReplacement over MT19937-64 with the seeds 1000, 1001, …
    const rows: [weights: bigint[], drawn: number[]][] = [
      [
        [100n, 100n],
        [1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1],
      ],
      [
        [1n, 2n, 3n, 4n, 5n],
        [1, 1, 4, 3, 3, 4, 4, 3, 4, 3, 2, 0, 2, 2, 4],
      ],
      [
        [7n, 7n, 7n, 0n, 9n, 13n],
        [5, 4, 5, 5, 1, 2, 4, 4, 0, 4, 5, 5, 1, 5, 4],
      ],
      [
        [2n * 10n ** 15n, 2n * 10n ** 12n, 2n * 10n ** 15n, 5n],
        [2, 2, 0, 0, 2, 2, 2, 2, 0, 2, 0, 0, 0, 2, 0],
      ],
      [
        [2n ** 63n, 2n ** 62n, 3n],
        [1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1],
      ],
      [
        [64n, 64n],
        [0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1],
      ],
    ];
    for (const [index, [weights, drawn]] of rows.entries())
      expect(createWeightedSampler(weights).sample(15, createMersenneTwister(BigInt(1000 + index)))).toEqual(drawn);
  });
  test('every unit is drawn once', () => {
    const sampler = createWeightedSampler([3n, 0n, 5n, 2n]);
    expect(sampler.totalWeight).toBe(10n);
    const drawn = sampler.sample(10, createMersenneTwister(7n))!;
    const counts = [0, 1, 2, 3].map((index) => drawn.filter((other) => other === index).length);
    expect(counts).toEqual([3, 0, 5, 2]);
    expect(sampler.sample(11, createMersenneTwister(7n))).toBeUndefined();
  });
  test('weights above 2^63', () => {
    const sampler = createWeightedSampler([2n ** 63n, 2n ** 62n]);
    const drawn = sampler.sample(3000, createMersenneTwister(1n))!;
    const share = drawn.filter((index) => index === 0).length / drawn.length;
    expect(share).toBeGreaterThan(0.6);
    expect(share).toBeLessThan(0.73);
    expect(() => createWeightedSampler([2n ** 63n, 2n ** 63n])).toThrow('64 bits');
  });
});

/** The textbook form of the generator, as an oracle. */
function plainTwister(seed: bigint): () => bigint {
  const mask = 2n ** 64n - 1n;
  const state = [seed];
  for (let i = 1n; i < 312n; i++) {
    const previous = state.at(-1)!;
    state.push((6364136223846793005n * (previous ^ (previous >> 62n)) + i) & mask);
  }
  let index = 312;
  return () => {
    if (index === 312) {
      for (let i = 0; i < 312; i++) {
        const x = (state[i]! & 0xffffffff80000000n) | (state[(i + 1) % 312]! & 0x7fffffffn);
        state[i] = state[(i + 156) % 312]! ^ (x >> 1n) ^ (x & 1n ? 0xb5026f5aa96619e9n : 0n);
      }
      index = 0;
    }
    let x = state[index++]!;
    x ^= (x >> 29n) & 0x5555555555555555n;
    x ^= (x << 17n) & 0x71d67fffeda60000n;
    x ^= (x << 37n) & 0xfff7eee000000000n;
    return x ^ (x >> 43n);
  };
}
