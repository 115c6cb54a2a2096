import { coalesce } from '../../api/rest/coalesce.ts';
import type { ReadConsistency } from '../../api/rest/read-consistency.ts';
import type { ChainVersion } from '../../api/rest/response-cache.ts';
import type { GroupResult, Sql, SqlQuery } from '../../ledger/index/sql.ts';
import type { PinnedBlock } from '../../ledger/index-read/index-reads.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import { isAtLeast, type ReadPosition } from '../hosts/read-position.ts';
import type { ServedPosition } from '../hosts/served-position.ts';
import type { PostgresDialect } from '../postgres/postgres.ts';
import { listenForBlocks } from './block-notifications.ts';
import { behind, createServedState, type ServedState } from './served-state.ts';
import type { IndexState, VersionQuery } from './version-query.ts';

/**
 * Milliseconds between two polls. `unnotified`: no notifications arrive, so only the poll makes the listeners (event streams; see `onChange`) look for
 * new blocks. `notified`: notifications arrive, and the poll finds what was missed if their connection was lost without a sign.
 */
const pollIntervals = { unnotified: 250, notified: 1000 } as const;

export type IndexVersion = ReturnType<typeof watchIndexVersion>;

/**
 * The version of the index that cached responses depend on, for `serac api`: `openPostgresSource` calls this once. A version is `tip`, the IDs of the
 * last blocks of all chains, and `past`, the backfill revision: a counter (`revision` in a position) that grows when something is stored that is in no
 * block, such as outputs that were fetched for an address, and when another indexer begins to write. Three things work together:
 * - the served state (served-state.ts): every read is followed by a read of the version, and the highest position that was read is the floor, below
 *   which no later read may be;
 * - notifications (block-notifications.ts): the indexer announces new blocks;
 * - the known version (below): from the moment the version was read until the next notification it is known without a query.
 * So neither the known version nor the floor is ever below what was answered. Between the commit of a block and its notification, requests may still
 * use the version from before the block.
 */
export function watchIndexVersion({
  hosts,
  listen,
  query,
  timers,
  now,
  served,
  lowest,
  dialect = 'postgres',
}: {
  readonly hosts: Pick<DatabaseHosts, 'sql' | 'settledSql' | 'select' | 'changes' | 'readsPrimary' | 'primaryPosition'>;
  readonly listen: DatabaseHosts['listen'];
  readonly query: VersionQuery;
  readonly timers: Pick<ClusterEnv['timers'], 'after'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly served: ServedPosition;
  /** The floor at first: height 0 for every indexed chain. */
  readonly lowest: ReadPosition;
  readonly dialect?: PostgresDialect;
}) {
  const state = createServedState({ hosts, query, timers, now, served, lowest });
  const known = createKnownVersion(state);
  const listeners = new Set<() => void>();
  const callListeners = (): void => {
    for (const listener of listeners) listener();
  };
  const notifications = listenForBlocks({
    hosts,
    listen,
    waitForHost: state.waitForHost,
    // Called at a notification, again after the wait for the replica if one is read, and when the connection for notifications is lost.
    onOutdated: known.forget,
    // Called when the host that is read has the announced blocks, or did not get them in time.
    onReached: callListeners,
  });

  const { reach, sql } = createVersionReads(state, known, notifications.covers, dialect);
  /** Reads the version that is current now. Calls at the same time share one query. */
  const readNew = coalesce(() => reach(state.floor()));

  /** Learns what the other API servers have served. Never rejects: without an answer of Redis nothing is learned. */
  const exchangeServed = async (): Promise<void> => {
    if (await state.exchange()) known.forget();
  };
  const stopPolling = startPolling(timers, notifications.isListening, () => {
    // Checks a known version. If none is known, as always without notifications, the next request reads it.
    if (known.current() !== undefined) readNew().catch(() => undefined);
    void exchangeServed();
    callListeners();
  });

  return {
    /** Returns the known version, or reads it. The response cache calls it for every request. Rejects with DATABASE_BEHIND while no host has the floor. */
    read: async (): Promise<ChainVersion> => known.current()?.version ?? readNew(),
    /**
     * The database for all other reads. The version is read after each of them, in the same round trip, and what they have seen counts as served
     * before they return. They reject with DATABASE_BEHIND while no host has the floor.
     */
    sql,
    /** The database for answers that no later block changes; see `ReadConsistency.settledAt`. */
    settledSql: sqlOfGroups(state.settled.read, dialect),
    /**
     * The last block of a chain (by its place in `IndexState.tips`) while the version is known: lists begin at it without another query. The same
     * object only as long as the whole index is the same: read-spent-since.ts compares objects to see that nothing was stored since. Undefined while
     * no version is known (always, without notifications), and if another server may have been read since.
     */
    recentTip: known.recentTip,
    /**
     * Calls `listener` when blocks may have been added: after a notification and at every poll. Returns a function that ends this. Used by the event
     * streams (api-events.ts), which then look for new blocks.
     */
    onChange: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Keeps the answers that one caller gets from going back. */
    consistency: createReadConsistency({ state, readNew, reach, primaryPosition: hosts.primaryPosition }),
    /** Waits until reads see all that the primary has now: an address backfill has just stored something there. */
    reachPrimary: async (): Promise<void> => {
      if (!hosts.readsPrimary()) await reach(await hosts.primaryPosition());
    },
    /** A number that differs if another indexer writes the index: indexer-backfill.ts then requests address backfills anew. */
    writer: state.writer,
    /** The highest position that was served. `openPostgresSource` passes it to the hosts, which are chosen by it. */
    floor: state.floor,
    /** Called once before the first request: takes over the floor that other API servers, or an earlier process, have left in Redis. */
    start: exchangeServed,
    stop: (): void => {
      notifications.stop();
      stopPolling();
    },
  };
}

