import { sleep } from '../../base/timing/sleep.ts';
import type { GroupResult, SqlQuery } from '../../ledger/index/sql.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import { isAtLeast, joinPositions, type ReadPosition } from '../hosts/read-position.ts';
import type { ServedPosition } from '../hosts/served-position.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';
import type { IndexState, VersionQuery } from './version-query.ts';

/** Milliseconds: how long a replica that is behind is waited for, before another host is read; and between two looks at it. */
const intervals = { replicaWait: 250, replicaPoll: 20 } as const;

export type ServedState = ReturnType<typeof createServedState>;

/**
 * Reads the state of the index, and remembers how much of it was served: the floor. A state counts as served before its reader gets it. Reads that
 * find a host below the floor read another one, so no answer shows less than an earlier one did. Used by `watchIndexVersion`.
 */
export function createServedState({
  hosts,
  query,
  timers,
  now,
  served,
  lowest,
}: {
  readonly hosts: Pick<DatabaseHosts, 'sql' | 'select' | 'changes' | 'readsPrimary'>;
  readonly query: VersionQuery;
  readonly timers: Pick<ClusterEnv['timers'], 'after'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Where the floor is shared with other processes. */
  readonly served: ServedPosition;
  /** The lowest position, with as many heights as there are chains. */
  readonly lowest: ReadPosition;
}) {
  let floor = lowest;
  let lastState: IndexState | undefined;
  /** How often another server answered under the name of the host that is read. */
  let serverChanges = 0;
  /** Runs while a higher floor is being shared. */
  let sharing: Promise<void> | undefined;

  const noteServer = (state: IndexState): IndexState => {
    if (lastState !== undefined && lastState.server !== state.server) serverChanges++;
    lastState = state;
    return state;
  };
  const readState = async (): Promise<IndexState> => noteServer(await query.read(hosts.sql));

  /** Reads the state until the host has what is wanted; at most for `milliseconds`, and once if it is the primary, which has all there is. */
  const waitForHost = async (wanted: ReadPosition, milliseconds: number): Promise<IndexState> => {
    const until = now() + milliseconds;
    for (;;) {
      const state = await readState();
      if (isAtLeast(state.position, wanted) || hosts.readsPrimary() || now() > until) return state;
      await sleep(timers, intervals.replicaPoll);
    }
  };

  /** Reads a state that has what is wanted, from another host if need be. Rejects with DATABASE_BEHIND if no host has it. */
  const findState = async (wanted: ReadPosition): Promise<IndexState> => {
    const state = await waitForHost(wanted, intervals.replicaWait);
    if (isAtLeast(state.position, wanted)) return state;
    await hosts.select(joinPositions(floor, wanted));
    const other = await readState();
    if (isAtLeast(other.position, wanted)) return other;
    throw behind(wanted);
  };

  /** Raises the floor to a state. Resolves when other processes can know it. */
  const serve = async (state: IndexState): Promise<IndexState> => {
    if (!isAtLeast(floor, state.position)) {
      floor = joinPositions(floor, state.position);
      const started = served.record(floor).finally(() => {
        if (sharing === started) sharing = undefined;
      });
      sharing = started;
    }
    if (sharing !== undefined) await sharing;
    return state;
  };

  return {
    /** What was served, by this process or another. */
    floor: (): ReadPosition => floor,
    waitForHost,
    /** Reads a state that has what is wanted, and counts it as served. */
    reach: async (wanted: ReadPosition): Promise<IndexState> => serve(await findState(wanted)),
    /** Runs queries, reads the state after them in the same round trip, and counts it as served: it has all that they have seen. */
    readWith: async (queries: readonly SqlQuery[]): Promise<{ readonly results: readonly GroupResult[]; readonly state: IndexState }> => {
      const wanted = floor;
      const { results, last } = await hosts.sql.groupThen(queries, query);
      const state = noteServer(query.stateOf(last));
      return { results, state: await serve(isAtLeast(state.position, wanted) ? state : await findState(wanted)) };
    },
    /** Shares the floor again, in case Redis has lost it, and raises it to what other processes have served. Returns whether that is more. */
    exchange: async (): Promise<boolean> => {
      const others = await served.share(floor);
      if (isAtLeast(floor, others)) return false;
      floor = joinPositions(floor, others);
      return true;
    },
    /** Counts the moments since which another server may be read. */
    servers: (): number => hosts.changes() + serverChanges,
    /** The last known `writer` of `IndexState`. */
    writer: (): number => lastState?.writer ?? 0,
  };
}

export const behind = ({ heights }: ReadPosition) =>
  new PostgresError(`no host of the database has height ${heights[0]} yet`, { code: 'DATABASE_BEHIND', reason: 'behind' });
