import { createHash } from 'node:crypto';

/**
 * The Redis (or Valkey) client that this module needs; `platform/` implements it. Every call is answered or rejected within the client's
 * timeout, and rejected at once while the server is unreachable. The client reconnects by itself.
 */
export type Redis = {
  /** Returns strings and integers unchanged, lists as arrays, and null if there is no value. */
  readonly send: (command: string, args: readonly (string | Uint8Array)[]) => Promise<unknown>;
  /** The value of a key as bytes; `send` would decode it as text. */
  readonly getBytes: (key: string) => Promise<Uint8Array | undefined>;
  readonly close: () => void;
};

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
