import { coalesce } from '../../api/rest/coalesce.ts';
import type { ChainVersion } from '../../api/rest/response-cache.ts';
import type { GroupResult, Sql, SqlQuery } from '../../ledger/index/sql.ts';
import type { PinnedBlock } from '../../ledger/index-read/index-reads.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import { isAtLeast, type ReadPosition } from '../hosts/read-position.ts';
import type { ServedPosition } from '../hosts/served-position.ts';
import { listenForBlocks } from './block-notifications.ts';
import { behind, createServedState, type ServedState } from './served-state.ts';
import type { IndexState, VersionQuery } from './version-query.ts';

/** Milliseconds between two reads of the version: if nothing notifies, and else in case a connection was lost without a sign of it. */
const pollIntervals = { unnotified: 250, notified: 1000 } as const;

export type IndexVersion = ReturnType<typeof watchIndexVersion>;

/**
 * The version of the index that cached responses depend on, for `serac api`. Three things work together:
 * - the served state: every read is followed by a read of the version, and what was read once is the floor of all later reads;
 * - notifications: the indexer announces new blocks;
 * - the known version: from the moment it was read until the next notification it is known without a query.
 * So neither the known version nor the floor is ever below what was answered. Requests that run meanwhile may use the version that was known before.
 */
export function watchIndexVersion({
  hosts,
  listen,
  query,
  timers,
  now,
  served,
  floor: lowest,
}: {
  readonly hosts: Pick<DatabaseHosts, 'sql' | 'select' | 'changes' | 'readsPrimary' | 'primaryPosition'>;
  readonly listen: DatabaseHosts['listen'];
  readonly query: VersionQuery;
  readonly timers: Pick<ClusterEnv['timers'], 'after'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly served: ServedPosition;
  /** The lowest position, with as many heights as there are chains. */
  readonly floor: ReadPosition;
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
    onOutdated: known.forget,
    onReached: callListeners,
  });

  const { reach, sql } = createVersionReads(state, known, notifications.covers);
  const readNew = coalesce(() => reach(state.floor()));
  const readPrimaryPosition = coalesce(() => hosts.primaryPosition());

  const exchangeServed = async (): Promise<void> => {
    if (await state.exchange()) known.forget();
  };
  let cancelPoll = (): void => {};
  const poll = (): void => {
    cancelPoll = timers.after(notifications.isListening() ? pollIntervals.notified : pollIntervals.unnotified, () => {
      if (known.current() !== undefined) readNew().catch(() => undefined);
      void exchangeServed();
      callListeners();
      poll();
    });
  };
  poll();

  return {
    /** Returns the known version, or reads it. Rejects with DATABASE_BEHIND while no host has what was served. */
    read: async (): Promise<ChainVersion> => known.current()?.version ?? readNew(),
    /**
     * The database for all other reads. The version is read after each of them, in the same round trip, and what they have seen counts as served
     * before they return. They reject with DATABASE_BEHIND if the host has less than was served before.
     */
    sql,
    /**
     * The last block of a chain, by its place in `tips`, from the last read of the version until the next notification: lists begin at it without
     * another query. The same object as long as the whole index is the same. Undefined if nothing notifies, or another host is read since.
     */
    recentTip: known.recentTip,
    /** Calls `listener` when blocks may have been added. Returns a function that ends this. */
    onChange: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** See `ReadConsistency`. */
    atLeast: async (height: number): Promise<void> => {
      const wanted = { heights: [height], revision: 0 };
      if (isAtLeast(state.floor(), wanted)) return;
      await readNew();
      if (isAtLeast(state.floor(), wanted)) return;
      const primary = await readPrimaryPosition().catch(() => undefined);
      if (primary !== undefined && !isAtLeast(primary, wanted)) throw behind(wanted);
      await reach(wanted);
    },
    /** See `ReadConsistency`. */
    changes: state.servers,
    /** See `ReadConsistency`. */
    height: (): number => state.floor().heights[0] ?? 0,
    /** Waits until reads see all that the primary has now. */
    reachPrimary: async (): Promise<void> => {
      if (!hosts.readsPrimary()) await reach(await hosts.primaryPosition());
    },
    writer: state.writer,
    floor: state.floor,
    /** Learns what other processes have served. */
    start: exchangeServed,
    stop: (): void => {
      notifications.stop();
      cancelPoll();
    },
  };
}

/** Reads after which the version is known, unless it was outdated meanwhile. `covers`: see `listenForBlocks`. */
function createVersionReads(state: ServedState, known: KnownVersion, covers: (position: ReadPosition) => boolean) {
  /** Runs a read that returns the state it has seen. */
  const learnFrom = async <T extends { readonly state: IndexState }>(read: () => Promise<T>): Promise<T> => {
    const learn = known.startReading();
    try {
      const result = await read();
      if (covers(result.state.position)) learn(result.state);
      return result;
    } catch (error) {
      known.forget();
      throw error;
    }
  };
  const readGroup = async (queries: readonly SqlQuery[]): Promise<readonly GroupResult[]> => {
    const { results } = await learnFrom(() => state.readWith(queries));
    return results;
  };
  const sql: Sql = {
    dialect: 'postgres',
    all: async <Row>(text: string, values: SqlQuery['values']) => {
      const [result] = (await readGroup([{ text, values }])) as readonly [GroupResult];
      if (result.status === 'rejected') throw result.reason;
      return result.value as Row[];
    },
    group: readGroup,
  };
  return {
    /** Reads the version of a state that has what is wanted. */
    reach: async (wanted: ReadPosition): Promise<ChainVersion> => {
      const reached = await learnFrom(async () => ({ state: await state.reach(wanted) }));
      return reached.state.version;
    },
    sql,
  };
}

type KnownVersion = ReturnType<typeof createKnownVersion>;

/** Remembers the version from the moment it was read until it is forgotten, or the floor is above it because a caller brought a later height. */
function createKnownVersion({ servers, floor }: Pick<ServedState, 'servers' | 'floor'>) {
  let known: (IndexState & { readonly servers: number }) | undefined;
  /** How often the version was forgotten: what a read that began before has seen may be outdated. */
  let forgotten = 0;
  const current = (): typeof known => (known !== undefined && isAtLeast(known.position, floor()) ? known : undefined);
  /** Keeps the same object as long as it is the same version on the same server. */
  const remember = (state: IndexState): void => {
    const { tip, past } = state.version;
    const isSame = known?.version.tip === tip && known.version.past === past && known.servers === servers();
    if (!isSame && isAtLeast(state.position, floor())) known = { ...state, servers: servers() };
  };
  return {
    current,
    forget: (): void => {
      forgotten++;
      known = undefined;
    },
    /** Called before a read. Returns a function for the state that it has seen. Reads may end in another order than they began. */
    startReading: (): ((state: IndexState) => void) => {
      const before = forgotten;
      return (state) => {
        if (forgotten === before) remember(state);
      };
    },
    recentTip: (chain: number): PinnedBlock | undefined => {
      const found = current();
      return found?.servers === servers() ? found.tips[chain] : undefined;
    },
  };
}
