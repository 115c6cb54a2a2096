/** A process of its own that asks for one client as fast as it can, and tells how often it was admitted. */

import { openSharedLimiter } from '../src/access/shared-limiter.fixture.ts';
import { openRedis } from '../src/platform/redis-bun.ts';

const [url = '', prefix = '', client = '', perMinute = '', times = ''] = process.argv.slice(2);
const redis = await openRedis(url, { answerLimit: 5_000 });
const limiter = await openSharedLimiter(redis, { prefix });
const limits = { perMinute: Number(perMinute), perDay: 1_000_000 };
const verdicts = await Promise.all(Array.from({ length: Number(times) }, () => limiter.take(client, 1, limits)));
await limiter.sync.close();
redis.close();
console.log(
  JSON.stringify({ admitted: verdicts.filter(({ admitted }) => admitted).length, left: verdicts.map(({ remaining }) => remaining) }),
);
