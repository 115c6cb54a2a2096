import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { SnowParameters } from './parameters.ts';
import { addVotes, countInstanceVotes, countVotes, type Votes } from './votes.ts';

/** Open polls. Results are given out in the order in which the polls were opened. AvalancheGo: snow/consensus/snowman/poll/set.go. */
export type Polls = ReturnType<typeof createPolls>;

/** `onEnd` is called for each poll when its result is returned. */
export function createPolls(
  parameters: SnowParameters,
  parentOf: (id: Id) => Id | undefined,
  onEnd: (requestId: number, end: PollEnd) => void = () => {},
) {
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
    /** Opens a poll of nodes with their sampled units. Returns false if the request ID is in use. */
    open: (requestId: number, sampled: ReadonlyMap<NodeId, number>): boolean => {
      if (polls.has(requestId)) return false;
      polls.set(requestId, createPoll(parameters, sampled, parentOf));
      return true;
    },
    /** Counts a vote. Returns the votes of all polls that are finished now, oldest first; a finished poll waits for older ones. */
    vote: (requestId: number, node: NodeId, id: Id): Votes[] => update(requestId, (poll) => poll.vote(node, id)),
    /** Counts a node as one that does not answer. */
    drop: (requestId: number, node: NodeId): Votes[] => update(requestId, (poll) => poll.drop(node)),
    count: (): number => polls.size,
  };
}

/** Why a poll ended. AvalancheGo's names: all have answered, too few can answer yes, or enough have. */
export type PollEnd = 'exhausted' | 'early_fail' | 'early_alpha';

/** One poll: the votes so far, and how many units of stake have not answered. */
type Poll = ReturnType<typeof createPoll>;

/** Creates a poll of nodes with their sampled units. AvalancheGo: snow/consensus/snowman/poll/early_term_traversal.go. */
function createPoll(
  { alphaPreference, alphaConfidence }: SnowParameters,
  sampled: ReadonlyMap<NodeId, number>,
  parentOf: (id: Id) => Id | undefined,
) {
  const waiting = new Map(sampled);
  const votes = new Map<Id, number>();
  let end: PollEnd | undefined;

  const sumWaiting = (): number => {
    let sum = 0;
    for (const units of waiting.values()) sum += units;
    return sum;
  };
  /** Whether an instance of the vote can no longer change: out of reach, preferred for certain, or confident. */
  const isSettled = (count: number, remaining: number): boolean =>
    count + remaining < alphaPreference || (count >= alphaPreference && count + remaining < alphaConfidence) || count >= alphaConfidence;
  const findEnd = (): PollEnd | undefined => {
    const remaining = sumWaiting();
    const received = countVotes(votes);
    if (remaining === 0) return 'exhausted';
    if (received + remaining < alphaPreference) return 'early_fail';
    // Most answers end here: no block has enough votes yet, and the one with the most can still get them. So does a poll without votes.
    if (received < alphaPreference && Math.max(0, ...votes.values()) + remaining >= alphaPreference) return undefined;
    const counts = countInstanceVotes(votes, parentOf);
    return counts.every((count) => isSettled(count, remaining)) ? 'early_alpha' : undefined;
  };

  return {
    vote: (node: NodeId, id: Id): void => {
      addVotes(votes, id, waiting.get(node) ?? 0);
      waiting.delete(node);
    },
    /** Counts a node as one that does not answer. */
    drop: (node: NodeId): void => {
      waiting.delete(node);
    },
    /** Whether further votes cannot change the result; stays true. */
    isFinished: (): boolean => {
      end ??= findEnd();
      return end !== undefined;
    },
    /** Undefined while the poll is open. */
    end: (): PollEnd | undefined => end,
    votes: (): Votes => votes,
  };
}
