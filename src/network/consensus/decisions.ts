import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import { observeValue } from '../../base/metrics/buckets.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { Consensus, Decision } from '../snowman/consensus.ts';
import type { BlockRef } from '../snowman/consensus-block.ts';
import { countVotes, type Votes } from '../snowman/votes.ts';
import type { DecisionCounters, VoteCounters } from './counters.ts';
import type { EngineState } from './engine-state.ts';
import { createProcessingTimes } from './processing-times.ts';

/** The blocks that consensus decides about, and what the engine does with its decisions. */
export type Decisions = {
  /** Consensus was told of a block: a decision needs its bytes and time. */
  readonly add: (block: EngineBlock) => void;
  readonly has: (id: Id) => boolean;
  /** The undecided blocks, highest first. */
  readonly highestFirst: () => EngineBlock[];
  /** Gives the results of polls to consensus and executes its decisions. Returns a promise only while a block is being stored. */
  readonly record: (results: readonly Votes[]) => Promise<void> | undefined;
  /** The last block that is accepted and stored. Consensus is ahead of it while blocks are being stored. */
  readonly stored: () => BlockRef;
  readonly report: () => Pick<EngineState, 'lastAccepted' | 'lastAcceptedTime' | 'longestProcessing' | 'averageAcceptance'>;
};

type DecisionParts = {
  readonly vm: Vm;
  readonly consensus: Consensus;
  readonly timers: Timers;
  readonly counters: DecisionCounters & VoteCounters;
  readonly alphaPreference: number;
};

export function createDecisions({ vm, consensus, timers, counters, alphaPreference }: DecisionParts): Decisions {
  const processing = new Map<Id, EngineBlock>();
  const times = createProcessingTimes();
  let stored: BlockRef = consensus.lastAccepted();
  let storedTime = vm.block(stored.id)?.time ?? 0n;
  let recordedPolls = 0;

  const recordPoll = (votes: Votes): Decision[] => {
    const before = consensus.processingCount();
    recordedPolls++;
    const decisions = consensus.recordPoll(votes);
    if (before > 0) countVotes(votes) >= alphaPreference ? counters.pollsSuccessful++ : counters.pollsFailed++;
    return decisions;
  };
  const execute = (decisions: readonly Decision[], from: number): Promise<void> | undefined => {
    for (let index = from; index < decisions.length; index++) {
      const decision = decisions[index] as Decision;
      const promise = decision.kind === 'accepted' ? vm.accept([decision.block.id]) : vm.reject(decision.block.id);
      if (promise instanceof Promise)
        return promise.then(() => {
          decided(decision);
          return execute(decisions, index + 1);
        });
      decided(decision);
    }
    return undefined;
  };
  const decided = ({ kind, block: { id, height } }: Decision): void => {
    const now = timers.now();
    const { latency, polls } = times.decided(id, now, recordedPolls);
    const block = processing.get(id);
    processing.delete(id);
    counters[kind]++;
    counters[`${kind}Bytes`] += block?.bytes.length ?? 0;
    counters[`${kind}Latency`] += latency;
    counters[`${kind}Polls`] += polls;
    if (kind === 'rejected') return;
    stored = { id, height };
    observeValue(counters.acceptedLatencies, latency * 1e6);
    if (block === undefined) return;
    storedTime = block.time;
    const age = now - Number(block.time) * 1000;
    counters.acceptedAge += age;
    times.observeAge(age, now);
  };

  return {
    add: (block) => {
      processing.set(block.id, block);
      times.issued(block.id, timers.now(), recordedPolls);
    },
    has: (id) => processing.has(id),
    highestFirst: () => [...processing.values()].sort((a, b) => (a.height > b.height ? -1 : 1)),
    record: (results) => execute(results.flatMap(recordPoll), 0),
    stored: () => stored,
    report: () => ({
      lastAccepted: stored,
      lastAcceptedTime: storedTime,
      longestProcessing: times.longest(timers.now()),
      averageAcceptance: times.averageAge(timers.now()),
    }),
  };
}
