import { createHash } from 'node:crypto';
import type { Redis } from './redis.ts';

/** Returns a function that runs a Lua script on Redis by its digest, and sends the whole script if the server does not have it yet. */
export function createScriptRunner(redis: Redis, script: string): (args: readonly string[]) => Promise<unknown> {
  const digest = createHash('sha1').update(script).digest('hex');
  return (args) =>
    redis.send('EVALSHA', [digest, ...args]).catch((cause: unknown) => {
      if (!isUnknownScript(cause)) throw cause;
      return redis.send('EVAL', [script, ...args]);
    });
}

const isUnknownScript = (cause: unknown): boolean => String((cause as { message?: unknown } | undefined)?.message).startsWith('NOSCRIPT');
