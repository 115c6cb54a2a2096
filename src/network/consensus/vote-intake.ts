import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { Consensus } from '../snowman/consensus.ts';
import type { BlockRef } from '../snowman/consensus-block.ts';
import type { Polls } from '../snowman/polls.ts';
import { voteTarget } from '../snowman/vote-target.ts';
import type { Votes } from '../snowman/votes.ts';
import type { AcceptedFrontiers } from './accepted-frontiers.ts';
import { type BlockIssuer, consensusBlock } from './block-issuer.ts';
import type { VoteCounters } from './counters.ts';
import type { UnverifiedBlocks } from './unverified-blocks.ts';
import type { WaitingJobs } from './waiting-jobs.ts';

type VoteParts = {
  readonly consensus: Consensus;
  readonly polls: Polls;
  readonly jobs: WaitingJobs;
  readonly issuer: Pick<BlockIssuer, 'issueById' | 'canDependOn'>;
  readonly unverified: UnverifiedBlocks;
  readonly frontiers: AcceptedFrontiers;
  readonly counters: VoteCounters;
};

/** Answers to the polls of this node. */
export type VoteIntake = {
  /** Counts an answer: the preferred block of a peer, its block at the height of the query, and its last accepted one. */
  readonly chits: (node: NodeId, requestId: number, preferred: Id, atHeight: Id, accepted: BlockRef) => void;
  /** Counts what a peer that did not answer is known to have accepted. */
  readonly failed: (node: NodeId, requestId: number) => void;
  /** Returns and forgets the polls that have ended. */
  readonly takeFinished: () => readonly Votes[];
};

export function createVoteIntake({ consensus, polls, jobs, issuer, unverified, frontiers, counters }: VoteParts): VoteIntake {
  let finished: Votes[] = [];
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
      finished.push(...(target === undefined ? polls.drop(requestId, node) : polls.vote(requestId, node, target)));
    }, options.filter(issuer.canDependOn));

  const countChits: VoteIntake['chits'] = (node, requestId, preferred, atHeight, accepted) => {
    frontiers.set(node, accepted.id, accepted.height);
    issuer.issueById(node, preferred, 'pull_gossip');
    if (preferred === atHeight) return vote(node, requestId, [preferred]);
    issuer.issueById(node, atHeight, 'pull_gossip');
    vote(node, requestId, [preferred, atHeight]);
  };
  return {
    chits: (node, ...answer) => {
      frontiers.heard(node);
      countChits(node, ...answer);
    },
    failed: (node, requestId) => {
      const accepted = frontiers.get(node);
      if (accepted === undefined) vote(node, requestId, []);
      else countChits(node, requestId, accepted.id, accepted.id, accepted);
    },
    takeFinished: () => {
      const taken = finished;
      finished = [];
      return taken;
    },
  };
}
