import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { every } from '../../base/timing/timers.ts';
import type { MessageKind } from '../messages/message.ts';
import type { ChainLink, ChainMessage } from '../protocol/transport.ts';
import type { Validators } from '../protocol/validators.ts';
import { createConsensus } from '../snowman/consensus.ts';
import type { BlockRef } from '../snowman/consensus-block.ts';
import { createPolls } from '../snowman/polls.ts';
import { createAcceptedFrontiers } from './accepted-frontiers.ts';
import { createBlockIntake } from './block-intake.ts';
import { consensusBlock, createBlockIssuer } from './block-issuer.ts';
import { type BlockSource, createBlockRequests } from './block-requests.ts';
import { createBuildSchedule } from './build-schedule.ts';
import { chitsAt } from './chits.ts';
import type { ConnectedValidators } from './connected-validators.ts';
import type { EngineCounters } from './counters.ts';
import { createDecisions } from './decisions.ts';
import { type EngineParameters, engineLimits } from './engine-parameters.ts';
import type { EngineState } from './engine-state.ts';
import { createMailbox } from './mailbox.ts';
import { createPollTimes } from './poll-times.ts';
import { createQueryAnswers } from './query-answers.ts';
import { createQueryLimit } from './query-limit.ts';
import { createQuerySender } from './query-sender.ts';
import { createUnverifiedBlocks } from './unverified-blocks.ts';
import { createVoteIntake } from './vote-intake.ts';
import { createWaitingJobs } from './waiting-jobs.ts';

/**
 * The engine of a chain in normal operation: it answers queries, polls validators about the blocks it knows, and accepts and rejects them by
 * the results. Events are processed one after the other; queries are answered ahead of them. AvalancheGo: snow/engine/snowman/engine.go.
 */
export type SnowmanEngine = {
  readonly receive: (from: NodeId, message: ChainMessage) => void;
  readonly failed: (from: NodeId, requestId: number, response: MessageKind) => void;
  readonly state: () => EngineState;
  /** Whether the engine is building a block, or will at a known time. */
  readonly isBlockDue: () => boolean;
  readonly stop: () => void;
  /** Stops and rejects all processing blocks, which puts their transactions back into the pool. Resolves when nothing is being stored. */
  readonly stopAndReject: () => Promise<void>;
};

type EngineParts = ChainLink & {
  readonly vm: Vm;
  readonly validators: Pick<Validators, 'current'>;
  readonly connected: ConnectedValidators;
  readonly nextRequestId: () => number;
  readonly parameters: EngineParameters;
  readonly counters: EngineCounters;
  /** A block was refused, or could not be built. */
  readonly onInvalid: (block: EngineBlock | undefined, error: unknown) => void;
  /** A decided block could not be executed; the engine has stopped. */
  readonly onFatal: (error: unknown) => void;
};

