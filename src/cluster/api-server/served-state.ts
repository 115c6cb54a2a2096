import { sleep } from '../../base/timing/sleep.ts';
import type { GroupResult, SqlQuery } from '../../ledger/index/sql.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import { isAtLeast, joinPositions, type ReadPosition } from '../hosts/read-position.ts';
import type { ServedPosition } from '../hosts/served-position.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';
import type { IndexState, VersionQuery } from './version-query.ts';

/** Milliseconds. `replicaWait`: how long reads wait for a replica that is behind before they go to another host. `replicaPoll`: between two looks at it. */
const intervals = { replicaWait: 250, replicaPoll: 20 } as const;

export type ServedState = ReturnType<typeof createServedState>;

/**
 * Keeps the answers of `serac api` from going back. Its database may be several hosts, and a replica may have fewer blocks than the host that was
 * read before. So this reads the state of the index (`IndexState`: heights, version, server) with every read, and remembers the highest position
 * that a read has seen: the floor. A read that finds its host below the floor waits for the host, or goes to another one.
 * The floor rises, and is shared with the other API servers through Redis, before a reader gets what it has read: if this process dies right after
 * its answer, the process that replaces it knows the floor. Used by `watchIndexVersion` (index-version.ts) only.
 */
export function createServedState({
  hosts,
  query,
  timers,
  now,
  served,
  lowest,
}: {
  readonly hosts: Pick<DatabaseHosts, 'sql' | 'settledSql' | 'select' | 'changes' | 'readsPrimary'>;
  readonly query: VersionQuery;
  readonly timers: Pick<ClusterEnv['timers'], 'after'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Where the floor is shared with other API servers: Redis, if there is one. */
  readonly served: ServedPosition;
  /** The floor at first: height 0 for every indexed chain, because only chains that are in the floor are shared. */
  readonly lowest: ReadPosition;
}) {
  const floor = createFloor(served, lowest);
  const states = createStateReads(hosts.sql, query);
  const settledStates = createStateReads(hosts.settledSql, query);

  /**
   * Reads the state until the host has reached `wanted`, for `milliseconds` at most, and returns the last state either way. The primary is read once:
   * it has all there is.
   */
  const waitForHost = async (wanted: ReadPosition, milliseconds: number): Promise<IndexState> => {
    const until = now() + milliseconds;
    for (;;) {
      const state = await states.read();
      if (isAtLeast(state.position, wanted) || hosts.readsPrimary() || now() > until) return state;
      await sleep(timers, intervals.replicaPoll);
    }
  };

  /** Reads a state at or above `wanted`, if need be from another host, which is then read from now on. Rejects with DATABASE_BEHIND if no host has it. */
  const findState = async (wanted: ReadPosition): Promise<IndexState> => {
    const state = await waitForHost(wanted, intervals.replicaWait);
    if (isAtLeast(state.position, wanted)) return state;
    await hosts.select(joinPositions(floor.position(), wanted));
    const other = await states.read();
    if (isAtLeast(other.position, wanted)) return other;
    throw behind(wanted);
  };

  return {
    /** The highest position that was served, by this process or, as far as `exchange` has told, by another API server. */
    floor: floor.position,
    waitForHost,
    /**
     * Reads a state at or above `wanted`, and counts it as served. `wanted` need not have all of the floor (a caller may ask for one height only): then
     * the state may be below the floor elsewhere, and must not be used as the known version.
     */
    reach: async (wanted: ReadPosition): Promise<IndexState> => {
      const state = await findState(wanted);
      await floor.raise(state.position);
      return state;
    },
    /**
     * Runs queries, and counts the state after them as served. If the host was below the floor, its results show less than an earlier answer did: the
     * queries run again when the host has caught up or another one is read. Rejects with DATABASE_BEHIND if no host has the floor.
     */
    readWith: async (queries: readonly SqlQuery[]): Promise<StatedResults> => {
      const wanted = floor.position();
      let read = await states.readAfter(queries);
      if (!isAtLeast(read.state.position, wanted)) {
        await findState(wanted);
        read = await states.readAfter(queries);
        if (!isAtLeast(read.state.position, wanted)) throw behind(wanted);
      }
      await floor.raise(read.state.position);
      return read;
    },
    /** Runs queries of shards without reading the state, which the caller does later: see `ReadSql.groupOnWorkers`. */
    readUnchecked: hosts.sql.groupOnWorkers,
    /** Reads for answers that no later block changes: a host that has less than was served may give them too. `atLeast` comes first, then the reads. */
    settled: {
      /** Rejects with DATABASE_BEHIND unless the host has the block at a height, and all that was backfilled when the floor was served. */
      atLeast: async (height: number): Promise<void> => {
        const wanted = { heights: [height], revision: floor.position().revision };
        if (!isAtLeast((await settledStates.read()).position, wanted)) throw behind(wanted);
      },
      read: async (queries: readonly SqlQuery[]): Promise<readonly GroupResult[]> => {
        const { results, state } = await settledStates.readAfter(queries);
        await floor.raise(state.position);
        return results;
      },
    },
    /**
     * Exchanges floors with the other API servers through Redis: writes the floor again, in case Redis has lost it, and raises it to theirs. Returns
     * whether the floor has risen. Called at start and by every poll.
     */
    exchange: floor.exchange,
    /**
     * A number that grows whenever reads may go to another PostgreSQL server than before. An answer of several reads compares it before the first and
     * after the last of them: if it differs, the reads may not agree, and the answer is made again.
     */
    changes: (): number => hosts.changes() + states.serverChanges() + settledStates.serverChanges(),
    /** A number that differs if another indexer writes the index (see `IndexState`); 0 before the first read. Address backfills start anew then. */
    writer: (): number => states.last()?.writer ?? 0,
  };
}

