import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { SnowParameters } from './parameters.ts';
import { createPoll, type Poll, type PollEnd } from './poll.ts';
import type { Votes } from './votes.ts';

/** Open polls. Results are given out in the order in which the polls were opened. AvalancheGo: snow/consensus/snowman/poll/set.go. */
export type Polls = {
  /** Opens a poll of nodes with their sampled units. Returns false if the request ID is in use. */
  readonly open: (requestId: number, sampled: ReadonlyMap<NodeId, number>) => boolean;
  /** Counts a vote. Returns the votes of all polls that are finished now, oldest first; a finished poll waits for older ones. */
  readonly vote: (requestId: number, node: NodeId, id: Id) => Votes[];
  /** Counts a node as one that does not answer. */
  readonly drop: (requestId: number, node: NodeId) => Votes[];
  readonly count: () => number;
};

/** `onEnd` is called for each poll when its result is returned. */
export function createPolls(
  parameters: SnowParameters,
  parentOf: (id: Id) => Id | undefined,
  onEnd: (requestId: number, end: PollEnd) => void = () => {},
): Polls {
  const polls = new Map<number, Poll>();
  const takeFinished = (poll: Poll): Votes[] => {
    const results: Votes[] = [];
    if (!poll.isFinished()) return results;
    for (const [requestId, oldest] of polls) {
      if (!oldest.isFinished()) break;
      polls.delete(requestId);
      results.push(oldest.votes());
      onEnd(requestId, oldest.end() as PollEnd);
    }
    return results;
  };
  const update = (requestId: number, change: (poll: Poll) => void): Votes[] => {
    const poll = polls.get(requestId);
    if (poll === undefined) return [];
    change(poll);
    return takeFinished(poll);
  };
  return {
    open: (requestId, sampled) => {
      if (polls.has(requestId)) return false;
      polls.set(requestId, createPoll(parameters, sampled, parentOf));
      return true;
    },
    vote: (requestId, node, id) => update(requestId, (poll) => poll.vote(node, id)),
    drop: (requestId, node) => update(requestId, (poll) => poll.drop(node)),
    count: () => polls.size,
  };
}
