import type { EngineBlock, Vm } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { attempt } from '../../base/fault.ts';
import type { MessageKind } from '../messages/message.ts';
import type { ChainLink, ChainMessage, HoldBytes } from '../protocol/transport.ts';
import type { Validators } from '../protocol/validators.ts';
import { type Consensus, createConsensus } from '../snowman/consensus.ts';
import { type AcceptedFrontiers, createAcceptedFrontiers } from './accepted-frontiers.ts';
import { type BlockIssuer, type Candidate, createBlockIssuer, createWaitingJobs, type WaitingJobs } from './block-issuer.ts';
import { createBuildSchedule } from './build-schedule.ts';
import type { ConnectedValidators } from './connected-validators.ts';
import { createDecisions, type Decisions } from './decisions.ts';
import type { EngineCounters } from './engine-counters.ts';
import { type EngineParameters, engineLimits } from './engine-parameters.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { createPoller, type Poller } from './poller.ts';
import { createQueryAnswers } from './query-answers.ts';
import { createQueueLimit } from './queue-limit.ts';
import { type BlockSource, createUnissuedBlocks, type UnissuedBlocks } from './unissued-blocks.ts';

/**
 * The engine of a chain in normal operation: it answers queries, polls validators about the blocks it knows, and accepts and rejects blocks by the
 * results. joined-chain/joined-chain.ts starts it. Its events are messages of peers (`createMessageHandler` below), verified blocks, the frontier
 * poll and new transactions; they are processed one after the other, and `settle` ends each. AvalancheGo: snow/engine/snowman/engine.go.
 */
export type SnowmanEngine = ReturnType<typeof startSnowmanEngine>;

/** What health checks and metrics show of an engine. */
export type EngineState = ReturnType<typeof readEngineState>;

export function startSnowmanEngine(
  link: ChainLink,
  parts: {
    readonly vm: Vm;
    readonly validators: Pick<Validators, 'current'>;
    readonly connected: ConnectedValidators;
    readonly nextRequestId: () => number;
    readonly parameters: EngineParameters;
    readonly counters: EngineCounters;
    /** The system clock, which may be set: times of blocks are compared with it, durations are not. */
    readonly unixMilliseconds: () => number;
    /** A block was refused, or could not be built. */
    readonly onInvalid: (block: EngineBlock | undefined, error: unknown) => void;
    /** A decided block could not be executed; the engine has stopped. */
    readonly onFatal: (error: unknown) => void;
  },
) {
  const { transport, timers } = link;
  const { vm, validators, connected, nextRequestId, parameters, counters, unixMilliseconds, onInvalid } = parts;
  /** Without sybil protection every connected peer has stake. */
  const hasStake = (node: NodeId): boolean => validators.current().has(node);
  const start = vm.lastAccepted();
  const consensus = createConsensus(parameters, { id: start, height: vm.block(start)?.height ?? 0n });
  const decisions = createDecisions({ vm, consensus, timers, unixMilliseconds, counters, alphaPreference: parameters.alphaPreference });
  const frontiers = createAcceptedFrontiers(transport.self, validators, timers);
  const blocks = createUnissuedBlocks(timers, hasStake);
  const jobs = createWaitingJobs();
  const { unverified } = blocks;
  const poller = createPoller(link, { nextRequestId, parameters, validators, connected, consensus, unverified, jobs, counters });
  const mailbox = createMailbox(timers, parts.onFatal);
  const queue = createEventQueue(mailbox, settle);
  let isRepollDue = false;

  /** Adds a verified block to consensus and asks validators about it; they get the block itself if this node has built it. */
  const onVerified = ({ node, block, source }: Candidate): void => {
    consensus.add(block);
    decisions.add(block);
    countIssued(counters, block, source, validators.current().get(node) ?? 0n);
    vm.setPreference(consensus.preference());
    if (consensus.isPreferred(block.id)) poller.poll(block.id, source === 'built' ? block.bytes : undefined);
    isRepollDue = true;
  };
  const issuer = createBlockIssuer(link, {
    nextRequestId,
    vm,
    consensus,
    blocks,
    connected,
    jobs,
    post: queue.post,
    onVerified,
    onInvalid,
  });
  const schedule = createBuildSchedule({
    vm,
    timers,
    unixMilliseconds,
    preference: consensus.preference,
    hasRoom: () => consensus.processingCount() < parameters.optimalProcessing,
    post: queue.post,
    issue: issuer.issueBuilt,
    counters,
    onError: (error) => onInvalid(undefined, error),
  });
  const answerQuery = createQueryAnswers(link, { vm, consensus, decisions, issuer, counters, hasStake, post: mailbox.post });
  const messages = createMessageHandler({ vm, decisions, frontiers, blocks, poller, queue, issuer, answerQuery, counters, hasStake });

  /** Ends an event: applies finished polls and executes their decisions; then polls again and builds, if there is reason to. */
  function settle(): Promise<void> | undefined {
    const results = poller.takeFinished();
    const afterDecisions = (): undefined => {
      if (results.length > 0) vm.setPreference(consensus.preference());
      if ((results.length > 0 || isRepollDue) && consensus.processingCount() > 0) poller.repoll();
      isRepollDue = false;
      schedule.wake();
    };
    const storing = decisions.record(results);
    return storing === undefined ? afterDecisions() : storing.then(afterDecisions);
  }
  /** Ticks of the frontier poll since a block was processing. */
  let quietTicks = 0;
  let stopFrontierPoll = (): void => {};
  const pollFrontier = (): void => {
    const isRare = quietTicks >= ticksUntilQuiet && hasStake(transport.self);
    stopFrontierPoll = timers.after(parameters.frontierPollInterval * (isRare ? quietFactor : 1), pollFrontier);
    queue.post(() => {
      issuer.askOthers();
      quietTicks = consensus.processingCount() > 0 ? 0 : quietTicks + 1;
      if (quietTicks === 0) isRepollDue = true;
      else poller.askFrontier();
    });
  };
  stopFrontierPoll = timers.after(parameters.frontierPollInterval, pollFrontier);
  const stop = (): void => {
    stopFrontierPoll();
    schedule.stop();
    mailbox.close();
    messages.close();
    vm.onWork(() => {});
  };
  vm.setPreference(decisions.stored().id);
  // There may be transactions for a block: the end of an event builds it.
  vm.onWork(() => queue.post(() => {}));
  queue.post(() => {});

  return {
    receive: messages.receive,
    failed: messages.failed,
    state: (): EngineState => readEngineState({ vm, consensus, decisions, frontiers, blocks, jobs, poller }),
    stop,
    /** Stops and rejects all processing blocks, which puts their transactions back into the pool. Resolves when nothing is being stored. */
    stopAndReject: (): Promise<void> =>
      new Promise((resolve) =>
        mailbox.post(() => {
          for (const id of decisions.highestFirst()) vm.reject(id);
          stop();
          resolve();
        }),
      ),
  };
}

