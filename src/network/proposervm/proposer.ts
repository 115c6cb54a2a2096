import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { compareHex, maxU64 } from '../../base/bytes/octets.ts';
import type { ValidatorSet, Validators } from '../protocol/validators.ts';
import { OuterBlockError } from './fault.ts';
import { createMersenneTwister, createMersenneTwister32, type RandomSource } from './mersenne-twister.ts';

/** Who may propose a block. After a parent every slot of 5 s has one proposer. AvalancheGo: vms/proposervm/proposer/windower.go (Durango). */
export type ProposerSchedule = ReturnType<typeof createProposerSchedule>;

export type Validator = { readonly nodeId: NodeId; readonly weight: bigint };

export const slotSeconds = 5n;

/** Before Durango: windows after which a block must be unsigned, and those that a node waits for at most to build. AvalancheGo: windower.go. */
export const [verifiedWindows, builtWindows] = [6, 60];

/** The slot of a child. It depends on the two timestamps only, never on the clock. */
export const slotOf = (parentTimestamp: bigint, childTimestamp: bigint): bigint =>
  childTimestamp < parentTimestamp ? 0n : (childTimestamp - parentTimestamp) / slotSeconds;

/** The schedule of a chain under one validator set: that of the P-Chain height in the parent block. */
export function createProposerSchedule(chainId: Id, validators: readonly Validator[]) {
  // The zero node ID stands for validators that are inactive (ACP-77).
  const sorted = validators.filter(({ nodeId }) => nodeId !== zeroNodeId).sort((a, b) => compareHex(a.nodeId, b.nodeId));
  const sampler = createWeightedSampler(sorted.map(({ weight }) => weight));
  if (sorted.length > 0 && sampler.totalWeight === 0n)
    throw new OuterBlockError('the validators have no weight', { code: 'OUTER_NO_WEIGHT' });
  const chainSeed = BigInt(`0x${chainId.slice(0, 16)}`);

  /** The proposer of a slot; undefined if there are no validators: then anyone may propose, without a signature. */
  const proposerOf = (height: bigint, slot: bigint): NodeId | undefined => {
    const [index] = sampler.sample(1, createMersenneTwister(chainSeed ^ height ^ reverseBits(slot))) ?? [];
    return index === undefined ? undefined : sorted[index]?.nodeId;
  };
  return {
    proposerOf,
    /**
     * The rule before Durango: seconds after the parent from which on a validator may propose; those who are not among the first `windows` ones,
     * and nobody (undefined), wait for all of these. AvalancheGo: windower.go, Delay.
     */
    delayOf: (height: bigint, nodeId: NodeId | undefined, windows: number): bigint => {
      if (nodeId === undefined) return BigInt(windows) * slotSeconds;
      const count = sampler.totalWeight < BigInt(windows) ? Number(sampler.totalWeight) : windows;
      const order = sampler.sample(count, createMersenneTwister32(chainSeed ^ height)) ?? [];
      const position = order.findIndex((index) => sorted[index]?.nodeId === nodeId);
      return BigInt(position < 0 ? count : position) * slotSeconds;
    },
    hasValidators: sorted.length > 0,
    isValidator: (nodeId: NodeId): boolean => sorted.some((validator) => validator.nodeId === nodeId),
    /** The first slot of a validator from `startSlot` on; undefined if it has none in the next `slots` ones. */
    firstSlotOf: (height: bigint, nodeId: NodeId, startSlot: bigint, slots: bigint): bigint | undefined => {
      for (let slot = startSlot; slot < startSlot + slots; slot++) if (proposerOf(height, slot) === nodeId) return slot;
      return undefined;
    },
  };
}

/** Returns the schedule of the validator set at a P-Chain height; undefined if the set was not loaded. */
export type ScheduleAt = (pChainHeight: bigint) => ProposerSchedule | undefined;

/** Computes a schedule once for each set: blocks refer to few heights, and a schedule of a thousand validators takes half a millisecond. */
export function createScheduleCache(chainID: Id, validators: Pick<Validators, 'at'>): ScheduleAt {
  const schedules = new WeakMap<ValidatorSet, ProposerSchedule>();
  return (pChainHeight) => {
    const set = validators.at(pChainHeight);
    if (set === undefined) return undefined;
    const cached = schedules.get(set);
    if (cached !== undefined) return cached;
    const schedule = createProposerSchedule(
      chainID,
      [...set].map(([nodeId, weight]) => ({ nodeId, weight })),
    );
    schedules.set(set, schedule);
    return schedule;
  };
}

const zeroNodeId = '0'.repeat(40) as NodeId;

/** The 64 bits of a number in reverse order. */
function reverseBits(value: bigint): bigint {
  let out = 0n;
  for (let rest = value, bit = 63n; rest > 0n; rest >>= 1n, bit--) out |= (rest & 1n) << bit;
  return out;
}

/**
 * Draws units of weight without replacement, so an index can be drawn as often as it has units.
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
