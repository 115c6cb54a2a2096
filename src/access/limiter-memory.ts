import { createLruMap } from '../bytes/lru-map.ts';
import { hasRoom, isForgotten, judge, type Limits, newStanding, note, type Standing, type Verdict } from './window.ts';

/** A `Limiter` that answers at once. */
export type MemoryLimiter = {
  readonly take: (client: string, weight: number, limits: Limits) => Verdict;
  /** Counts what another limiter has admitted. */
  readonly note: (client: string, weight: number) => void;
  /** Whether such a request would be within the windows; nothing is counted. */
  readonly hasRoom: (client: string, weight: number, limits: Limits) => boolean;
  readonly clients: () => number;
};

export type MemoryLimiterOptions = {
  /** Milliseconds; best a clock that is never set. */
  readonly now: () => number;
  /** The most clients that are remembered. Some 0.8 KB each, 10 KB for one that never rests. */
  readonly maxClients?: number;
};

/** Counts of this process alone. A client is dropped once nothing of it counts, or if there are too many: then who was away longest. */
export function createMemoryLimiter({ now, maxClients = 100_000 }: MemoryLimiterOptions): MemoryLimiter {
  const clients = createLruMap<Standing>();

  const standingOf = (client: string, time: number): Standing => {
    const known = clients.get(client);
    if (known !== undefined) return known;
    makeRoom(time);
    const standing = newStanding();
    clients.set(client, standing);
    return standing;
  };

  /** Looks at two for every one that comes: so the forgotten go faster than others arrive. */
  const makeRoom = (time: number): void => {
    for (let looks = 0; looks < 2; looks++) {
      const oldest = clients.oldest();
      if (oldest === undefined || (clients.size() < maxClients && !isForgotten(oldest.value, time))) return;
      clients.delete(oldest.key);
    }
  };

  return {
    take: (client, weight, limits) => {
      const time = now();
      return judge(standingOf(client, time), time, weight, limits);
    },
    note: (client, weight) => {
      const time = now();
      note(standingOf(client, time), time, weight);
    },
    hasRoom: (client, weight, limits) => {
      const standing = clients.get(client);
      return standing === undefined || hasRoom(standing, now(), weight, limits);
    },
    clients: clients.size,
  };
}

/**
 * Admits this process's share where processes cannot count together: every request counts as often as there are processes, beside what all
 * of them admitted before. So each admits an equal part of what was left, and all of them together no more than that. A limit below the
 * number of processes admits nothing.
 */
export function takeShare(limiter: MemoryLimiter, processes: number, client: string, weight: number, limits: Limits): Verdict {
  const verdict = limiter.take(client, weight * processes, limits);
  return { ...verdict, remaining: Math.floor(verdict.remaining / processes) };
}
