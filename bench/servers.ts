import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import collector from '../bin/collector.json' with { type: 'json' };
import { fetchNode } from '../src/api/client/node-fetch.ts';
import { BenchError } from './fault.ts';
import type { LoadCall } from './socket-load.ts';

/** A server to measure: a process of its own, with a temporary directory that is removed when it stops. */
export type BenchServer = {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** The path for a row's requests. The bare server has a path per row, because it does not parse requests. */
  readonly pathOf: (row: string, path: string) => string;
  /** A cheap call that the server answers once it is ready. */
  readonly probe: LoadCall;
  /** Milliseconds from the start of the process to its first response. */
  readonly firstResponseMs: number;
  /** Waits until the server is healthy; returns the milliseconds since the start of the process. */
  readonly waitHealthy: () => Promise<number>;
  /** The end of what it has written. */
  readonly readLog: () => string;
  readonly stop: () => Promise<void>;
};

/** The directory for the files of all processes, the signal that stops them, and the built program, which is what a package contains. */
export type BenchEnv = { readonly dir: string; readonly signal: AbortSignal; readonly program: string };

/** Starts servers of one kind. */
export type Launcher = { readonly name: string; readonly start: () => Promise<BenchServer> };

/** Serac with a data directory, so that accepted transactions are on disk. Without `dataDir` it starts from the genesis. */
export const serac = (env: BenchEnv, dataDir?: string, flags: readonly string[] = []): Launcher => ({
  name: 'Serac',
  start: () =>
    launchServer(env, 'Serac', (port, dir) => [
      ...seracCommand(env),
      '--network-id=local',
      '--accounts=0',
      `--http-port=${port}`,
      `--data-dir=${dataDir ?? dir}`,
      '--log-level=warn',
      ...flags,
    ]),
});

/** The program of another commit. */
export const seracBefore = (env: BenchEnv, program: string): Launcher => ({ ...serac({ ...env, program }), name: 'Serac before' });

/** `serac api` on a PostgreSQL database. */
export const seracApi = (env: BenchEnv, databaseUrl: string): Launcher => ({
  name: 'serac api',
  start: () =>
    launchServer(
      env,
      'serac api',
      (port) => [...seracCommand(env), 'api', `--database-url=${databaseUrl}`, `--http-port=${port}`, '--log-level=warn'],
      { probe: { path: '/v1/networks/local/blockchains/x-chain/blocks?pageSize=1' } },
    ),
});

/** AvalancheGo in its fastest configuration: a single node without block delay, with health checks every second. */
export const avalancheGo = (env: BenchEnv, binary: string): Launcher => ({
  name: 'AvalancheGo',
  start: async () => {
    const stakingPort = await findFreePort();
    return launchServer(env, 'AvalancheGo', (port, dir) => [
      binary,
      '--network-id=local',
      '--sybil-protection-enabled=false',
      '--proposervm-min-block-delay=0s',
      '--fd-limit=16384',
      '--health-check-frequency=1s',
      '--http-host=127.0.0.1',
      '--staking-host=127.0.0.1',
      '--public-ip=127.0.0.1',
      `--http-port=${port}`,
      `--staking-port=${stakingPort}`,
      `--data-dir=${dir}`,
    ]);
  },
});

/** The bare server; `responses` are the texts that it returns, by row. */
export const bareServer = (env: BenchEnv, responses: Record<string, string> = {}): Launcher => ({
  name: 'bare server',
  start: async () => {
    const texts = Object.fromEntries(Object.entries(responses).map(([row, text]) => [formatRowPath(row), text]));
    const server = await launchServer(env, 'bare server', (port) => [Bun.argv[0] as string, bareServerPath, String(port)], {
      input: JSON.stringify(texts),
    });
    // The original path follows as the query, so that both servers get requests of about the same length.
    return { ...server, pathOf: (row, path) => `${formatRowPath(row)}?${path}` };
  },
});

/** Starts a server on a free port and waits until it answers the probe. */
export async function launchServer(
  env: BenchEnv,
  name: string,
  command: (port: number, dir: string) => string[],
  { input = '', probe = nodeProbe }: { readonly input?: string; readonly probe?: LoadCall } = {},
): Promise<BenchServer> {
  const dir = mkdtempSync(join(env.dir, 'server-'));
  const port = await findFreePort();
  const log = join(dir, 'bench.log');
  const logFd = openSync(log, 'w');
  const started = performance.now();
  const child = Bun.spawn(command(port, dir), { stdin: Buffer.from(input), stdout: logFd, stderr: logFd, signal: env.signal });
  const waitForResponse = async (call: LoadCall): Promise<number> => {
    while (!(await isAnswered(port, call))) {
      if (child.exitCode !== null) throw new BenchError(`${name} exited with ${child.exitCode}: ${readLog()}`);
      if (performance.now() - started > startTimeout)
        throw new BenchError(`${name} did not answer ${call.path} within ${startTimeout / 1000} s`);
      await Bun.sleep(1);
    }
    return performance.now() - started;
  };
  const readLog = () => readFileSync(log, 'utf8').slice(-2000);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await child.exited;
    clearTimeout(late);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const firstResponseMs = await waitForResponse(probe);
    return {
      name,
      port,
      pid: child.pid,
      pathOf: (_, path) => path,
      probe,
      firstResponseMs,
      waitHealthy: () => waitForResponse({ path: '/ext/health' }),
      readLog,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Finds a free port. Both nodes get their port by a flag, so it must be known before they start. */
export function findFreePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer().on('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}

async function isAnswered(port: number, { path, body }: LoadCall): Promise<boolean> {
  try {
    const init = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const response = await fetchNode(`http://127.0.0.1:${port}${path}`, { ...init, signal: AbortSignal.timeout(2000) });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

const formatRowPath = (row: string): string => `/row/${row.replace(/[^\w.]+/g, '-')}`;

const nodeProbe: LoadCall = { path: '/ext/info', body: '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}' };

/** Milliseconds; AvalancheGo may take 30 s to become healthy. */
const startTimeout = 60_000;

/** The program without its launcher, whose start and memory are not the node's. `settings`: of the garbage collector. */
const commandWith = (settings: Readonly<Record<string, string>>, { program }: Pick<BenchEnv, 'program'>): readonly string[] => [
  'env',
  ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  ...Object.entries(collector.reader).map(([name, value]) => `SERAC_READER_${name}=${value}`),
  process.execPath,
  '--no-env-file',
  '--config=/dev/null',
  program,
];
export const seracCommand = (env: Pick<BenchEnv, 'program'>): readonly string[] => commandWith(collector.writer, env);
export const joinCommand = (env: BenchEnv): readonly string[] => [...commandWith({ ...collector.writer, ...collector.join }, env), 'join'];
export const indexerCommand = (env: BenchEnv): readonly string[] => [
  ...commandWith({ ...collector.writer, ...collector.index }, env),
  'index',
];
const bareServerPath = fileURLToPath(new URL('bare-server.ts', import.meta.url));
