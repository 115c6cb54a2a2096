import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { ChainLink } from '../protocol/transport.ts';
import type { Validators } from '../protocol/validators.ts';
import type { Consensus } from '../snowman/consensus.ts';
import { createPolls } from '../snowman/polls.ts';
import { type Votes, voteTarget } from '../snowman/votes.ts';
import type { WaitingJobs } from './block-issuer.ts';
import type { ConnectedValidators } from './connected-validators.ts';
import type { EngineCounters } from './engine-counters.ts';
import type { EngineParameters } from './engine-parameters.ts';
import type { UnissuedBlocks } from './unissued-blocks.ts';
import { sampleUnits } from './weighted-sample.ts';

/**
 * The polls of this node: it asks sampled validators what they prefer, and counts their answers as votes. The engine takes the votes of
 * finished polls and gives them to consensus.
 * AvalancheGo: snow/engine/snowman/engine.go, sendQuery, repoll and Gossip; voter.go.
 */
export type Poller = ReturnType<typeof createPoller>;

export function createPoller(
  { chainId, transport, timers, randomBytes }: ChainLink,
  {
    nextRequestId,
    parameters,
    validators,
    connected,
    consensus,
    unverified,
    jobs,
    counters,
  }: {
    readonly nextRequestId: () => number;
    readonly parameters: EngineParameters;
    readonly validators: Pick<Validators, 'current'>;
    readonly connected: ConnectedValidators;
    readonly consensus: Consensus;
    readonly unverified: Pick<UnissuedBlocks['unverified'], 'get'>;
    readonly jobs: WaitingJobs;
    readonly counters: EngineCounters;
  },
) {
  /** When each open poll began. */
  const starts = new Map<number, number>();
  const polls = createPolls(parameters, consensus.parentOf, (requestId, end) => {
    const now = timers.now();
    const ended = counters.polls[end];
    ended.count++;
    ended.duration += now - (starts.get(requestId) ?? now);
    starts.delete(requestId);
  });
  /** When each open question for a frontier was asked. */
  const frontierAsks = new Map<number, number>();
  const minShare = parameters.alphaConfidence / parameters.k;
  let finished: Votes[] = [];

  const queryFields = (requestId: number) => ({
    chainId,
    requestId,
    deadline: 0n,
    requestedHeight: consensus.lastAccepted().height + 1n,
  });
  /**
   * Opens a poll about a block. With `bytes` the block itself is sent. Returns false if no poll was opened: too little stake is connected, or
   * there is less stake than a poll samples.
   */
  const poll = (id: Id, bytes?: Uint8Array): boolean => {
    if (connected.share() < minShare) return false;
    const sampled = sampleUnits(validators.current(), parameters.k, randomBytes);
    if (sampled === undefined) return false;
    const requestId = nextRequestId();
    if (!polls.open(requestId, sampled)) return false;
    starts.set(requestId, timers.now());
    const to = [...sampled.keys()];
    if (bytes === undefined) transport.request({ kind: 'pullQuery', containerId: id, ...queryFields(requestId) }, to);
    else transport.request({ kind: 'pushQuery', container: bytes, ...queryFields(requestId) }, to);
    return true;
  };
  /** The block that an answer votes for; undefined if it votes for none. */
  const findTarget = (options: readonly Id[]): Id | undefined => {
    let tried = 0;
    const target = voteTarget(options, consensus, unverified.get, (outcome) => {
      tried++;
      counters.voteOutcomes[outcome]++;
    });
    if (target === undefined) return undefined;
    counters.votes++;
    counters.voteIndices += tried - 1;
    return target;
  };

  return {
    poll,
    /**
     * Opens polls about the preferred block until enough are open: no more than can still count. AvalancheGo opens `concurrentRepolls` up to the
     * last poll; the votes of those that are open when a block is decided are for nothing.
     */
    repoll: (): void => {
      const wanted = Math.min(parameters.concurrentRepolls, Math.max(1, consensus.missingPolls()));
      while (polls.count() < wanted && poll(consensus.preference()));
    },
    /** Asks one validator for its frontier. The answer is not a vote; it only tells of blocks, so this node need not ask itself. */
    askFrontier: (): void => {
      const node = connected.sample();
      if (node === undefined || node === transport.self) return;
      const requestId = nextRequestId();
      frontierAsks.set(requestId, timers.now());
      transport.request({ kind: 'pullQuery', containerId: consensus.preference(), ...queryFields(requestId) }, [node]);
    },
    /** When an open poll or question for a frontier was asked; undefined for one that has ended. */
    askedAt: (requestId: number): number | undefined => starts.get(requestId) ?? frontierAsks.get(requestId),
    /**
     * Counts a node's answer to a poll, as soon as the blocks in `waitFor` are issued or given up. `options`: the blocks that it may be a vote
     * for, the first that can be voted for counts; without options the node is counted as one that does not answer.
     */
    vote: (node: NodeId, requestId: number, options: readonly Id[], waitFor: readonly Id[]): void => {
      // Each request ends here once, with an answer or without.
      frontierAsks.delete(requestId);
      jobs.schedule(() => {
        const target = findTarget(options);
        finished.push(...(target === undefined ? polls.drop(requestId, node) : polls.vote(requestId, node, target)));
      }, waitFor);
    },
    /** Returns and forgets the votes of the polls that have ended. */
    takeFinished: (): readonly Votes[] => {
      const taken = finished;
      finished = [];
      return taken;
    },
    openCount: (): number => polls.count(),
  };
}
