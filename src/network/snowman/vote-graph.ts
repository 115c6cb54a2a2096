import type { Id } from '../../base/bytes/id.ts';
import { bitOf, firstDifference, idBits } from './id-bits.ts';
import { addVotes, type Votes } from './votes.ts';

/**
 * The votes of every Snowflake instance that a poll touches: one per block, ancestors included as far as `parentOf` knows them, and one per
 * common prefix of siblings. AvalancheGo: snow/consensus/snowman/poll/graph.go and prefix.go.
 */
export function countInstanceVotes(votes: Votes, parentOf: (id: Id) => Id | undefined): number[] {
  const totals = new Map<Id, number>();
  const childrenOf = new Map<Id, Set<Id>>();
  for (const [id, count] of votes)
    for (let at: Id | undefined = id; at !== undefined; ) {
      addVotes(totals, at, count);
      const parent: Id | undefined = parentOf(at);
      if (parent !== undefined) addChild(childrenOf, parent, at);
      at = parent;
    }
  const counts = [...totals.values()];
  for (const children of childrenOf.values()) if (children.size > 1) pushPrefixVotes([...children], 0, totals, counts);
  return counts;
}

function addChild(childrenOf: Map<Id, Set<Id>>, parent: Id, child: Id): void {
  const children = childrenOf.get(parent);
  if (children === undefined) childrenOf.set(parent, new Set([child]));
  else children.add(child);
}

/** Adds the votes of each prefix that several siblings share and after which they differ. A prefix of no bits is not an instance. */
function pushPrefixVotes(siblings: readonly Id[], start: number, totals: Votes, counts: number[]): void {
  const [first, ...others] = siblings;
  if (first === undefined || others.length === 0) return;
  const at = Math.min(...others.map((id) => firstDifference(first, id, start, idBits) ?? idBits));
  if (at > 0) counts.push(siblings.reduce((sum, id) => sum + (totals.get(id) ?? 0), 0));
  for (const bit of [0, 1])
    pushPrefixVotes(
      siblings.filter((id) => bitOf(id, at) === bit),
      at + 1,
      totals,
      counts,
    );
}
