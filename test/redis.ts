import { type Subprocess, spawn } from 'bun';

/** A Redis server of the test's own, which can be killed, held still and started again on the same port. */
export type PrivateRedis = {
  readonly url: string;
  /** Dies at once, and all it knew with it. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Holds it still: connections stay, answers do not come. */
  readonly pause: () => void;
  readonly resume: () => void;
};

/** Whether such a server can be had here. */
export const redisBinary: string | undefined = Bun.which('redis-server') ?? Bun.which('valkey-server') ?? undefined;

const longestStart = 10_000;

/** undefined: none is installed. */
export async function startRedis(options: readonly string[] = []): Promise<PrivateRedis | undefined> {
  if (redisBinary === undefined) return undefined;
  const port = freePort();
  const command = [redisBinary, '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...options];
  let server: Subprocess | undefined;
  const start = async (): Promise<void> => {
    server = spawn(command, { stdout: 'ignore', stderr: 'ignore' });
    const until = performance.now() + longestStart;
    while (!(await listens(port))) {
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

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  listener.stop(true);
  return listener.port;
}

const listens = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: '127.0.0.1', port, socket: { data: () => {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );
