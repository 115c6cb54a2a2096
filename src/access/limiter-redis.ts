import { createHash } from 'node:crypto';
import { limitScript } from './limit-script.ts';
import type { Limiter } from './limiter.ts';
import type { MemoryLimiter } from './limiter-memory.ts';
import type { Redis } from './redis.ts';
import { verdictOf } from './window.ts';

export type RedisLimiterOptions = {
  readonly redis: Redis;
  /** Counts alone while Redis does not answer; it has seen what this process admitted before, so nobody begins anew. */
  readonly local: MemoryLimiter;
  /** Begins every key. */
  readonly prefix?: string;
  /** Instead of Redis's own clock, which all processes share: for tests. Milliseconds. */
  readonly now?: () => number;
};

/** Counts that all processes of one Redis share, exactly: none of them ever sees a count that is about to change. */
export function createRedisLimiter({ redis, local, prefix = 'serac:', now }: RedisLimiterOptions): Limiter {
  const digest = createHash('sha1').update(limitScript).digest('hex');

  /** A server that has just started does not know the script; to send it whole makes it known. */
  const run = (args: readonly string[]): Promise<unknown> =>
    redis.send('EVALSHA', [digest, ...args]).catch((cause: unknown) => {
      if (!isUnknownScript(cause)) throw cause;
      return redis.send('EVAL', [limitScript, ...args]);
    });

  return {
    take: async (client, weight, limits) => {
      const args = ['1', `${prefix}limit:${client}`, weight, limits.perMinute, limits.perDay, now?.() ?? ''].map(String);
      try {
        const [minute, day, wait, shutOut] = (await run(args)) as [number, number, number, number];
        if (wait === 0) local.note(client, weight);
        return verdictOf(limits, { minute, day }, wait, shutOut === 1);
      } catch {
        return local.take(client, weight, limits);
      }
    },
  };
}

const isUnknownScript = (cause: unknown): boolean => String((cause as { message?: unknown } | undefined)?.message).startsWith('NOSCRIPT');