export function startSnowmanEngine(parts: EngineParts): SnowmanEngine {
  const { chainId, vm, transport, validators, timers, parameters, counters } = parts;
  const consensus = createConsensus(parameters, refOf(vm, vm.lastAccepted()));
  const decisions = createDecisions({ vm, consensus, timers, counters, alphaPreference: parameters.alphaPreference });
  const pollTimes = createPollTimes(timers, counters);
  const polls = createPolls(parameters, consensus.parentOf, pollTimes.ended);
  const jobs = createWaitingJobs();
  const requests = createBlockRequests({ total: engineLimits.blockRequests, perPeer: engineLimits.blockRequestsPerPeer });
  const unverified = createUnverifiedBlocks({ blocks: engineLimits.unverifiedBlocks, bytes: engineLimits.unverifiedBytes });
  const frontiers = createAcceptedFrontiers(validators);
  const queryLimit = createQueryLimit({ count: engineLimits.queriesPerPeer, bytes: engineLimits.queryBytes });
  const mailbox = createMailbox(timers, parts.onFatal);
  const queries = createQuerySender({ ...parts, consensus, polls, onOpened: pollTimes.opened });
  let isRepollDue = false;

  const post = (work: () => void): void =>
    mailbox.post(() => {
      work();
      return settle();
    });

  const requestBlock = (node: NodeId, blockId: Id, source: BlockSource): boolean => {
    // This node has what it knows: asking itself brings nothing.
    if (node === transport.self) return false;
    const requestId = parts.nextRequestId();
    if (!requests.add({ node, requestId, blockId, source })) return false;
    transport.request({ kind: 'get', chainId, requestId, deadline: 0n, containerId: blockId }, [node]);
    return true;
  };
  const issuer = createBlockIssuer({
    vm,
    consensus,
    jobs,
    requests,
    unverified,
    requestBlock,
    post,
    onVerified: (block, isBuilt, source, node) => {
      consensus.add(consensusBlock(block));
      decisions.add(block);
      counters.issued[source]++;
      counters.issuerStake += Number(validators.current().get(node) ?? 0n);
      if (block.height > counters.maxVerifiedHeight) counters.maxVerifiedHeight = block.height;
      if (isBuilt) schedule.finished();
      vm.setPreference(consensus.preference());
      if (consensus.isPreferred(block.id)) queries.poll(block.id, isBuilt ? block.bytes : undefined);
      isRepollDue = true;
    },
    onInvalid: parts.onInvalid,
    onBuiltDropped: (block, wasVerified) => {
      counters.buildsFailed++;
      schedule.finished();
      if (!wasVerified) vm.reject(block.id);
    },
  });
  const schedule = createBuildSchedule({
    vm,
    timers,
    post,
    hasRoom: () => consensus.processingCount() < parameters.optimalProcessing,
    issue: (block) => {
      counters.built++;
      counters.builtSkew += timers.now() - Number(block.time) * 1000;
      const isIssued = issuer.issueBuilt(transport.self, block);
      if (!isIssued) vm.reject(block.id);
      return isIssued;
    },
    onError: (error) => {
      counters.buildsFailed++;
      parts.onInvalid(undefined, error);
    },
  });

  const votes = createVoteIntake({ consensus, polls, jobs, issuer, unverified, frontiers, counters });
  const blocks = createBlockIntake({ vm, issuer, requests, jobs, decisions, counters });

  /** Applies finished polls and executes their decisions; then polls again and builds, if there is reason to. */
  const settle = (): void | Promise<void> => {
    const results = votes.takeFinished();
    const isDone = decisions.record(results);
    return isDone === undefined ? afterDecisions(results.length) : isDone.then(() => afterDecisions(results.length));
  };
  const afterDecisions = (results: number): void => {
    if (results > 0) vm.setPreference(consensus.preference());
    if ((results > 0 || isRepollDue) && consensus.processingCount() > 0) queries.repoll();
    isRepollDue = false;
    schedule.wake();
  };

  const acceptedId: Vm['blockIdAtHeight'] = (height) => {
    const id = vm.blockIdAtHeight(height);
    if (id === undefined) counters.missingAccepted++;
    return id;
  };
  const sendChits = (node: NodeId, requestId: number, requestedHeight: bigint): void => {
    transport.send({ kind: 'chits', chainId, requestId, ...chitsAt(requestedHeight, consensus, decisions.stored(), acceptedId) }, [node]);
  };
  const answer = createQueryAnswers({ timers, issuer, post: mailbox.post, sendChits });
  const query = (end: () => void, work: () => void) =>
    post(() => {
      end();
      work();
    });
  const receive = (from: NodeId, message: ChainMessage) => {
    switch (message.kind) {
      case 'pullQuery': {
        answer(from, message);
        const end = queryLimit.admit(from, 0);
        return end && query(end, () => issuer.issueById(from, message.containerId, 'push_gossip'));
      }
      case 'pushQuery': {
        answer(from, message);
        const end = queryLimit.admit(from, message.container.length);
        if (end === undefined) return;
        const bytes = new Uint8Array(message.container);
        return query(end, () => blocks.push(from, bytes));
      }
      case 'chits': {
        const { requestId, preferredId, preferredIdAtHeight, acceptedId: id, acceptedHeight: height } = message;
        return post(() => votes.chits(from, requestId, preferredId, preferredIdAtHeight, { id, height }));
      }
      case 'put': {
        const bytes = new Uint8Array(message.container);
        return post(() => blocks.put(from, message.requestId, bytes));
      }
    }
  };

  const stopFrontierPoll = every(timers, parameters.frontierPollInterval, () =>
    post(() => {
      if (consensus.processingCount() > 0) isRepollDue = true;
      else queries.askFrontier();
    }),
  );
  const stop = (): void => {
    stopFrontierPoll();
    schedule.stop();
    mailbox.close();
    vm.onWork(() => {});
  };
  vm.setPreference(decisions.stored().id);
  vm.onWork(() => post(() => {}));
  post(() => {});

  return {
    receive,
    failed: (from, requestId, response) => {
      if (response === 'chits') post(() => votes.failed(from, requestId));
      else if (response === 'put') post(() => blocks.getFailed(from, requestId));
    },
    state: () => ({
      lastAccepted: decisions.stored(),
      lastAcceptedTime: decisions.storedTime(),
      processingBlocks: consensus.processingCount(),
      longestProcessing: decisions.longestProcessing(),
      averageAcceptance: decisions.averageAcceptance(),
      openPolls: polls.count(),
      blockRequests: requests.count(),
      pendingBlocks: issuer.pendingCount(),
      missingBlocks: jobs.count(),
      unverifiedBlocks: unverified.count(),
      majorityHeight: frontiers.majorityHeight(),
    }),
    isBlockDue: schedule.isDue,
    stop,
    stopAndReject: () =>
      new Promise((resolve) =>
        mailbox.post(() => {
          for (const { id } of decisions.highestFirst()) vm.reject(id);
          stop();
          resolve();
        }),
      ),
  };
}

const refOf = (vm: Vm, id: Id): BlockRef => ({ id, height: vm.block(id)?.height ?? 0n });
