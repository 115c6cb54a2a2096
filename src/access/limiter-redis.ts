import { limitScript } from './limit-script.ts';
import type { LimitSync } from './limit-sync.ts';
import type { Limiter } from './limiter.ts';
import { type MemoryLimiter, takeShare } from './limiter-memory.ts';
import type { Redis } from './redis.ts';
import { scriptOn } from './scripts.ts';
import { type Limits, type Verdict, verdictOf } from './window.ts';

export type RedisLimiterOptions = {
  readonly redis: Redis;
  /** Has seen what all processes admitted; counts alone while Redis's counts are incomplete or out of reach. */
  readonly local: MemoryLimiter;
  readonly sync: LimitSync;
  /** Begins every key. */
  readonly prefix?: string;
  /** Instead of Redis's own clock, which all processes share: for tests. Milliseconds. */
  readonly now?: () => number;
};

/**
 * Counts that all processes of one Redis share, exactly. While Redis cannot be asked, or does not hold all that was admitted, each process
 * admits its fair share of what is left: together they never admit more than the limit.
 */
export function createRedisLimiter({ redis, local, sync, prefix = 'serac:', now }: RedisLimiterOptions): Limiter {
  const run = scriptOn(redis, limitScript);

  /** Weights by client that Redis was asked for and has not answered. */
  const underWay = new Map<string, number>();

  const takeAlone: MemoryLimiter['take'] = (client, weight, limits) => {
    const verdict = takeShare(local, sync.processes(), client, weight, limits);
    if (verdict.admitted) sync.admitted(client, weight, true);
    return verdict;
  };

  const takeTogether = async (epoch: string, client: string, weight: number, limits: Limits): Promise<Verdict> => {
    const keys = ['2', `${prefix}limit:${client}`, `${prefix}limits:state`];
    const args = [...keys, String(weight), String(limits.perMinute), String(limits.perDay), String(now?.() ?? ''), epoch];
    const counted = (await run(args).catch(() => undefined)) as [] | [number, number, number, number] | undefined;
    const [minute, day = 0, wait = 0, shutOut] = counted ?? [];
    if (minute === undefined) {
      sync.lose(counted === undefined ? 'unreachable' : 'incomplete');
      return takeAlone(client, weight, limits);
    }
    if (wait === 0) {
      local.note(client, weight);
      sync.admitted(client, weight, false);
    }
    return verdictOf(limits, { minute, day }, wait, shutOut === 1);
  };

  /** Redis has forgotten what it counted before a loss, and with it most of the day; this process has not. */
  const takeAfterLoss = async (epoch: string, client: string, weight: number, limits: Limits): Promise<Verdict> => {
    const before = underWay.get(client) ?? 0;
    if (!local.hasRoom(client, before + weight, limits)) return local.take(client, before + weight, limits);
    underWay.set(client, before + weight);
    try {
      return await takeTogether(epoch, client, weight, limits);
    } finally {
      const left = (underWay.get(client) ?? 0) - weight;
      if (left > 0) underWay.set(client, left);
      else underWay.delete(client);
    }
  };

  return {
    take: (client, weight, limits) => {
      const epoch = sync.epoch();
      if (epoch === undefined) return takeAlone(client, weight, limits);
      return (sync.losses() > 0 && weight > 0 ? takeAfterLoss : takeTogether)(epoch, client, weight, limits);
    },
    reduced: () =>
      sync.epoch() === undefined
        ? `counts are not shared: each of ${sync.processes()} processes admits an equal share of every limit`
        : undefined,
  };
}
