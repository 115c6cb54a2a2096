import { randomUUID } from 'node:crypto';
import { createMemoryLimiter } from '../../api/access/limiter-memory.ts';
import type { Limiter } from '../../api/access/rate-limit.ts';
import { createLimitSync, type LimitSync } from './limit-sync.ts';
import { createRedisLimiter } from './limiter-redis.ts';
import type { Redis } from './redis.ts';

/**
 * The limiter of one process, with the sync that connects it to other processes through Redis. `admittedByOthers`: weights of the requests that
 * others admitted, as far as this process knows.
 */
export type SharedLimiter = Limiter & { readonly sync: LimitSync; readonly admittedByOthers: () => number };

export async function openSharedLimiter(
  redis: Redis,
  options: { readonly prefix?: string; readonly incompleteTime?: number; readonly started?: boolean; readonly now?: () => number } = {},
): Promise<SharedLimiter> {
  const { started = true, now, ...rest } = options;
  const local = createMemoryLimiter({ now: () => performance.now() });
  const after = (milliseconds: number, run: () => void) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  };
  let byOthers = 0;
  const countAdmitted = (client: string, weight: number): void => {
    byOthers += weight;
    local.countAdmitted(client, weight);
  };
  const sync = createLimitSync({ redis, id: randomUUID(), countAdmitted, after, ...rest });
  await sync.exchange();
  if (started) sync.start();
  return { ...createRedisLimiter({ redis, local, sync, ...rest, ...(now && { now }) }), sync, admittedByOthers: () => byOthers };
}
