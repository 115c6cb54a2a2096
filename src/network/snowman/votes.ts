import type { Id } from '../../base/bytes/id.ts';

/** Votes of one poll: how many units of stake voted for a block. */
export type Votes = ReadonlyMap<Id, number>;

export function countVotes(votes: Votes): number {
  let sum = 0;
  for (const count of votes.values()) sum += count;
  return sum;
}

export function addVotes(votes: Map<Id, number>, id: Id, count: number): void {
  if (count > 0) votes.set(id, (votes.get(id) ?? 0) + count);
}

export const filterVotes = (votes: Votes, test: (id: Id) => boolean): Votes => new Map([...votes].filter(([id]) => test(id)));