function readEngineState({
  vm,
  consensus,
  decisions,
  frontiers,
  blocks,
  jobs,
  poller,
}: {
  readonly vm: Pick<Vm, 'blockIdAtHeight'>;
  readonly consensus: Pick<Consensus, 'processingCount'>;
  readonly decisions: Decisions;
  readonly frontiers: AcceptedFrontiers;
  readonly blocks: UnissuedBlocks;
  readonly jobs: Pick<WaitingJobs, 'count'>;
  readonly poller: Pick<Poller, 'openCount'>;
}) {
  const { height } = decisions.stored();
  return {
    ...decisions.state(),
    processingBlocks: consensus.processingCount(),
    openPolls: poller.openCount(),
    blockRequests: blocks.requested.count(),
    pendingBlocks: blocks.pending.count(),
    /** Blocks that other work waits for. */
    missingBlocks: jobs.count(),
    unverifiedBlocks: blocks.unverified.count(),
    majority: () => frontiers.majority(height),
    /** Whether validators with at least half of the stake have accepted another block than this node at the same height. */
    isSplit: () => frontiers.isSplit({ height, idAt: vm.blockIdAtHeight }),
  };
}

/** Ticks without a processing block after which a validator polls the frontier less often: each new block is pushed to it. */
const ticksUntilQuiet = 10;
/** How many times as long the interval is then. */
const quietFactor = 3;

type EventQueue = ReturnType<typeof createEventQueue>;

/** Runs the work of events one after the other, and `settle` after each. */
function createEventQueue({ post, postLast, isIdle }: Mailbox, settle: () => Promise<void> | undefined) {
  const settled = (work: () => void) => () => {
    work();
    return settle();
  };
  return {
    post: (work: () => void): void => post(settled(work)),
    /** Adds the work of a query of a peer without stake, which runs when nothing else waits. */
    postLast: (work: () => void): void => postLast(settled(work)),
    /** Whether work that is posted now runs during the call. */
    isIdle,
  };
}