/** Calls `onPoll` again and again, more often while no notifications arrive. Returns a function that ends this. */
function startPolling(timers: Pick<ClusterEnv['timers'], 'after'>, isListening: () => boolean, onPoll: () => void): () => void {
  let cancel = (): void => {};
  const poll = (): void => {
    cancel = timers.after(isListening() ? pollIntervals.notified : pollIntervals.unnotified, () => {
      onPoll();
      poll();
    });
  };
  poll();
  return () => cancel();
}

/** `readNew`: reads the version that is current now. `reach`: reads one at or above a position. */
function createReadConsistency({
  state,
  readNew,
  reach,
  primaryPosition,
}: {
  readonly state: Pick<ServedState, 'floor' | 'changes' | 'settled'>;
  readonly readNew: () => Promise<unknown>;
  readonly reach: (wanted: ReadPosition) => Promise<unknown>;
  readonly primaryPosition: DatabaseHosts['primaryPosition'];
}): ReadConsistency {
  const readPrimaryPosition = coalesce(() => primaryPosition());
  return {
    atLeast: async (height) => {
      // Only the X-Chain, which is the first chain: a position with fewer heights wants nothing of the other chains.
      const wanted = { heights: [height], revision: 0 };
      if (isAtLeast(state.floor(), wanted)) return;
      await readNew();
      if (isAtLeast(state.floor(), wanted)) return;
      // If the primary does not have the block either, waiting for a replica is useless.
      const primary = await readPrimaryPosition().catch(() => undefined);
      if (primary !== undefined && !isAtLeast(primary, wanted)) throw behind(wanted);
      await reach(wanted);
    },
    settledAt: state.settled.atLeast,
    changes: state.changes,
    height: () => state.floor().heights[0] ?? 0,
  };
}

/**
 * Reads after which the version is known. `covers` says whether a state at a position is the newest one until the next notification: notifications
 * arrive, and the state has all that they have announced.
 */
