/**
 * How much of the index a database has: the height of every indexed chain, and the backfill revision (see `incrementBackfillRevision`). All of
 * them only grow, unless a database has lost commits.
 */
export type ReadPosition = { readonly heights: readonly number[]; readonly revision: number };

export const startPosition: ReadPosition = { heights: [], revision: 0 };

/** Whether a database at `position` has all that one at `wanted` has. */
export const isAtLeast = (position: ReadPosition, wanted: ReadPosition): boolean =>
  position.revision >= wanted.revision && wanted.heights.every((height, i) => (position.heights[i] ?? 0) >= height);

/** The larger one of each number. */
export const joinPositions = (a: ReadPosition, b: ReadPosition): ReadPosition => ({
  heights: Array.from({ length: Math.max(a.heights.length, b.heights.length) }, (_, i) => Math.max(a.heights[i] ?? 0, b.heights[i] ?? 0)),
  revision: Math.max(a.revision, b.revision),
});

export const describePosition = ({ heights }: ReadPosition): string => `height ${heights.join(', ')}`;
