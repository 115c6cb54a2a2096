import type { Vm } from '../../avm/vm.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Timers } from '../../base/timing/timers.ts';
import type { Transport } from '../protocol/transport.ts';
import type { Validators } from '../protocol/validators.ts';
import { createConsensus } from '../snowman/consensus.ts';
import type { PollEnd } from '../snowman/poll.ts';
import { createPolls } from '../snowman/polls.ts';
import { createAcceptedFrontiers } from './accepted-frontiers.ts';
import { createBlockRequests } from './block-requests.ts';
import type { EngineCounters } from './counters.ts';
import { createDecisions } from './decisions.ts';
import { type EngineParameters, engineLimits } from './engine-parameters.ts';
import type { EngineState } from './engine-state.ts';
import { createQueueLimit } from './queue-limit.ts';
import { createRefusedPauses } from './refused-pauses.ts';
import { createUnverifiedBlocks } from './unverified-blocks.ts';
import { createWaitingJobs } from './waiting-jobs.ts';

type EngineTablesDeps = {
  readonly vm: Vm;
  readonly transport: Pick<Transport, 'self'>;
  readonly validators: Pick<Validators, 'current'>;
  readonly timers: Timers;
  readonly parameters: EngineParameters;
  readonly counters: EngineCounters;
};

/** What an engine remembers of blocks, polls, requests and peers, without what it does about them. */
export function createEngineTables({ vm, transport, validators, timers, parameters, counters }: EngineTablesDeps) {
  const start = vm.lastAccepted();
  const consensus = createConsensus(parameters, { id: start, height: vm.block(start)?.height ?? 0n });
  const decisions = createDecisions({ vm, consensus, timers, counters, alphaPreference: parameters.alphaPreference });
  const pollTimes = createPollTimes(timers, counters);
  const polls = createPolls(parameters, consensus.parentOf, pollTimes.ended);
  const jobs = createWaitingJobs();
  /** Without sybil protection every connected peer has stake. */
  const hasStake = (node: NodeId): boolean => validators.current().has(node);
  const requests = createBlockRequests(createQueueLimit(engineLimits.blockRequests, hasStake));
  const unverified = createUnverifiedBlocks({ blocks: engineLimits.unverifiedBlocks, bytes: engineLimits.unverifiedBytes });
  const pauses = createRefusedPauses(timers);
  const frontiers = createAcceptedFrontiers(transport.self, validators, timers);
  return {
    ...{ consensus, decisions, pollTimes, polls, jobs, requests, unverified, pauses, frontiers, hasStake },
    report: (): Omit<EngineState, 'pendingBlocks'> => ({
      ...decisions.report(),
      processingBlocks: consensus.processingCount(),
      openPolls: polls.count(),
      blockRequests: requests.count(),
      missingBlocks: jobs.count(),
      unverifiedBlocks: unverified.count(),
      isSplit: frontiers.isSplit({ height: decisions.stored().height, idAt: vm.blockIdAtHeight }),
      majority: frontiers.majority(decisions.stored().height),
    }),
  };
}

/** When each open poll began; counts ended polls and how long they were open. */
function createPollTimes(timers: Timers, counters: EngineCounters) {
  const starts = new Map<number, number>();
  return {
    opened: (requestId: number) => void starts.set(requestId, timers.now()),
    ended: (requestId: number, end: PollEnd): void => {
      const now = timers.now();
      const row = counters.polls[end];
      row.count++;
      row.duration += now - (starts.get(requestId) ?? now);
      starts.delete(requestId);
    },
  };
}
