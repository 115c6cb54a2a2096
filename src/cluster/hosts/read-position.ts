/**
 * How much of the index a PostgreSQL server has, to compare a replica with the primary, or with what was served before. `heights`: the last block of
 * every indexed chain, the X-Chain first. `revision`: how often something that is not in a block was added (outputs of an address that were fetched
 * later; see `incrementBackfillRevision`). All of them only grow, unless a server has lost commits.
 */
export type ReadPosition = { readonly heights: readonly number[]; readonly revision: number };

/** The position that every server has reached. */
export const startPosition: ReadPosition = { heights: [], revision: 0 };

/** Whether a server at `position` has all that one at `wanted` has. A chain without a height in `wanted` is not compared. */
export const isAtLeast = (position: ReadPosition, wanted: ReadPosition): boolean =>
  position.revision >= wanted.revision && wanted.heights.every((height, i) => (position.heights[i] ?? 0) >= height);

/** The larger one of each number. */
export const joinPositions = (a: ReadPosition, b: ReadPosition): ReadPosition => ({
  heights: Array.from({ length: Math.max(a.heights.length, b.heights.length) }, (_, i) => Math.max(a.heights[i] ?? 0, b.heights[i] ?? 0)),
  revision: Math.max(a.revision, b.revision),
});

export const describePosition = ({ heights }: ReadPosition): string => `height ${heights.join(', ')}`;
