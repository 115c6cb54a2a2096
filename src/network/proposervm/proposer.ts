import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { compareHex } from '../../base/bytes/octets.ts';
import type { ValidatorSet, Validators } from '../protocol/validators.ts';
import { OuterBlockError } from './fault.ts';
import { createMersenneTwister, createMersenneTwister32 } from './mersenne-twister.ts';
import { createWeightedSampler } from './weighted-sampler.ts';

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
