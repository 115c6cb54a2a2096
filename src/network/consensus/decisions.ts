import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { Timers } from '../../base/timing/timers.ts';
import { countDecision } from '../../chain/lifecycle/decision-metrics.ts';
import { createAverager } from '../protocol/averager.ts';
import type { BlockRef, Consensus, Decision } from '../snowman/consensus.ts';
import { countVotes, type Votes } from '../snowman/votes.ts';
import type { EngineCounters } from './engine-counters.ts';

/** The blocks that consensus decides about. The engine gives it the results of polls; it executes what consensus decides. */
export type Decisions = ReturnType<typeof createDecisions>;

/** A processing block: when it was issued, in milliseconds, and how many polls had ended before. */
type Processing = { readonly block: EngineBlock; readonly since: number; readonly pollsBefore: number };

export function createDecisions({
  vm,
  consensus,
  timers,
  unixMilliseconds,
  counters,
  alphaPreference,
}: {
  readonly vm: Vm;
  readonly consensus: Consensus;
  readonly timers: Pick<Timers, 'now'>;
  readonly unixMilliseconds: () => number;
  readonly counters: EngineCounters;
  readonly alphaPreference: number;
}) {
  /** In the order of issuing. */
  const processing = new Map<Id, Processing>();
  const age = createAcceptanceAge();
  let stored: BlockRef = consensus.lastAccepted();
  let storedTime = vm.block(stored.id)?.time ?? 0n;
  let endedPolls = 0;

  const recordPoll = (votes: Votes): Decision[] => {
    const before = consensus.processingCount();
    endedPolls++;
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
    const entry = processing.get(id);
    const latency = entry === undefined ? 0 : now - entry.since;
    processing.delete(id);
    countDecision(counters, kind, entry?.block.bytes.length ?? 0, latency);
    counters[`${kind}Polls`] += entry === undefined ? 0 : endedPolls - entry.pollsBefore;
    if (kind === 'rejected') return;
    stored = { id, height };
    if (entry === undefined) return;
    storedTime = entry.block.time;
    const blockAge = unixMilliseconds() - Number(storedTime) * 1000;
    counters.acceptedAge += blockAge;
    age.observe(blockAge, now);
  };

  return {
    /** A block was added to consensus: its decision needs its bytes and time. */
    add: (block: EngineBlock): void => {
      processing.set(block.id, { block, since: timers.now(), pollsBefore: endedPolls });
    },
    /** Whether a block is processing, also while its decision is being stored. */
    has: (id: Id): boolean => processing.has(id),
    /** The IDs of the undecided blocks, highest block first. */
    highestFirst: (): Id[] =>
      [...processing.values()].sort((a, b) => (a.block.height > b.block.height ? -1 : 1)).map(({ block }) => block.id),
    /**
     * Gives the results of polls to consensus and executes its decisions. Returns a promise only while a block is being stored: a Vm that
     * stores within the call decides within the event.
     */
    record: (results: readonly Votes[]): Promise<void> | undefined => execute(results.flatMap(recordPoll), 0),
    /** The last block that is accepted and stored. Consensus is ahead of it while blocks are being stored. */
    stored: (): BlockRef => stored,
    /** What health checks and metrics show. Durations in milliseconds. */
    state: () => {
      const now = timers.now();
      const oldest: Processing | undefined = processing.values().next().value;
      return {
        lastAccepted: stored,
        /** Unix seconds. */
        lastAcceptedTime: storedTime,
        /** How long the oldest processing block has been processing; 0 without one. */
        longestProcessing: oldest === undefined ? 0 : now - oldest.since,
        averageAcceptance: age.average(now),
      };
    },
  };
}

/** Milliseconds. AvalancheGo: snow/consensus/snowman/metrics.go, acceptanceHalfLife. */
const halfLife = 300_000;

/** The average age of blocks when they are accepted: the time of acceptance minus the block's own time. */
function createAcceptanceAge() {
  let averager: ReturnType<typeof createAverager> | undefined;
  let firstObserved = 0;
  return {
    observe: (age: number, now: number) => {
      if (averager !== undefined) return averager.observe(age, now);
      averager = createAverager(age, halfLife, now);
      firstObserved = now;
    },
    /** 0 during the first half-life, as in AvalancheGo. */
    average: (now: number): number => (averager === undefined || now - firstObserved < halfLife ? 0 : averager.read()),
  };
}
