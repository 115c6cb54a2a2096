import { type MemoryLimiter, takeShare } from '../../api/access/limiter-memory.ts';
import { type LimitDecision, type Limiter, type Limits, limitDecision } from '../../api/access/rate-limit.ts';
import { limitScript } from './limit-script.ts';
import type { LimitSync } from './limit-sync.ts';
import { createScriptRunner, type Redis } from './redis.ts';

/**
 * A limiter with exact counts that all processes of one Redis share. While Redis is unreachable, or does not have all counts, each process
 * admits an equal share of what is left, so together they never admit more than the limit.
 */
export function createRedisLimiter({
  redis,
  local,
  sync,
  prefix = 'serac:',
  now,
}: {
  readonly redis: Redis;
  /** Counts what all processes admitted. Decides alone while the counts in Redis are incomplete or unreachable. */
  readonly local: MemoryLimiter;
  readonly sync: LimitSync;
  /** Start of every Redis key. */
  readonly prefix?: string;
  /** Milliseconds. For tests: the default is the clock of the Redis server, which all processes share. */
  readonly now?: () => number;
}): Limiter {
  const run = createScriptRunner(redis, limitScript);

  /** Weights by client of requests that Redis has not answered yet. */
  const inFlight = new Map<string, number>();

  const takeLocally: MemoryLimiter['take'] = (client, weight, limits) => {
    const decision = takeShare(local, sync.processes(), client, weight, limits);
    if (decision.admitted) sync.recordAdmitted(client, weight, true);
    return decision;
  };

  const takeInRedis = async (epoch: string, client: string, weight: number, limits: Limits): Promise<LimitDecision> => {
    const keys = ['2', `${prefix}limit:${client}`, `${prefix}limits:state`];
    const args = [...keys, String(weight), String(limits.perMinute), String(limits.perDay), String(now?.() ?? ''), epoch];
    const counted = (await run(args).catch(() => undefined)) as [] | [number, number, number, number, number] | undefined;
    const [minute, day = 0, wait = 0, lockedOut, admitted] = counted ?? [];
    if (minute === undefined) {
      sync.markLost(counted === undefined ? 'unreachable' : 'incomplete');
      return takeLocally(client, weight, limits);
    }
    if (admitted === 1) {
      local.countAdmitted(client, weight);
      sync.recordAdmitted(client, weight, false);
    }
    return limitDecision(limits, { minute, day }, { admitted: admitted === 1, wait, lockedOut: lockedOut === 1 });
  };

  /**
   * After a loss Redis lacks the counts from before it, which is most of the day window. So this process's own counts are checked first.
   */
  const takeAfterLoss = async (epoch: string, client: string, weight: number, limits: Limits): Promise<LimitDecision> => {
    const before = inFlight.get(client) ?? 0;
    if (!local.hasRoom(client, before + weight, limits)) return local.take(client, before + weight, limits);
    inFlight.set(client, before + weight);
    try {
      return await takeInRedis(epoch, client, weight, limits);
    } finally {
      const left = (inFlight.get(client) ?? 0) - weight;
      if (left > 0) inFlight.set(client, left);
      else inFlight.delete(client);
    }
  };

  return {
    take: async (client, weight, limits) => {
      const epoch = sync.epoch();
      if (epoch === undefined) return takeLocally(client, weight, limits);
      return (sync.losses() > 0 && weight > 0 ? takeAfterLoss : takeInRedis)(epoch, client, weight, limits);
    },
    degradedReason: () =>
      sync.epoch() === undefined
        ? `counts are not shared: each of ${sync.processes()} processes admits an equal share of every limit`
        : undefined,
  };
}
