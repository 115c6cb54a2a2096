import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { observeValue } from '../../base/metrics/buckets.ts';
import { every, type Timers } from '../../base/timing/timers.ts';
import type { MessageKind } from '../messages/message.ts';
import type { ChainMessage, Transport } from '../protocol/transport.ts';
import type { Validators } from '../protocol/validators.ts';
import { createConsensus, type Decision } from '../snowman/consensus.ts';
import type { BlockRef } from '../snowman/consensus-block.ts';
import { createPolls } from '../snowman/polls.ts';
import { voteTarget } from '../snowman/vote-target.ts';
import { countVotes, type Votes } from '../snowman/votes.ts';
import { createAcceptedFrontiers } from './accepted-frontiers.ts';
import { consensusBlock, createBlockIssuer } from './block-issuer.ts';
import { type BlockSource, createBlockRequests } from './block-requests.ts';
import { createBuildSchedule } from './build-schedule.ts';
import { chitsAt } from './chits.ts';
import type { ConnectedValidators } from './connected-validators.ts';
import type { EngineCounters } from './counters.ts';
import { type EngineParameters, engineLimits } from './engine-parameters.ts';
import type { EngineState } from './engine-state.ts';
import { createMailbox } from './mailbox.ts';
import { createPollTimes } from './poll-times.ts';
import { createProcessingTimes } from './processing-times.ts';
import { createQueryAnswers } from './query-answers.ts';
import { createQueryLimit } from './query-limit.ts';
import { createQuerySender } from './query-sender.ts';
import { createUnverifiedBlocks } from './unverified-blocks.ts';
import { createWaitingJobs } from './waiting-jobs.ts';
import type { RandomBytes } from './weighted-sample.ts';

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

