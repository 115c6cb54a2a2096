import { createHash } from 'node:crypto';

/**
 * The Redis (or Valkey) client that this wing needs; `app/platform/bun/redis.ts` implements it. Every call is answered or rejected within the client's
 * timeout, and rejected at once while the server is unreachable. The client reconnects by itself.
 */
export type Redis = {
  /** Returns strings and integers unchanged, lists as arrays, and null if there is no value. */
  readonly send: (command: string, args: readonly (string | Uint8Array)[]) => Promise<unknown>;
  /** The value of a key as bytes; `send` would decode it as text. */
  readonly getBytes: (key: string) => Promise<Uint8Array | undefined>;
  readonly close: () => void;
};

/** A Redis client. `isConnected`: whether the server can be reached now. */
export type RedisConnection = Redis & { readonly isConnected: () => boolean };

/** Opens a Redis client. `onChange` is called when the connection is established and when it is lost. */
export type OpenRedis = (url: string, options?: { readonly onChange?: (isConnected: boolean) => void }) => Promise<RedisConnection>;

/** Host and port of a URL, for messages: without password. */
export function describeServer(url: string): string {
  if (!URL.canParse(url)) return 'an unknown host';
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || '6379'}`;
}

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
