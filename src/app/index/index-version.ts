import { coalesce } from '../../api/rest/coalesce.ts';
import type { ReadConsistency, ReadMark } from '../../api/rest/read-consistency.ts';
import type { ChainVersion } from '../../api/rest/response-cache.ts';
import { sleep } from '../../base/timing/sleep.ts';
import type { Sql } from '../../ledger/index/sql.ts';
import { blocksChannel } from '../../ledger/index-postgres/postgres-chain.ts';
import type { PinnedBlock } from '../../ledger/index-read/index-reads.ts';
import type { DatabaseHosts } from '../database/database-hosts.ts';
import { isAtLeast, joinPositions, type ReadPosition, startPosition } from '../database/read-position.ts';
import type { ServedPosition } from '../database/served-position.ts';
import { PostgresError } from '../platform/postgres-fault.ts';
import type { Env } from '../setup/env.ts';

/** The state of the index on one host. */
export type IndexState = {
  readonly version: ChainVersion;
  readonly position: ReadPosition;
  /** The last block of every chain. */
  readonly tips: readonly PinnedBlock[];
  /** Changes when another indexer begins to write. */
  readonly writer: number;
  /** Changes when another server answers under the same name: after a restart, or a failover behind a pooler. */
  readonly server: number;
};

/** The version of the index that cached responses depend on, known without a query while this process is notified of every change. */
export type IndexVersion = ReadConsistency & {
  /** Returns the known version, or reads it. Rejects with DATABASE_BEHIND while no host has what was served. */
  readonly read: () => ChainVersion | Promise<ChainVersion>;
  /** The database for all other reads. What it returns may be newer than the version: only what was confirmed may be sent. */
  readonly sql: Sql;
  /**
   * The last block of a chain, by its place in `tips`, from the last read of the version until the next notification: lists begin at it without
   * another query. Undefined if nothing notifies, or another host is read since.
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
  readonly query: (sql: Sql) => Promise<IndexState>;
  readonly timers: Pick<Env['timers'], 'after'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly served: ServedPosition;
  /** The lowest position, with as many heights as there are chains. */
  readonly floor: ReadPosition;
};

/**
 * Knows the version from the moment it was read until the next notification or a lost connection. Whatever this process answers is confirmed by
 * a read of the version after it: so neither the known version nor the floor is ever below what was answered. Other requests may meanwhile use
 * the version that was known before.
 */
export function watchIndexVersion(deps: IndexVersionDeps): IndexVersion {
  const { hosts, timers } = deps;
  const listeners = new Set<() => void>();
  const states = createStateReader(deps);
  /** What the last read of the version found; outdated if more was served since, for example because a caller brought a height. */
  let known: KnownVersion | undefined;
  /** Counts the moments at which a read of the version that had begun became outdated. */
  let changes = 0;
  /** Other reads that were begun, and that have ended. */
  let [reads, endedReads] = [0, 0];
  /** The last read of the version, and how many other reads had ended when it began. */
  let lastRead: { readonly endedReads: number; readonly result: Promise<ChainVersion> } | undefined;
  const { servers, floor } = states;
  const hasChanged = ({ changes: before }: ReadMark): boolean => before !== servers();
  const current = (): KnownVersion | undefined => (known?.floor === floor() ? known : undefined);
  const forget = (): void => {
    changes++;
    known = undefined;
  };
  const callListeners = (): void => {
    for (const listener of listeners) listener();
  };

  const readVersion = async (): Promise<ChainVersion> => {
    const before = changes;
    try {
      const { version, position, tips } = await states.reach(floor());
      if (notifications.cover(position) && before === changes) known = { version, tips, servers: servers(), floor: floor() };
      return version;
    } catch (error) {
      forget();
      throw error;
    }
  };
  const readNew = coalesce(() => {
    lastRead = { endedReads, result: readVersion() };
    return lastRead.result;
  });
  /** A read of the version that began after all other reads that have ended: the last one, or a new one. */
  const readConfirming = (): Promise<ChainVersion> => (lastRead?.endedReads === endedReads ? lastRead.result : readNew());
  const primaryPosition = coalesce(() => hosts.primaryPosition());
  const notifications = listenForBlocks(deps, states, { onOutdated: forget, onReached: callListeners });

  const shareServed = async (): Promise<void> => {
    if (await states.shareServed()) forget();
  };
  let cancel = (): void => {};
  const poll = (): void => {
    cancel = timers.after(notifications.isListening() ? intervals.poll : intervals.pollUnnotified, () => {
      if (known !== undefined) readNew().catch(() => undefined);
      void shareServed();
      callListeners();
      poll();
    });
  };
  poll();

  return {
    read: () => current()?.version ?? readNew(),
    sql: {
      dialect: 'postgres',
      all: async (text, values) => {
        reads++;
        try {
          return await hosts.sql.all(text, values);
        } finally {
          endedReads++;
        }
      },
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    atLeast: (height) => {
      if (height <= (floor().heights[0] ?? 0)) return undefined;
      return (async () => {
        const wanted = { heights: [height], revision: 0 };
        await readNew();
        if (isAtLeast(floor(), wanted)) return;
        const primary = await primaryPosition().catch(() => undefined);
        if (primary !== undefined && !isAtLeast(primary, wanted)) throw behind(wanted);
        await states.reach(wanted);
      })();
    },
    recentTip: (chain) => {
      const found = current();
      return found?.servers === servers() ? found.tips[chain] : undefined;
    },
    begin: () => ({ changes: servers(), reads }),
    confirm: async (mark) => {
      if (mark.reads !== reads) await readConfirming();
      return !hasChanged(mark);
    },
    hasChanged,
    height: () => floor().heights[0] ?? 0,
    reachPrimary: async () => {
      if (!hosts.readsPrimary()) await states.reach(await hosts.primaryPosition());
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

type KnownVersion = {
  readonly version: ChainVersion;
  readonly tips: readonly PinnedBlock[];
  /** How often the server had changed, and what was served, when it was read. */
  readonly servers: number;
  readonly floor: ReadPosition;
};

/** Reads the state of the index from a host that has what is wanted; whatever was read is then served. */
function createStateReader({ hosts, query, timers, now, served, floor: lowest }: IndexVersionDeps) {
  let floor = lowest;
  let last: IndexState | undefined;
  let serverChanges = 0;
  const read = async (): Promise<IndexState> => {
    const state = await query(hosts.sql);
    if (last !== undefined && last.server !== state.server) serverChanges++;
    last = state;
    return state;
  };
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
  return {
    waitFor,
    /** Reads another host if the one that is read does not have what is wanted. */
    reach: async (wanted: ReadPosition): Promise<IndexState> => {
      const state = await find(wanted);
      if (isAtLeast(floor, state.position)) return state;
      floor = joinPositions(floor, state.position);
      await served.record(floor);
      return state;
    },
    /** What was served, by this process or another: the same object until it rises. */
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
