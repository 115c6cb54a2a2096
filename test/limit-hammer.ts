/** A process of its own that asks for one client as fast as it can, and tells how often it was admitted. */

import { createMemoryLimiter } from '../src/access/limiter-memory.ts';
import { createRedisLimiter } from '../src/access/limiter-redis.ts';
import { openRedis } from '../src/platform/redis-bun.ts';

const [url = '', prefix = '', client = '', perMinute = '', times = ''] = process.argv.slice(2);
const redis = await openRedis(url, { answerLimit: 5_000 });
const local = createMemoryLimiter({ now: () => performance.now() });
const limiter = createRedisLimiter({ redis, local, prefix });
const limits = { perMinute: Number(perMinute), perDay: 1_000_000 };
const verdicts = await Promise.all(Array.from({ length: Number(times) }, () => limiter.take(client, 1, limits)));
redis.close();
console.log(
  JSON.stringify({ admitted: verdicts.filter(({ admitted }) => admitted).length, left: verdicts.map(({ remaining }) => remaining) }),
);
