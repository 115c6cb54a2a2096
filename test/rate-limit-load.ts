/** A separate process that sends requests of one client to the rate limiter as fast as it can, and prints how many were admitted. */

import { openRedis } from '../src/app/platform/bun/redis.ts';
import { openSharedLimiter } from '../src/cluster/redis/shared-limiter.fixture.ts';

const [url = '', prefix = '', client = '', perMinute = '', times = ''] = process.argv.slice(2);
const redis = await openRedis(url, { commandTimeout: 5_000 });
const limiter = await openSharedLimiter(redis, { prefix });
const limits = { perMinute: Number(perMinute), perDay: 1_000_000 };
const decisions = await Promise.all(Array.from({ length: Number(times) }, () => limiter.take(client, 1, limits)));
await limiter.sync.close();
redis.close();
console.log(
  JSON.stringify({ admitted: decisions.filter(({ admitted }) => admitted).length, left: decisions.map(({ remaining }) => remaining) }),
);
