import { RedisClient } from 'bun';
import type { Redis } from '../access/redis.ts';
import { Fault } from '../fault.ts';

/** A Redis client that also tells whether the server can be reached now. */
export type RedisConnection = Redis & { readonly connected: () => boolean };

/** Times are milliseconds. */
export type RedisOptions = {
  /** The longest a command may take. */
  readonly answerLimit?: number;
  readonly connectLimit?: number;
  /** Between two attempts to connect. */
  readonly pause?: number;
  /** A connection on which an answer is due and nothing was heard for so long is given up. */
  readonly silenceLimit?: number;
  /** Told when the server is found and when it is lost. */
  readonly onChange?: (connected: boolean) => void;
};

/**
 * A Redis or Valkey server through Bun's client. Resolves after the first attempt to connect, whatever became of it; then, and whenever the
 * server is lost, it goes on trying until `close`. Nobody waits for that: commands are rejected at once meanwhile.
 */
export async function openRedis(url: string, options: RedisOptions = {}): Promise<RedisConnection> {
  const { answerLimit = 200, connectLimit = 1_000, pause = 250, silenceLimit = 2_000, onChange = () => {} } = options;
  let client = clientOf(url, connectLimit);
  let connected = false;
  let closed = false;
  let silence: Timer | undefined;
  let wake = (): void => {};

  /** An answer, whatever it says, means that the server is there. */
  const heard = (): void => {
    clearTimeout(silence);
    silence = undefined;
  };

  /** The server is held up, or gone without a word. Others need not find that out one by one: they are rejected until it is heard again. */
  const unheard = (): void => {
    silence ??= setTimeout(() => client.close(), silenceLimit);
  };

  const ask = <T>(what: string, command: (client: RedisClient) => Promise<T>): Promise<T> => {
    if (!connected || silence !== undefined) return Promise.reject(unreachable(what));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const asked = client;
    const timer = setTimeout(() => {
      if (asked === client) unheard();
      reject(new RedisError(`Redis did not answer ${what} within ${answerLimit} ms`, { code: 'REDIS_TOO_SLOW', command: what }));
    }, answerLimit);
    command(asked)
      .finally(() => {
        clearTimeout(timer);
        if (asked === client) heard();
      })
      .then(resolve, (cause: unknown) => reject(faultOf(what, cause)));
    return promise;
  };

  const connect = (lost: () => void): Promise<boolean> => {
    // Bun's own limit may not cover every way to hang (a name that is not resolved, for one).
    const guard = setTimeout(() => client.close(), 2 * connectLimit);
    client.onclose = lost;
    return client
      .connect()
      .then(
        () => !closed,
        () => false,
      )
      .finally(() => clearTimeout(guard));
  };

  /** One connection after another. A new client each time: nothing of the old one's state is left. */
  const live = async (attempted: () => void): Promise<void> => {
    for (;;) {
      const loss = Promise.withResolvers<void>();
      connected = await connect(loss.resolve);
      if (connected) onChange(true);
      attempted();
      if (connected) {
        await loss.promise;
        connected = false;
        heard();
        onChange(false);
      }
      client.close();
      if (closed) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pause);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (closed) return;
      client = clientOf(url, connectLimit);
    }
  };

  await new Promise<void>((attempted) => void live(attempted));
  return {
    // Bun's types know only texts as arguments; the client takes bytes as they are.
    send: (command, args) => ask(command, (asked) => asked.send(command, args as string[])),
    getBytes: (key) => ask('GET', async (asked) => (await asked.getBuffer(key)) ?? undefined),
    connected: () => connected && silence === undefined,
    close: () => {
      closed = true;
      connected = false;
      client.close();
      wake();
    },
  };
}

function clientOf(url: string, connectionTimeout: number): RedisClient {
  try {
    // Bun's client gives up for good after some attempts, so attempts are ours; and a queue would make requests wait.
    return new RedisClient(url, { autoReconnect: false, enableOfflineQueue: false, connectionTimeout });
  } catch (cause) {
    // The URL itself may hold a password.
    const reason = (cause as { message: string }).message;
    throw new RedisError(`not the URL of a Redis server, such as redis://127.0.0.1:6379: ${reason}`, { code: 'REDIS_BAD_URL' });
  }
}

export type RedisFault =
  | { code: 'REDIS_BAD_URL' }
  | { code: 'REDIS_UNREACHABLE'; command: string }
  | { code: 'REDIS_TOO_SLOW'; command: string }
  | { code: 'REDIS_REFUSED'; command: string };
export class RedisError extends Fault<RedisFault> {}

const unreachable = (command: string) => new RedisError('Redis cannot be reached', { code: 'REDIS_UNREACHABLE', command });

/** The server's own words begin with a kind (`NOSCRIPT No matching script`), which callers may look at: they stay as they are. */
function faultOf(command: string, cause: unknown): RedisError {
  const { code, message } = cause as { code?: string; message: string };
  return code === 'ERR_REDIS_SERVER_ERROR' ? new RedisError(message, { code: 'REDIS_REFUSED', command }) : unreachable(command);
}
