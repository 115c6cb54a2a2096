import type { Id } from '../../base/bytes/id.ts';
import { createProposerSchedule, type ProposerSchedule } from '../proposervm/proposer.ts';
import type { ValidatorSet, Validators } from '../protocol/validators.ts';

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
