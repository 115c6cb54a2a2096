/** A rendered part of a response: JSON of one transaction, output or block. */
export type Piece = { readonly bytes: Uint8Array };

/** The pieces of one kind, by number. */
export type PieceSpace<P extends Piece> = {
  readonly get: (number: number) => P | undefined;
  readonly set: (number: number, piece: P) => void;
};

export type PieceCache = {
  /** `name` identifies everything that pieces depend on besides their number. Seeing a later epoch drops all pieces. */
  readonly space: <P extends Piece>(epoch: number, name: string) => PieceSpace<P>;
};

/**
 * A cache of rendered pieces, limited by bytes. It has two generations: when the young one has half of the bytes, the old one is dropped as a
 * whole. Pieces in use move to the young one. This costs less per access than a list in order of use: a page has up to 1,024 pieces.
 */
export function createPieceCache(maxBytes: number): PieceCache {
  let epochOfPieces = 0;
  let young = new Map<number, Piece>();
  let old = new Map<number, Piece>();
  let youngBytes = 0;
  const spaces = new Map<string, number>();
  /** Rises when all pieces are dropped: spaces opened before are then no longer used. */
  let version = 0;

  const clear = (): void => {
    young = new Map();
    old = new Map();
    youngBytes = 0;
    spaces.clear();
    version++;
  };
  const put = (key: number, piece: Piece): void => {
    if (young.has(key)) youngBytes -= sizeOf(young.get(key) as Piece);
    young.set(key, piece);
    youngBytes += sizeOf(piece);
    if (youngBytes <= maxBytes / 2) return;
    old = young;
    young = new Map();
    youngBytes = 0;
  };
  const find = (key: number): Piece | undefined => {
    const found = young.get(key);
    if (found !== undefined) return found;
    const older = old.get(key);
    if (older !== undefined) {
      old.delete(key);
      put(key, older);
    }
    return older;
  };

  return {
    space: <P extends Piece>(epoch: number, name: string): PieceSpace<P> => {
      if (epoch < epochOfPieces) return emptySpace;
      if (epoch > epochOfPieces || spaces.size >= maxSpaces) clear();
      epochOfPieces = epoch;
      const base = spaces.get(name) ?? spaces.size * numbersPerSpace;
      spaces.set(name, base);
      const opened = version;
      return {
        get: (number) => (opened === version ? (find(base + number) as P | undefined) : undefined),
        set: (number, piece) => {
          // A very large piece must not evict everything else.
          if (opened === version && sizeOf(piece) * 16 <= maxBytes) put(base + number, piece);
        },
      };
    },
  };
}

const emptySpace = { get: () => undefined, set: () => {} };

/** Numbers are rows of a table, below 2^40; keys stay below 2^53. */
const numbersPerSpace = 2 ** 40;
/** Names are few: kinds of pieces, times chains, times address formats. */
const maxSpaces = 4096;

/** Bytes of a piece, including an estimated overhead of 300. */
const sizeOf = ({ bytes }: Piece): number => bytes.length + 300;