/** What each message of a peer causes. Queries are answered at once; blocks and votes are processed in the order of their arrival. */
function createMessageHandler({
  vm,
  decisions,
  frontiers,
  blocks,
  poller,
  queue,
  issuer,
  answerQuery,
  counters,
  hasStake,
}: {
  readonly vm: Pick<Vm, 'parse'>;
  readonly decisions: Decisions;
  readonly frontiers: AcceptedFrontiers;
  readonly blocks: UnissuedBlocks;
  readonly poller: Poller;
  readonly queue: EventQueue;
  readonly issuer: BlockIssuer;
  readonly answerQuery: ReturnType<typeof createQueryAnswers>;
  readonly counters: EngineCounters;
  readonly hasStake: (node: NodeId) => boolean;
}) {
  /** Queries that wait to be processed. */
  const queries = createQueueLimit(engineLimits.queries, hasStake);
  const postQuery = (from: NodeId, end: () => void, work: () => void): void =>
    (hasStake(from) ? queue.post : queue.postLast)(() => {
      end();
      work();
    });
  const isUseless = ({ id, height }: EngineBlock): boolean => decisions.has(id) || height <= decisions.stored().height;

  /** A block that came with a query. */
  const pushed = (from: NodeId, bytes: Uint8Array): void => {
    const block = attempt(() => vm.parse(bytes));
    if (block === undefined) return;
    if (isUseless(block)) counters.uselessPushQueryBytes += bytes.length;
    issuer.issue(from, block, 'push_gossip');
  };
  /** The answer to a request of this node, or a block that was not asked for. */
  const put = (from: NodeId, requestId: number, bytes: Uint8Array) => {
    const block = attempt(() => vm.parse(bytes));
    const request = blocks.requested.find(from, requestId);
    if (block === undefined || (request !== undefined && request.blockId !== block.id)) return issuer.requestFailed(from, requestId);
    if (isUseless(block)) counters.uselessPutBytes += bytes.length;
    issuer.issue(from, block, request?.source ?? 'unknown');
  };
  /** The answer to a request for a block and its ancestors, that block first. Blocks after one that cannot be decoded are left out. */
  const ancestors = (from: NodeId, requestId: number, containers: readonly Uint8Array[]) => {
    const request = blocks.requested.find(from, requestId);
    const found = new Map<Id, EngineBlock>();
    for (const bytes of containers) {
      const block = attempt(() => vm.parse(bytes));
      if (block === undefined) break;
      found.set(block.id, block);
    }
    const block = request && found.get(request.blockId);
    if (request === undefined || block === undefined) issuer.requestFailed(from, requestId);
    else issuer.issue(from, block, request.source, found);
  };
  /** Votes for the preferred block of a peer, else for its block at the height of the query. Both are issued first, if they are new. */
  const vote = (from: NodeId, requestId: number, preferred: Id, atHeight: Id): void => {
    const options = preferred === atHeight ? [preferred] : [preferred, atHeight];
    for (const id of options) issuer.issueById(from, id, 'pull_gossip');
    poller.vote(from, requestId, options, options.filter(issuer.willEnd));
  };
  /** A peer that does not answer votes for what it is known to have accepted. */
  const voteFailed = (from: NodeId, requestId: number): void => {
    const accepted = frontiers.get(from);
    if (accepted === undefined) poller.vote(from, requestId, [], []);
    else vote(from, requestId, accepted.id, accepted.id);
  };

  return {
    receive: (from: NodeId, message: ChainMessage, hold?: HoldBytes) => {
      switch (message.kind) {
        case 'pullQuery': {
          answerQuery(from, message);
          const end = queries.admit(from, 0);
          return end && postQuery(from, end, () => issuer.issueById(from, message.containerId, 'push_gossip'));
        }
        case 'pushQuery': {
          answerQuery(from, message);
          const end = queries.admit(from, message.container.length, hold);
          if (end === undefined) return;
          // A view of a message keeps all that arrived with it in memory, so what waits is copied. What cannot be decoded is then never copied.
          const bytes = queue.isIdle() ? message.container : new Uint8Array(message.container);
          return postQuery(from, end, () => pushed(from, bytes));
        }
        case 'chits': {
          const { requestId, preferredId, preferredIdAtHeight, acceptedId: id, acceptedHeight: height } = message;
          return queue.post(() => {
            frontiers.set(from, id, height, poller.askedAt(requestId));
            vote(from, requestId, preferredId, preferredIdAtHeight);
          });
        }
        case 'put': {
          const bytes = new Uint8Array(message.container);
          return queue.post(() => put(from, message.requestId, bytes));
        }
        case 'ancestors': {
          const containers = message.containers.slice(0, engineLimits.ancestors).map((bytes) => new Uint8Array(bytes));
          return queue.post(() => ancestors(from, message.requestId, containers));
        }
      }
    },
    /** A peer did not answer a request of this node. */
    failed: (from: NodeId, requestId: number, response: MessageKind): void => {
      if (response === 'chits') queue.post(() => voteFailed(from, requestId));
      else if (response === 'put' || response === 'ancestors') queue.post(() => issuer.requestFailed(from, requestId));
    },
    /** Gives back the bytes that waiting queries hold. */
    close: queries.clear,
  };
}

function countIssued(counters: EngineCounters, { height }: EngineBlock, source: BlockSource, stake: bigint): void {
  counters.issued[source]++;
  counters.issuerStake += Number(stake);
  if (height > counters.maxVerifiedHeight) counters.maxVerifiedHeight = height;
}
