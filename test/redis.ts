import { type Subprocess, spawn } from 'bun';
import { freePort } from './processes.ts';

/** A Redis server for one test, which can be killed, paused and restarted on the same port. */
export type PrivateRedis = {
  readonly url: string;
  /** Kills it at once; all its data is lost. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Suspends it: connections stay open, but it does not respond. */
  readonly pause: () => void;
  readonly resume: () => void;
};

/** Path of the Redis server, if installed. */
export const redisBinary: string | undefined = Bun.which('redis-server') ?? Bun.which('valkey-server') ?? undefined;

const startTimeout = 10_000;

/** Returns undefined if Redis is not installed. `sentinelConfig`: starts a Sentinel with this file, which it writes. */
export async function startRedis(options: readonly string[] = [], sentinelConfig?: string): Promise<PrivateRedis | undefined> {
  if (redisBinary === undefined) return undefined;
  const port = freePort();
  const listen = ['--port', String(port), '--bind', '127.0.0.1'];
  const command =
    sentinelConfig === undefined
      ? [redisBinary, ...listen, '--save', '', '--appendonly', 'no', ...options]
      : [redisBinary, sentinelConfig, ...listen, '--sentinel', ...options];
  let server: Subprocess | undefined;
  const start = async (): Promise<void> => {
    server = spawn(command, { stdout: 'ignore', stderr: 'ignore' });
    const until = performance.now() + startTimeout;
    while (!(await isListening(port))) {
      if (performance.now() > until || server.exitCode !== null) throw new Error(`${redisBinary} did not start on port ${port}`);
      await Bun.sleep(10);
    }
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    kill: async () => {
      server?.kill('SIGKILL');
      await server?.exited;
    },
    pause: () => server?.kill('SIGSTOP'),
    resume: () => server?.kill('SIGCONT'),
  };
}

const isListening = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: '127.0.0.1', port, socket: { data: () => {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );
