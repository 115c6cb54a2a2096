import type { RedisClient } from 'bun';
import { Fault } from '../../../base/fault.ts';
import { describeServer, type RedisConnection } from '../../../cluster/redis/redis.ts';

/**
 * Opens a connection to a Redis or Valkey server with Bun's client. Resolves after the first attempt to connect, successful or not. While the
 * server is not reachable, it retries until `close`, and commands are rejected at once. Rejects with REDIS_UNSUPPORTED if the server is a
 * Sentinel or a node of a cluster. Times are in milliseconds.
 */
export async function openRedis(
  url: string,
  options: {
    /** Timeout of one command. */
    readonly commandTimeout?: number;
    readonly connectTimeout?: number;
    /** Delay between two attempts to connect. */
    readonly retryDelay?: number;
    /** A connection is closed if, after a command timed out, it receives no answer for this long. */
    readonly hungTimeout?: number;
    /** Called when the connection is established and when it is lost. */
    readonly onChange?: (isConnected: boolean) => void;
  } = {},
): Promise<RedisConnection> {
  const { commandTimeout = 200, connectTimeout = 1_000, retryDelay = 250, hungTimeout = 2_000, onChange = () => {} } = options;
  let client = createClient(url, connectTimeout);
  const where = describeServer(url);
  let isConnected = false;
  let isClosed = false;
  let refusal: RedisError | undefined;
  /** Runs from a command that timed out to the next answer, also an error: the server may be hung, so other commands are rejected at once. */
  const hung = createTimer(() => client.close());
  const delay = createTimer();

  const runCommand = <T>(what: string, command: (client: RedisClient) => Promise<T>): Promise<T> => {
    if (!isConnected || hung.isRunning()) return Promise.reject(unreachableError(what, where));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const current = client;
    const timer = setTimeout(() => {
      if (current === client) hung.start(hungTimeout);
      reject(
        new RedisError(`Redis at ${where} did not answer ${what} within ${commandTimeout} ms`, { code: 'REDIS_TOO_SLOW', command: what }),
      );
    }, commandTimeout);
    const end = (): void => {
      clearTimeout(timer);
      if (current === client) hung.end();
    };
    command(current).then(
      (value) => {
        end();
        resolve(value);
      },
      (cause: unknown) => {
        end();
        reject(toRedisFault(what, cause, where));
      },
    );
    return promise;
  };

  const connect = async (lost: () => void): Promise<boolean> => {
    try {
      refusal = refusalOf(await connectClient(client, connectTimeout, lost), where);
      return !isClosed && refusal === undefined;
    } catch {
      return false;
    }
  };

  /** Connects, waits until the connection is lost, and connects again. Each time with a new client, so that no old state remains. */
  const keepConnected = async (attempted: () => void): Promise<void> => {
    for (;;) {
      const loss = Promise.withResolvers<void>();
      isConnected = await connect(loss.resolve);
      if (isConnected) onChange(true);
      attempted();
      if (isConnected) {
        await loss.promise;
        isConnected = false;
        hung.end();
        onChange(false);
      }
      client.close();
      if (isClosed) return;
      await delay.start(retryDelay);
      if (isClosed) return;
      client = createClient(url, connectTimeout);
    }
  };

  await new Promise<void>((attempted) => void keepConnected(attempted));
  const close = (): void => {
    isClosed = true;
    isConnected = false;
    client.close();
    delay.end();
  };
  if (refusal !== undefined) {
    close();
    throw refusal;
  }
  return {
    // The client also accepts bytes as arguments, but Bun's types allow only strings.
    send: (command, args) => runCommand(command, (client) => client.send(command, args as string[])),
    getBytes: (key) => runCommand('GET', async (client) => (await client.getBuffer(key)) ?? undefined),
    isConnected: () => isConnected && !hung.isRunning(),
    close,
  };
}

