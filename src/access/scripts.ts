import { createHash } from 'node:crypto';
import type { Redis } from './redis.ts';

/** Runs a script on Redis by its digest. A server that has just started does not know it; to send it whole makes it known. */
export function scriptOn(redis: Redis, script: string): (args: readonly string[]) => Promise<unknown> {
  const digest = createHash('sha1').update(script).digest('hex');
  return (args) =>
    redis.send('EVALSHA', [digest, ...args]).catch((cause: unknown) => {
      if (!isUnknownScript(cause)) throw cause;
      return redis.send('EVAL', [script, ...args]);
    });
}

const isUnknownScript = (cause: unknown): boolean => String((cause as { message?: unknown } | undefined)?.message).startsWith('NOSCRIPT');