type EngineParts = {
  readonly chainId: Id;
  readonly vm: Vm;
  readonly transport: Transport;
  readonly validators: Pick<Validators, 'current'>;
  readonly connected: ConnectedValidators;
  readonly timers: Timers;
  readonly randomBytes: RandomBytes;
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
  /** The last block that is accepted and stored. Consensus is ahead of it while blocks are being stored. */
  let stored = refOf(vm, vm.lastAccepted());
  let storedTime = vm.block(stored.id)?.time ?? 0n;
  const consensus = createConsensus(parameters, stored);
  const pollTimes = createPollTimes(timers, counters);
  const polls = createPolls(parameters, consensus.parentOf, pollTimes.ended);
  const jobs = createWaitingJobs();
  const requests = createBlockRequests({ total: engineLimits.blockRequests, perPeer: engineLimits.blockRequestsPerPeer });
  const unverified = createUnverifiedBlocks({ blocks: engineLimits.unverifiedBlocks, bytes: engineLimits.unverifiedBytes });
  const frontiers = createAcceptedFrontiers(validators);
  const times = createProcessingTimes();
  const queryLimit = createQueryLimit({ count: engineLimits.queriesPerPeer, bytes: engineLimits.queryBytes });
  const mailbox = createMailbox(timers, parts.onFatal);
  const queries = createQuerySender({ ...parts, consensus, polls, onOpened: pollTimes.opened });
  /** Blocks that consensus was told of: a decision needs their bytes and times. */
  const processing = new Map<Id, EngineBlock>();
  let finishedPolls: Votes[] = [];
  let isRepollDue = false;
  let recordedPolls = 0;

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
      processing.set(block.id, block);
      times.issued(block.id, timers.now(), recordedPolls);
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

  /** Applies finished polls and executes their decisions; then polls again and builds, if there is reason to. */
  const settle = (): void | Promise<void> => {
    const results = finishedPolls;
    finishedPolls = [];
    const decisions = results.flatMap(recordPoll);
    const isDone = execute(decisions, 0);
    return isDone === undefined ? afterDecisions(results.length) : isDone.then(() => afterDecisions(results.length));
  };
  const recordPoll = (votes: Votes): Decision[] => {
    const before = consensus.processingCount();
    recordedPolls++;
    const decisions = consensus.recordPoll(votes);
    if (before > 0) countVotes(votes) >= parameters.alphaPreference ? counters.pollsSuccessful++ : counters.pollsFailed++;
    return decisions;
  };
  const execute = (decisions: readonly Decision[], from: number): Promise<void> | undefined => {
    for (let index = from; index < decisions.length; index++) {
      const decision = decisions[index] as Decision;
      const promise = decision.kind === 'accepted' ? vm.accept(decision.block.id) : vm.reject(decision.block.id);
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
    const { latency, polls: pollCount } = times.decided(id, now, recordedPolls);
    const block = processing.get(id);
    processing.delete(id);
    counters[kind]++;
    counters[`${kind}Bytes`] += block?.bytes.length ?? 0;
    counters[`${kind}Latency`] += latency;
    counters[`${kind}Polls`] += pollCount;
    if (kind === 'rejected') return;
    stored = { id, height };
    observeValue(counters.acceptedLatencies, latency * 1e6);
    if (block === undefined) return;
    storedTime = block.time;
    const age = now - Number(block.time) * 1000;
    counters.acceptedAge += age;
    times.observeAge(age, now);
  };
  const afterDecisions = (results: number): void => {
    if (results > 0) vm.setPreference(consensus.preference());
    if ((results > 0 || isRepollDue) && consensus.processingCount() > 0) queries.repoll();
    isRepollDue = false;
    schedule.wake();
  };

  const unverifiedBlock = (id: Id) => {
    const block = unverified.get(id);
    return block && consensusBlock(block);
  };
  /** Counts an answer as soon as the blocks it names are issued or given up. Without options it is a missing answer. */
  const vote = (node: NodeId, requestId: number, options: readonly Id[]): void =>
    jobs.schedule(() => {
      let tried = 0;
      const target = voteTarget(options, consensus, unverifiedBlock, (outcome) => {
        tried++;
        counters.voteOutcomes[outcome]++;
      });
      if (target !== undefined) {
        counters.votes++;
        counters.voteIndices += tried - 1;
      }
      const results = target === undefined ? polls.drop(requestId, node) : polls.vote(requestId, node, target);
      finishedPolls.push(...results);
    }, options.filter(issuer.canDependOn));
  const chits = (node: NodeId, requestId: number, preferred: Id, atHeight: Id, accepted: BlockRef) => {
    frontiers.set(node, accepted.id, accepted.height);
    issuer.issueById(node, preferred, 'pull_gossip');
    if (preferred === atHeight) return vote(node, requestId, [preferred]);
    issuer.issueById(node, atHeight, 'pull_gossip');
    vote(node, requestId, [preferred, atHeight]);
  };
  const queryFailed = (node: NodeId, requestId: number): void => {
    const accepted = frontiers.get(node);
    if (accepted === undefined) vote(node, requestId, []);
    else chits(node, requestId, accepted.id, accepted.id, accepted);
  };
  const getFailed = (node: NodeId, requestId: number): void => {
    const request = requests.find(node, requestId);
    if (request === undefined) return;
    requests.remove(request.blockId);
    jobs.abandon(request.blockId);
  };
  const parse = (bytes: Uint8Array): EngineBlock | undefined => {
    try {
      return vm.parse(bytes);
    } catch {
      return undefined;
    }
  };
  const put = (node: NodeId, requestId: number, bytes: Uint8Array) => {
    const block = parse(bytes);
    const request = requests.find(node, requestId);
    if (block === undefined || (request !== undefined && request.blockId !== block.id)) return getFailed(node, requestId);
    if (processing.has(block.id) || block.height <= stored.height) counters.uselessPutBytes += bytes.length;
    issuer.issue(node, block, request?.source ?? 'unknown');
  };
  const acceptedId: Vm['blockIdAtHeight'] = (height) => {
    const id = vm.blockIdAtHeight(height);
    if (id === undefined) counters.missingAccepted++;
    return id;
  };
  const sendChits = (node: NodeId, requestId: number, requestedHeight: bigint): void => {
    transport.send({ kind: 'chits', chainId, requestId, ...chitsAt(requestedHeight, consensus, stored, acceptedId) }, [node]);
  };
  const answer = createQueryAnswers({ timers, issuer, post: mailbox.post, sendChits });
  const pushed = (node: NodeId, bytes: Uint8Array): void => {
    const block = parse(bytes);
    if (block === undefined) return;
    if (processing.has(block.id) || block.height <= stored.height) counters.uselessPushQueryBytes += bytes.length;
    issuer.issue(node, block, 'push_gossip');
  };

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
        return query(end, () => pushed(from, bytes));
      }
      case 'chits': {
        const { requestId, preferredId, preferredIdAtHeight, acceptedId: id, acceptedHeight: height } = message;
        return post(() => chits(from, requestId, preferredId, preferredIdAtHeight, { id, height }));
      }
      case 'put': {
        const bytes = new Uint8Array(message.container);
        return post(() => put(from, message.requestId, bytes));
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
  vm.setPreference(stored.id);
  vm.onWork(() => post(() => {}));
  post(() => {});

  return {
    receive,
    failed: (from, requestId, response) => {
      if (response === 'chits') post(() => queryFailed(from, requestId));
      else if (response === 'put') post(() => getFailed(from, requestId));
    },
    state: () => ({
      lastAccepted: stored,
      lastAcceptedTime: storedTime,
      processingBlocks: consensus.processingCount(),
      longestProcessing: times.longest(timers.now()),
      averageAcceptance: times.averageAge(timers.now()),
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
          const highestFirst = [...processing.values()].sort((a, b) => (a.height > b.height ? -1 : 1));
          for (const { id } of highestFirst) vm.reject(id);
          stop();
          resolve();
        }),
      ),
  };
}

const refOf = (vm: Vm, id: Id): BlockRef => ({ id, height: vm.block(id)?.height ?? 0n });
