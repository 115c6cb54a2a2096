import { createRecency } from '../bytes/recency.ts';
import { isForgotten, judge, type Limits, newStanding, note, type Standing, type Verdict } from './window.ts';

/** A `Limiter` that answers at once. */
export type MemoryLimiter = {
  readonly take: (client: string, weight: number, limits: Limits) => Verdict;
  /** Counts what another limiter has admitted. */
  readonly note: (client: string, weight: number) => void;
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
  const clients = createRecency<Standing>();

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
    clients: clients.size,
  };
}