/** The highest position that a read has seen, in this process and as far as it is known in the other API servers. `lowest`: the floor at first. */
function createFloor(served: ServedPosition, lowest: ReadPosition) {
  let floor = lowest;
  /** Pending while a higher floor is being written to Redis. */
  let sharing: Promise<void> | undefined;
  return {
    position: (): ReadPosition => floor,
    /** Raises the floor to a position. Resolves when the floor is in Redis (or Redis does not answer), also if another read has raised it. */
    raise: async (position: ReadPosition): Promise<void> => {
      if (!isAtLeast(floor, position)) {
        floor = joinPositions(floor, position);
        const started = served.record(floor).finally(() => {
          if (sharing === started) sharing = undefined;
        });
        sharing = started;
      }
      if (sharing !== undefined) await sharing;
    },
    /** See `exchange` of the served state. */
    exchange: async (): Promise<boolean> => {
      const others = await served.share(floor);
      if (isAtLeast(floor, others)) return false;
      floor = joinPositions(floor, others);
      return true;
    },
  };
}

/** Reads the state of the index from the host that is read now, and counts how often the server behind it has changed. */
function createStateReads(sql: DatabaseHosts['sql'], query: VersionQuery) {
  let last: IndexState | undefined;
  let serverChanges = 0;
  const note = (state: IndexState): IndexState => {
    if (last !== undefined && last.server !== state.server) serverChanges++;
    last = state;
    return state;
  };
  /** Runs queries, and reads the state after them in the same round trip: the state has all that the queries have seen. */
  const readAfter = async (queries: readonly SqlQuery[]): Promise<StatedResults> => {
    const { results, last: stateRow } = await sql.groupThen(queries, query);
    return { results, state: note(query.stateOf(stateRow)) };
  };
  return {
    /** As a group without queries, because Citus would plan a statement of its own each time, which takes its coordinator ten times as long. */
    read: async (): Promise<IndexState> => (await readAfter([])).state,
    readAfter,
    /** The state that was read last. */
    last: (): IndexState | undefined => last,
    /**
     * How often a state came from another server than the one before it. This finds what `hosts.changes` cannot: a failover behind the name of one host.
     * A change of the host counts in both, which is harmless: callers only compare the sum before and after.
     */
    serverChanges: (): number => serverChanges,
  };
}

/** What `readWith` returns: the results of queries, and the state of the index that was read after them. */
type StatedResults = { readonly results: readonly GroupResult[]; readonly state: IndexState };

/** The error of a read that no host can serve. It names the height of the first chain, which is the X-Chain: callers ask for heights of that one. */
export const behind = ({ heights }: ReadPosition) =>
  new PostgresError(`no host of the database has height ${heights[0]} yet`, { code: 'DATABASE_BEHIND', reason: 'behind' });
