import { createLruMap } from '../../base/cache/lru-map.ts';
import {
  type ClientState,
  checkAndCount,
  countAdmitted,
  hasRoom,
  isExpired,
  type LimitDecision,
  type Limiter,
  type Limits,
  newClientState,
} from './rate-limit.ts';

/** Clients in memory. One takes about 0.8 KB, one that sends requests all the time 10 KB. */
const defaultMaxClients = 100_000;

export type MemoryLimiter = ReturnType<typeof createMemoryLimiter>;

/**
 * Counts the requests of this process only, in its memory. Drops clients whose counts have expired and, above `maxClients`, the least recently
 * used one.
 */
export function createMemoryLimiter({
  now,
  maxClients = defaultMaxClients,
}: {
  /** Milliseconds, preferably of a monotonic clock. */
  readonly now: () => number;
  /** Maximum number of clients in memory. */
  readonly maxClients?: number;
}) {
  const clients = createLruMap<ClientState>();

  const stateOf = (client: string, time: number): ClientState => {
    const known = clients.get(client);
    if (known !== undefined) return known;
    makeRoom(time);
    const state = newClientState();
    clients.set(client, state);
    return state;
  };

  /** Checks two clients for each new one, so that expired clients are dropped faster than new ones arrive. */
  const makeRoom = (time: number): void => {
    for (let checked = 0; checked < 2; checked++) {
      const oldest = clients.oldest();
      if (oldest === undefined || (clients.size() < maxClients && !isExpired(oldest.value, time))) return;
      clients.delete(oldest.key);
    }
  };

  return {
    /** Decides about a request and counts it, see `checkAndCount`. */
    take: (client: string, weight: number, limits: Limits): LimitDecision => {
      const time = now();
      return checkAndCount(stateOf(client, time), time, weight, limits);
    },
    /** Counts a request that another limiter has admitted. */
    countAdmitted: (client: string, weight: number): void => {
      const time = now();
      countAdmitted(stateOf(client, time), time, weight);
    },
    /** Whether a request of this weight would be within both limits. Counts nothing. */
    hasRoom: (client: string, weight: number, limits: Limits): boolean => {
      const state = clients.get(client);
      return state === undefined || hasRoom(state, now(), weight, limits);
    },
    clientCount: clients.size,
  };
}

/** The limiter of a process that shares its counts with no other. */
export const createOwnLimiter = (memory: MemoryLimiter): Limiter => ({
  take: async (client, weight, limits) => memory.take(client, weight, limits),
});

/**
 * Admits this process's share of a limit while the processes cannot share their counts. Every request is counted `processes` times, in
 * addition to what all of them admitted before. So each process admits an equal part of what was left, and all together admit no more than
 * that. A limit lower than `processes` admits nothing.
 */
export function takeShare(limiter: MemoryLimiter, processes: number, client: string, weight: number, limits: Limits): LimitDecision {
  const decision = limiter.take(client, weight * processes, limits);
  return { ...decision, remaining: Math.floor(decision.remaining / processes) };
}
