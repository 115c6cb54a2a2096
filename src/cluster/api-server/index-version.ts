import { coalesce } from '../../api/rest/coalesce.ts';
import type { ReadConsistency } from '../../api/rest/read-consistency.ts';
import type { ChainVersion } from '../../api/rest/response-cache.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { GroupResult, Sql, SqlQuery } from '../../ledger/index/sql.ts';
import type { PinnedBlock } from '../../ledger/index-read/index-reads.ts';
import { blocksChannel } from '../chain/postgres-chain.ts';
import type { ClusterEnv } from '../cluster-env.ts';
import type { DatabaseHosts } from '../hosts/database-hosts.ts';
import { isAtLeast, joinPositions, type ReadPosition, startPosition } from '../hosts/read-position.ts';
import type { ServedPosition } from '../hosts/served-position.ts';
import { PostgresError } from '../postgres/postgres-fault.ts';
import type { IndexState, VersionQuery } from './version-query.ts';

/** The version of the index that cached responses depend on, known without a query while this process is notified of every change. */
export type IndexVersion = ReadConsistency & {
  /** Returns the known version, or reads it. Rejects with DATABASE_BEHIND while no host has what was served. */
  readonly read: () => Promise<ChainVersion>;
  /**
   * The database for all other reads. The version is read after each of them, in the same round trip, and what they have seen counts as served
   * before they return. They reject with DATABASE_BEHIND if the host has less than was served before.
   */
  readonly sql: Sql;
  /**
   * The last block of a chain, by its place in `tips`, from the last read of the version until the next notification: lists begin at it without
   * another query. The same object as long as the whole index is the same. Undefined if nothing notifies, or another host is read since.
   */
  readonly recentTip: (chain: number) => PinnedBlock | undefined;
  /** Calls `listener` when blocks may have been added. Returns a function that ends this. */
  readonly onChange: (listener: () => void) => () => void;
  /** Waits until reads see all that the primary has now. */
  readonly reachPrimary: () => Promise<void>;
  /** The last known `writer` of `IndexState`. */
  readonly writer: () => number;
  /** What was served, by this process or another. */
  readonly floor: () => ReadPosition;
  /** Learns what other processes have served. */
  readonly start: () => Promise<void>;
  readonly stop: () => void;
};

/**
 * Milliseconds: between two reads without a notification, since a connection may be lost without a sign of it; the same if nothing notifies;
 * how long a replica that is behind is waited for, before the primary is read; and between two looks at it.
 */
const intervals = { poll: 1000, pollUnnotified: 250, replicaWait: 250, replicaPoll: 20 } as const;

type IndexVersionDeps = {
  readonly hosts: Pick<DatabaseHosts, 'sql' | 'select' | 'changes' | 'readsPrimary' | 'primaryPosition'>;
  readonly listen: DatabaseHosts['listen'];
  readonly query: VersionQuery;
  readonly timers: Pick<ClusterEnv['timers'], 'after'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly served: ServedPosition;
  /** The lowest position, with as many heights as there are chains. */
  readonly floor: ReadPosition;
};

/**
 * Knows the version from the moment it was read until the next notification or a lost connection. The version is read after whatever this process
 * reads: so neither the known version nor the floor is ever below what was answered. Other requests may meanwhile use the version that was known
 * before.
 */
