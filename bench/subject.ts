import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError } from './fault.ts';

/** A server under measurement: a process of its own, with a directory of its own that goes when it goes. */
export type Subject = {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Where a row's requests go: the bare server has a path for each row, as it does not read what is asked. */
  readonly pathOf: (row: string, path: string) => string;
  /** Milliseconds from the start of the process to its first answer. */
  readonly answeredAfter: number;
  /** Milliseconds from the start of the process until it calls itself healthy; waits for that. */
  readonly healthyAfter: () => Promise<number>;
  readonly stop: () => Promise<void>;
};

/** Where processes keep their files, and what ends them all. */
export type Place = { readonly dir: string; readonly signal: AbortSignal };

/** How to start one: run again and again where starting is what is measured. */
export type Kind = { readonly name: string; readonly start: () => Promise<Subject> };

/** Serac as a user starts it with a data directory: what is accepted is on disk. Without one given it begins at the genesis. */
export const serac = (place: Place, dataDir?: string, flags: readonly string[] = []): Kind => ({
  name: 'Serac',
  start: () =>
    launch(place, 'Serac', (port, dir) => [
      seracBin,
      '--network-id=local',
      `--http-port=${port}`,
      `--data-dir=${dataDir ?? dir}`,
      '--log-level=warn',
      ...flags,
    ]),
});

/** AvalancheGo in its best setting: alone, with no pause between blocks, its health checked every second. */
export const avalancheGo = (place: Place, binary: string): Kind => ({
  name: 'AvalancheGo',
  start: async () => {
    const stakingPort = await freePort();
    return launch(place, 'AvalancheGo', (port, dir) => [
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

/** The bare server, with the texts it answers by path. */
export const bare = (place: Place, answers: Record<string, string> = {}): Kind => ({
  name: 'bare server',
  start: async () => {
    const texts = Object.fromEntries(Object.entries(answers).map(([row, text]) => [rowPath(row), text]));
    const subject = await launch(place, 'bare server', (port) => [Bun.argv[0] as string, bareServer, String(port)], JSON.stringify(texts));
    // What is asked stands behind the row, so that both are sent requests of the same length.
    return { ...subject, pathOf: (row, path) => `${rowPath(row)}?${path}` };
  },
});

async function launch(place: Place, name: string, command: (port: number, dir: string) => string[], input = ''): Promise<Subject> {
  const dir = mkdtempSync(join(place.dir, 'subject-'));
  const port = await freePort();
  const log = join(dir, 'bench.log');
  const said = openSync(log, 'w');
  const started = performance.now();
  const child = Bun.spawn(command(port, dir), { stdin: Buffer.from(input), stdout: said, stderr: said, signal: place.signal });
  const since = async (path: string, post: boolean): Promise<number> => {
    while (!(await answers(port, path, post))) {
      if (child.exitCode !== null) throw new BenchError(`${name} ended with ${child.exitCode}: ${readFileSync(log, 'utf8').slice(-2000)}`);
      if (performance.now() - started > longestStart) throw new BenchError(`${name} did not answer ${path} in time`);
      await Bun.sleep(1);
    }
    return performance.now() - started;
  };
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await child.exited;
    clearTimeout(late);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const answeredAfter = await since('/ext/info', true);
    return { name, port, pid: child.pid, pathOf: (_, path) => path, answeredAfter, healthyAfter: () => since('/ext/health', false), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A port that was free a moment ago. Both nodes take one by flag, and it has to be known before the first answer. */
function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer().on('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}

async function answers(port: number, path: string, post: boolean): Promise<boolean> {
  try {
    const init = post ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: networkIdBody } : {};
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal: AbortSignal.timeout(2000) });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

const rowPath = (row: string): string => `/row/${row.replace(/[^\w.]+/g, '-')}`;

const networkIdBody = '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}';

/** AvalancheGo may take half a minute to call itself healthy. */
const longestStart = 60_000;

export const seracBin = fileURLToPath(new URL('../bin/serac', import.meta.url));
const bareServer = fileURLToPath(new URL('bare-server.ts', import.meta.url));
