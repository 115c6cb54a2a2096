import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { SnowParameters } from './parameters.ts';
import { countInstanceVotes } from './vote-graph.ts';
import { addVotes, countVotes, type Votes } from './votes.ts';

/** Why a poll ended. AvalancheGo's names: all have answered, too few can answer yes, or enough have. */
export type PollEnd = 'exhausted' | 'early_fail' | 'early_alpha';

/** One poll: the votes so far, and how many units of stake have not answered. */
export type Poll = {
  readonly vote: (node: NodeId, id: Id) => void;
  /** Counts a node as one that does not answer. */
  readonly drop: (node: NodeId) => void;
  /** Whether further votes cannot change the result; stays true. */
  readonly isFinished: () => boolean;
  /** Undefined while the poll is open. */
  readonly end: () => PollEnd | undefined;
  readonly votes: () => Votes;
};

/** Creates a poll of nodes with their sampled units. AvalancheGo: snow/consensus/snowman/poll/early_term_traversal.go. */
export function createPoll(
  { alphaPreference, alphaConfidence }: SnowParameters,
  sampled: ReadonlyMap<NodeId, number>,
  parentOf: (id: Id) => Id | undefined,
): Poll {
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
    vote: (node, id) => {
      addVotes(votes, id, waiting.get(node) ?? 0);
      waiting.delete(node);
    },
    drop: (node) => {
      waiting.delete(node);
    },
    isFinished: () => {
      end ??= findEnd();
      return end !== undefined;
    },
    end: () => end,
    votes: () => votes,
  };
}
