import { allShares, type CacheName, cacheTable } from './cache-table.ts';

/** The two generations of one cache: an entry that is used moves to the young one; the old one is dropped as a whole. */
export type Generations = { young: Map<unknown, unknown>; old: Map<unknown, unknown>; youngBytes: number; oldBytes: number };

/** All caches of one name: they share its bytes, however many there are (one per chain, method or kind of piece). */
type CachePool = {
  maxBytes: number;
  readonly join: (member: Generations) => void;
  /** Adds to the bytes of the young generations. When they have half of all bytes, they become old, and those that were old are dropped. */
  readonly grow: (bytes: number) => void;
  /** Bytes of all entries. */
  readonly usedBytes: () => number;
};

/** What a process does: everything, or nothing but write blocks. */
type CacheUse = 'all' | 'write';

const writerShares = Object.values(cacheTable).reduce((sum, { share, ofWriter }) => sum + (ofWriter ? share : 0), 0);

/** The bytes of the caches of one process, divided by the shares of `cacheTable`. */
export type CacheBudget = {
  /**
   * Sets the bytes of all caches together. Applies to existing caches from their next entry on. `use`: with `write` seven eighths of them are
   * divided among the caches of the writer, for a process that answers no requests.
   */
  readonly resize: (bytes: number, use?: CacheUse) => void;
  readonly bytesOf: (name: CacheName) => number;
  /** Bytes of all entries, and the most that they may have. Without the pages of the database, which SQLite caches and does not count for us. */
  readonly usage: () => { readonly used: number; readonly max: number };
  readonly poolOf: (name: CacheName) => CachePool;
};

export function createCacheBudget(bytes: number): CacheBudget {
  let byShare = bytes;
  let ofWriter = 0;
  const pools = new Map<CacheName, CachePool>();
  const bytesOf = (name: CacheName): number => {
    const { share, ofWriter: isOfWriter } = cacheTable[name];
    return Math.floor((byShare * share) / allShares + (isOfWriter ? (ofWriter * share) / writerShares : 0));
  };
  return {
    resize: (changed, use = 'all') => {
      ofWriter = use === 'write' ? (changed * 7) / 8 : 0;
      byShare = changed - ofWriter;
      for (const [name, pool] of pools) pool.maxBytes = bytesOf(name);
    },
    bytesOf,
    usage: () => ({
      used: [...pools.values()].reduce((sum, pool) => sum + pool.usedBytes(), 0),
      max: byShare + ofWriter - bytesOf('databasePages'),
    }),
    poolOf: (name) => {
      const pool = pools.get(name) ?? createPool(bytesOf(name));
      pools.set(name, pool);
      return pool;
    },
  };
}

/** The default of `--cache-bytes`, and what a program has that uses parts of Serac without a node. */
export const defaultCacheBytes = 201_326_592;

/** The caches of this process. Nodes that run in one process share it; the node that starts last sets its size. */
export const processCaches = createCacheBudget(defaultCacheBytes);

function createPool(maxBytes: number): CachePool {
  // Weak: a cache ends with the chain or the node that it belongs to.
  let members: WeakRef<Generations>[] = [];
  let youngBytes = 0;
  let sweepAt = 64;
  const alive = (): Generations[] => members.map((ref) => ref.deref()).filter((member) => member !== undefined);
  const pool: CachePool = {
    maxBytes,
    join: (member) => {
      if (members.length >= sweepAt) {
        members = members.filter((ref) => ref.deref() !== undefined);
        sweepAt = 2 * members.length + 64;
      }
      members.push(new WeakRef(member));
    },
    grow: (bytes) => {
      youngBytes += bytes;
      if (youngBytes <= pool.maxBytes / 2) return;
      for (const member of alive()) {
        member.old = member.young;
        member.young = new Map();
        member.oldBytes = member.youngBytes;
        member.youngBytes = 0;
      }
      youngBytes = 0;
    },
    usedBytes: () => alive().reduce((sum, member) => sum + member.youngBytes + member.oldBytes, 0),
  };
  return pool;
}