/** Connects a client, and returns the mode of its server, if the server names one. `lost` is called when the connection ends. */
async function connectClient(client: RedisClient, connectTimeout: number, lost: () => void): Promise<string | undefined> {
  // Bun's own timeout may not cover every case, for example a name that cannot be resolved.
  const guard = setTimeout(() => client.close(), 2 * connectTimeout);
  client.onclose = lost;
  try {
    await client.connect();
    return await readMode(client);
  } finally {
    clearTimeout(guard);
  }
}

/** A timer; while it runs, another start has no effect. It calls `run` when the time is over. `start` resolves then, or when `end` stops it before. */
function createTimer(run = (): void => {}) {
  let current: { readonly timer: Timer; readonly over: PromiseWithResolvers<void> } | undefined;
  const end = (): void => {
    clearTimeout(current?.timer);
    current?.over.resolve();
    current = undefined;
  };
  return {
    isRunning: () => current !== undefined,
    start: (ms: number): Promise<void> => {
      current ??= {
        timer: setTimeout(() => {
          run();
          end();
        }, ms),
        over: Promise.withResolvers(),
      };
      return current.over.promise;
    },
    end,
  };
}

/** What kind of server answers: `standalone`, `sentinel` or `cluster`; undefined if this user may not ask. */
const readMode = (client: RedisClient): Promise<string | undefined> =>
  client.send('INFO', ['server']).then(
    (text) => /^redis_mode:(\w+)/m.exec(String(text))?.[1],
    () => undefined,
  );

function refusalOf(mode: string | undefined, where: string): RedisError | undefined {
  const remedy = mode === undefined ? undefined : remedies.get(mode);
  if (mode === undefined || remedy === undefined) return undefined;
  return new RedisError(`Redis at ${where} ${remedy}`, { code: 'REDIS_UNSUPPORTED', mode });
}

const remedies: ReadonlyMap<string, string> = new Map([
  [
    'sentinel',
    'is a Sentinel, which stores nothing; give --cache-url the address of the server, or of a proxy that leads to the current one',
  ],
  ['cluster', 'is a node of a Redis Cluster, which keeps keys on several servers; give --cache-url a Redis or Valkey server of its own'],
]);

function createClient(url: string, connectionTimeout: number): RedisClient {
  try {
    // We reconnect ourselves, since Bun's client stops after some attempts. No offline queue, since it would delay requests.
    const { server, ca } = splitCa(url);
    return new Bun.RedisClient(server, {
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout,
      tls: ca === undefined ? undefined : { ca: Bun.file(ca) },
    });
  } catch (cause) {
    // The URL is not in the message, since it may contain a password.
    const reason = (cause as { message: string }).message;
    throw new RedisError(`not a valid Redis URL (example: redis://127.0.0.1:6379): ${reason}`, { code: 'REDIS_BAD_URL' });
  }
}

/** The URL without its parameter `cacert`, as redis-cli names it: the PEM file of the certificate authority, for rediss://. */
function splitCa(text: string): { readonly server: string; readonly ca: string | undefined } {
  if (!URL.canParse(text)) return { server: text, ca: undefined };
  const url = new URL(text);
  const ca = url.searchParams.get('cacert') ?? undefined;
  if (ca === undefined) return { server: text, ca };
  url.searchParams.delete('cacert');
  return { server: url.href, ca };
}

type RedisFault =
  | { code: 'REDIS_BAD_URL' }
  | { code: 'REDIS_UNSUPPORTED'; mode: string }
  | { code: 'REDIS_UNREACHABLE'; command: string }
  | { code: 'REDIS_TOO_SLOW'; command: string }
  | { code: 'REDIS_REFUSED'; command: string };
export class RedisError extends Fault<RedisFault> {}

const unreachableError = (command: string, where: string) =>
  new RedisError(`Redis at ${where} cannot be reached`, { code: 'REDIS_UNREACHABLE', command });

/** Converts an error. The message of a server error stays unchanged, since callers check its first word (`NOSCRIPT No matching script`). */
function toRedisFault(command: string, cause: unknown, where: string): RedisError {
  const { code, message } = cause as { code?: string; message: string };
  return code === 'ERR_REDIS_SERVER_ERROR' ? new RedisError(message, { code: 'REDIS_REFUSED', command }) : unreachableError(command, where);
}
