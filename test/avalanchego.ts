import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from './http.ts';

/** A real AvalancheGo node: the only node of a local network, without delay between blocks. */
export type AvalancheGo = {
  readonly client: Client;
  readonly url: string;
  /** The port for peers. */
  readonly stakingPort: number;
  /** The process; after `restart` that of the new one. */
  readonly pid: () => number;
  readonly stop: () => Promise<void>;
  /** Kills it without a clean shutdown. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same ports and data directory. Returns long before it answers requests. */
  readonly restart: () => void;
};

const startTimeout = 60_000;

/**
 * `isAlone` false: it is started as one of several validators, so it never becomes healthy; ready when it reports on its health. `flags` are
 * further ones.
 */
export async function startAvalancheGo(
  binary: string,
  { isAlone = true, flags = [] }: { readonly isAlone?: boolean; readonly flags?: readonly string[] } = {},
): Promise<AvalancheGo> {
  const folder = mkdtempSync(join(tmpdir(), 'serac-avalanchego-'));
  let child = spawnAvalancheGo(binary, folder, 0, isAlone, flags);
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await child.exited;
  };
  const until = performance.now() + startTimeout;
  while (performance.now() < until && child.exitCode === null) {
    const { port, stakingPort } = readPorts(join(folder, 'process.json')) ?? {};
    const client = port === undefined ? undefined : createClient(port);
    if (port !== undefined && stakingPort !== undefined && client !== undefined && (await hasHealth(client, isAlone)))
      return {
        client,
        url: `http://127.0.0.1:${port}`,
        stakingPort,
        pid: () => child.pid,
        stop: () => stop().finally(client.close),
        kill,
        restart: () => {
          child = spawnAvalancheGo(binary, folder, port, isAlone, [...flags, `--staking-port=${stakingPort}`]);
        },
      };
    client?.close();
    await Bun.sleep(100);
  }
  await stop();
  throw new Error('AvalancheGo did not become healthy');
}

/** Starts the process and does not wait for it. */
export const spawnAvalancheGo = (binary: string, folder: string, port: number, isAlone: boolean, flags: readonly string[]) =>
  Bun.spawn(
    [
      binary,
      '--network-id=local',
      `--sybil-protection-enabled=${!isAlone}`,
      '--proposervm-min-block-delay=0s',
      '--health-check-frequency=2s',
      '--fd-limit=16384',
      '--http-host=127.0.0.1',
      `--http-port=${port}`,
      '--staking-host=127.0.0.1',
      '--staking-port=0',
      '--public-ip=127.0.0.1',
      `--data-dir=${folder}`,
      ...flags,
    ],
    { stdout: 'ignore', stderr: 'ignore' },
  );

/** The ports from AvalancheGo's process file; undefined until it is written. */
function readPorts(file: string): { readonly port: number; readonly stakingPort: number } | undefined {
  try {
    const { uri, stakingAddress } = JSON.parse(readFileSync(file, 'utf8')) as { uri: string; stakingAddress: string };
    return { port: Number(new URL(uri).port), stakingPort: Number(stakingAddress.split(':').at(-1)) };
  } catch {
    return undefined;
  }
}

/** Whether it is healthy; for a node that is not alone, whether the checks of its chains have run. */
const hasHealth = (client: Client, isAlone: boolean): Promise<boolean> =>
  client.send('GET', '/ext/health').then(
    ({ status, text }) => (isAlone ? status === 200 : text.includes('not connected to enough stake')),
    () => false,
  );