export function watchIndexVersion(deps: IndexVersionDeps): IndexVersion {
  const { hosts, timers } = deps;
  const listeners = new Set<() => void>();
  const states = createStateReader(deps);
  const { servers, floor } = states;
  const known = createKnownVersion(states);
  const { forget } = known;
  const callListeners = (): void => {
    for (const listener of listeners) listener();
  };

  /** Reads the version, and what `read` returns with it. */
  const readVersion = async <T extends { readonly state: IndexState }>(read: (floor: ReadPosition) => Promise<T>): Promise<T> => {
    const before = known.changes();
    try {
      const result = await read(floor());
      known.learn(result.state, before, notifications.cover(result.state.position));
      return result;
    } catch (error) {
      forget();
      throw error;
    }
  };
  const reach = async (wanted: ReadPosition): Promise<ChainVersion> =>
    (await readVersion(async () => ({ state: await states.reach(wanted) }))).state.version;
  const readNew = coalesce(() => reach(floor()));
  const readGroup = async (queries: readonly SqlQuery[]): Promise<readonly GroupResult[]> => {
    const { results } = await readVersion((wanted) => states.readWith(queries, wanted));
    return results;
  };
  const notifications = listenForBlocks(deps, states, { onOutdated: forget, onReached: callListeners });

  const shareServed = async (): Promise<void> => {
    if (await states.shareServed()) forget();
  };
  let cancel = (): void => {};
  const poll = (): void => {
    cancel = timers.after(notifications.isListening() ? intervals.poll : intervals.pollUnnotified, () => {
      if (known.current() !== undefined) readNew().catch(() => undefined);
      void shareServed();
      callListeners();
      poll();
    });
  };
  poll();

  return {
    read: async () => known.current()?.version ?? readNew(),
    sql: {
      dialect: 'postgres',
      all: async <Row>(text: string, values: SqlQuery['values']) => {
        const [result] = (await readGroup([{ text, values }])) as readonly [GroupResult];
        if (result.status === 'rejected') throw result.reason;
        return result.value as Row[];
      },
      group: readGroup,
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    atLeast: waitForHeights(hosts, floor, { readNew, reach }),
    recentTip: known.recentTip,
    changes: servers,
    height: () => floor().heights[0] ?? 0,
    reachPrimary: async () => {
      if (!hosts.readsPrimary()) await reach(await hosts.primaryPosition());
    },
    writer: states.writer,
    floor,
    start: shareServed,
    stop: () => {
      notifications.stop();
      cancel();
    },
  };
}

/** Returns a function that waits until a height can be read; it rejects if the primary does not have it. */
function waitForHeights(
  hosts: Pick<DatabaseHosts, 'primaryPosition'>,
  floor: () => ReadPosition,
  { readNew, reach }: { readonly readNew: () => Promise<unknown>; readonly reach: (wanted: ReadPosition) => Promise<unknown> },
): ReadConsistency['atLeast'] {
  const primaryPosition = coalesce(() => hosts.primaryPosition());
  const waitFor = async (wanted: ReadPosition): Promise<void> => {
    await readNew();
    if (isAtLeast(floor(), wanted)) return;
    const primary = await primaryPosition().catch(() => undefined);
    if (primary !== undefined && !isAtLeast(primary, wanted)) throw behind(wanted);
    await reach(wanted);
  };
  return async (height) => {
    if (height > (floor().heights[0] ?? 0)) await waitFor({ heights: [height], revision: 0 });
  };
}

/**
 * The version, from the moment it was read until it may be outdated, or more was served, for example because a caller brought a height. It is the
 * same object as long as it is the same version.
 */
function createKnownVersion({ servers, floor }: Pick<ReturnType<typeof createStateReader>, 'servers' | 'floor'>) {
  let known: (IndexState & { readonly servers: number }) | undefined;
  /** Counts the moments at which a read of the version that had begun became outdated. */
  let changes = 0;
  const current = () => (known !== undefined && isAtLeast(known.position, floor()) ? known : undefined);
  return {
    current,
    changes: () => changes,
    forget: (): void => {
      changes++;
      known = undefined;
    },
    /** Called with a state that was read after `before` changes. States may arrive in another order than they were read in. */
    learn: (state: IndexState, before: number, isCovered: boolean): void => {
      const { version, position } = state;
      const isSame = known?.version.tip === version.tip && known.version.past === version.past && known.servers === servers();
      if (!isSame && isCovered && before === changes && isAtLeast(position, floor())) known = { ...state, servers: servers() };
    },
    recentTip: (chain: number): PinnedBlock | undefined => {
      const found = current();
      return found?.servers === servers() ? found.tips[chain] : undefined;
    },
  };
}

/** Reads the state of the index from a host that has what is wanted; whatever was read is then served. */
function createStateReader({ hosts, query, timers, now, served, floor: lowest }: IndexVersionDeps) {
  let floor = lowest;
  let last: IndexState | undefined;
  let serverChanges = 0;
  /** Runs while a higher floor is being recorded. */
  let recording: Promise<void> | undefined;
  const learn = (state: IndexState): IndexState => {
    if (last !== undefined && last.server !== state.server) serverChanges++;
    last = state;
    return state;
  };
  const read = async (): Promise<IndexState> => learn(await query.read(hosts.sql));
  /** Waits for the host that is read, as long as it is a replica, and not longer than `wait`. */
  const waitFor = async (wanted: ReadPosition, wait: number): Promise<IndexState> => {
    const until = now() + wait;
    for (;;) {
      const state = await read();
      if (isAtLeast(state.position, wanted) || hosts.readsPrimary() || now() > until) return state;
      await sleep(timers, intervals.replicaPoll);
    }
  };
  const find = async (wanted: ReadPosition): Promise<IndexState> => {
    const state = await waitFor(wanted, intervals.replicaWait);
    if (isAtLeast(state.position, wanted)) return state;
    await hosts.select(joinPositions(floor, wanted));
    const other = await read();
    if (isAtLeast(other.position, wanted)) return other;
    throw behind(wanted);
  };
  /** Counts a state as served. */
  const serve = async (state: IndexState): Promise<IndexState> => {
    if (!isAtLeast(floor, state.position)) {
      floor = joinPositions(floor, state.position);
      const started = served.record(floor).finally(() => {
        if (recording === started) recording = undefined;
      });
      recording = started;
    }
    if (recording !== undefined) await recording;
    return state;
  };
  return {
    waitFor,
    /** Reads another host if the one that is read does not have what is wanted. */
    reach: async (wanted: ReadPosition): Promise<IndexState> => serve(await find(wanted)),
    /** Runs queries, and reads the state after them. */
    readWith: async (queries: readonly SqlQuery[], wanted: ReadPosition) => {
      const { results, last: rows } = await hosts.sql.groupThen(queries, query);
      const state = learn(query.stateOf(rows));
      return { results, state: await serve(isAtLeast(state.position, wanted) ? state : await find(wanted)) };
    },
    /** What was served, by this process or another. */
    floor: () => floor,
    /** Other processes may have served more; and Redis may have lost what it had. Returns whether they have. */
    shareServed: async (): Promise<boolean> => {
      const others = await served.share(floor);
      if (isAtLeast(floor, others)) return false;
      floor = joinPositions(floor, others);
      return true;
    },
    /** Counts the moments since which another server may be read. */
    servers: (): number => hosts.changes() + serverChanges,
    writer: () => last?.writer ?? 0,
  };
}

type BlockEvents = {
  /** What was read before may be outdated. */
  readonly onOutdated: () => void;
  /** The host that is read has what was announced, or does not have it in time. */
  readonly onReached: () => void;
};

/** Listens for new blocks, which the primary announces. A replica has them a little later. */
function listenForBlocks({ hosts, listen }: IndexVersionDeps, states: ReturnType<typeof createStateReader>, events: BlockEvents) {
  /** What the primary had at the last notification: until the host that is read has it too, the version is not known. */
  let announced = startPosition;
  let isListening = false;
  /** Notifications whose position is being read. */
  let announcements = 0;
  const announce = coalesce(async () => {
    announced = joinPositions(announced, await hosts.primaryPosition());
    await states.waitFor(announced, intervals.poll);
  });
  const stop = listen(blocksChannel, {
    onNotify: () => {
      isListening = true;
      events.onOutdated();
      if (hosts.readsPrimary()) return events.onReached();
      announcements++;
      void announce()
        .catch(() => undefined)
        .then(() => {
          announcements--;
          events.onOutdated();
          events.onReached();
        });
    },
    onLost: () => {
      isListening = false;
      events.onOutdated();
    },
  });
  return {
    isListening: () => isListening,
    /** Whether a state at this position has all that was announced, and everything is announced. */
    cover: (position: ReadPosition): boolean => isListening && announcements === 0 && isAtLeast(position, announced),
    stop,
  };
}

const behind = ({ heights }: ReadPosition) =>
  new PostgresError(`no host of the database has height ${heights[0]} yet`, { code: 'DATABASE_BEHIND', reason: 'behind' });
