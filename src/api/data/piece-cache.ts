import { type Cache, createCache } from '../../base/cache/cache.ts';
import type { CacheBudget } from '../../base/cache/cache-budget.ts';
import { memoize } from '../../base/cache/memoize.ts';

/** A rendered part of a response: JSON of one transaction, output or block. */
export type Piece = { readonly bytes: Uint8Array };

/** The pieces of one kind, by number. */
export type PieceSpace<P extends Piece> = {
  readonly get: (number: number) => P | undefined;
  readonly set: (number: number, piece: P) => void;
};

export type PieceCache = ReturnType<typeof createPieceCache>;

/** A cache of rendered pieces, from which pages are joined. `currentEpoch`: how often the chains were reverted. */
export function createPieceCache(currentEpoch: () => number, budget?: CacheBudget) {
  const cacheOf = memoize(
    (_name: string): Cache<number, Piece> => createCache('pieces', { size: pieceSize, version: currentEpoch, budget }),
  );
  return {
    /**
     * Returns the pieces of one kind for a request that began in `epoch`. After a revert meanwhile they are not used and not added to. `name`
     * identifies everything that pieces depend on besides their number; names are few: kinds of pieces, times chains, times address formats.
     */
    space: <P extends Piece>(epoch: number, name: string): PieceSpace<P> => {
      const pieces = cacheOf(name);
      return {
        get: (number) => pieces.get(number, epoch) as P | undefined,
        set: (number, piece) => pieces.set(number, piece, epoch),
      };
    },
  };
}

/** Bytes of a piece, including an estimated overhead of 300. */
const pieceSize = (_: number, { bytes }: Piece): number => bytes.length + 300;