function createVersionReads(
  state: ServedState,
  known: KnownVersion,
  covers: (position: ReadPosition) => boolean,
  dialect: PostgresDialect,
) {
  /** Runs a read that returns the state it has seen, and makes the version of that state the known one. */
  const learnFrom = async <T extends { readonly state: IndexState }>(read: () => Promise<T>): Promise<T> => {
    const learn = known.startReading();
    try {
      const result = await read();
      if (covers(result.state.position)) learn(result.state);
      return result;
    } catch (error) {
      // The database does not answer, or no host has the floor: the next request must read the version, not use one that may be outdated.
      known.forget();
      throw error;
    }
  };
  /** Groups of queries after which the state was not read, and how many of these it was read after since. */
  let [unchecked, covered] = [0, 0];
  const readGroup = async (queries: readonly SqlQuery[]): Promise<readonly GroupResult[]> => {
    const before = unchecked;
    const { results } = await learnFrom(() => state.readWith(queries));
    covered = Math.max(covered, before);
    return results;
  };
  const readUnchecked = async (queries: readonly SqlQuery[]): Promise<readonly GroupResult[]> => {
    const results = await state.readUnchecked(queries);
    if (results === undefined) return readGroup(queries);
    unchecked++;
    return results;
  };
  const check = coalesce(() => readGroup([]));
  const [sql, uncheckedSql] = [sqlOfGroups(readGroup, dialect), sqlOfGroups(readUnchecked, dialect)];
  const checkAtEnd: NonNullable<Sql['checkAtEnd']> = async (read) => {
    const before = state.changes();
    const [outcome] = await Promise.allSettled([read(uncheckedSql)]);
    if (covered < unchecked) await check();
    // Rows from where a shard was before may be old, and also lead to an error.
    if (state.changes() !== before) return read(sql);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
  return {
    /** Reads the version of a state at or above `wanted`. */
    reach: async (wanted: ReadPosition): Promise<ChainVersion> => {
      const reached = await learnFrom(async () => ({ state: await state.reach(wanted) }));
      return reached.state.version;
    },
    sql: dialect === 'citus' ? { ...sql, checkAtEnd } : sql,
  };
}

const sqlOfGroups = (readGroup: NonNullable<Sql['group']>, dialect: PostgresDialect): Sql => ({
  dialect,
  all: async <Row>(text: string, values: SqlQuery['values']) => {
    const [result] = (await readGroup([{ text, values }])) as readonly [GroupResult];
    if (result.status === 'rejected') throw result.reason;
    return result.value as Row[];
  },
  group: readGroup,
});

type KnownVersion = ReturnType<typeof createKnownVersion>;

/**
 * Remembers the version from the moment it was read until it is forgotten. A version below the floor is not used either: another read (such as
 * `atLeast`, for a caller who has seen a later block) has raised the floor, and its version is not remembered yet.
 */
function createKnownVersion({ changes, floor }: Pick<ServedState, 'changes' | 'floor'>) {
  /** `changes`: the number of changes of the server when the state was read. */
  let known: (IndexState & { readonly changes: number }) | undefined;
  /** How often the version was forgotten. If it was during a read, the state that this read has seen may be outdated. */
  let forgotten = 0;
  const current = (): typeof known => (known !== undefined && isAtLeast(known.position, floor()) ? known : undefined);
  /** Keeps the same object as long as it is the same version on the same server, for `recentTip`, which returns one of its `tips` (last blocks). */
  const remember = (state: IndexState): void => {
    const { tip, past } = state.version;
    const isSame = known?.version.tip === tip && known.version.past === past && known.changes === changes();
    if (!isSame && isAtLeast(state.position, floor())) known = { ...state, changes: changes() };
  };
  return {
    current,
    forget: (): void => {
      forgotten++;
      known = undefined;
    },
    /** Called before a read. Returns a function to call with the state that the read has seen, which is dropped if `forget` was called during the read. */
    startReading: (): ((state: IndexState) => void) => {
      const before = forgotten;
      return (state) => {
        if (forgotten === before) remember(state);
      };
    },
    recentTip: (chain: number): PinnedBlock | undefined => {
      const found = current();
      return found?.changes === changes() ? found.tips[chain] : undefined;
    },
  };
}
