import { createStreamLimit, type StreamLimit } from '../../api/access/stream-limit.ts';
import type { LimitSync } from './limit-sync.ts';
import { createScriptRunner, type Redis } from './redis.ts';

/** KEYS: the streams of a client, by the time at which they end unless renewed. ARGV: name of the stream, milliseconds of the lease, maximum. */
const takeScript = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

/**
 * A stream limit that all processes of one Redis share. While Redis does not answer, this process admits an equal share by itself. Streams
 * that were admitted stay open, whatever Redis says later.
 */
export function createRedisStreamLimit({
  redis,
  max,
  sync,
  id,
  after,
  prefix = 'serac:',
  lease = 30_000,
}: {
  readonly redis: Redis;
  /** The most streams of one client over all processes of this Redis. */
  readonly max: number;
  readonly sync: Pick<LimitSync, 'processes'>;
  /** Unique id of this process. */
  readonly id: string;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Start of every Redis key. */
  readonly prefix?: string;
  /** Milliseconds after which a stream that its process did not renew counts as ended: the process was killed. */
  readonly lease?: number;
}): StreamLimit & { readonly close: () => void } {
  const run = createScriptRunner(redis, takeScript);
  const own = createStreamLimit(max);
  /** The client of each open stream, by the name of the stream. */
  const open = new Map<string, string>();
  let count = 0;
  const keyOf = (client: string): string => `${prefix}streams:${client}`;
  const take = (client: string, name: string): Promise<unknown> => run(['1', keyOf(client), name, String(lease), String(max)]);

  let cancel = (): void => {};
  const renew = (): void => {
    cancel = after(lease / 3, () => {
      for (const [name, client] of open) take(client, name).catch(() => undefined);
      renew();
    });
  };
  renew();

  return {
    max,
    take: async (client) => {
      const end = own.take(client);
      if (end === undefined) return undefined;
      const rank = own.count(client);
      const name = `${id}-${++count}`;
      const isTaken = await take(client, name).then(
        (taken) => taken === 1,
        () => rank <= Math.ceil(max / sync.processes()),
      );
      if (!isTaken) {
        end();
        return undefined;
      }
      open.set(name, client);
      return () => {
        end();
        if (open.delete(name)) redis.send('ZREM', [keyOf(client), name]).catch(() => undefined);
      };
    },
    close: () => cancel(),
  };
}
