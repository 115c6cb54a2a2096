import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from './http.ts';

/** A real AvalancheGo node: the only node of a local network, without delay between blocks. */
export type AvalancheGo = {
  readonly client: Client;
  readonly url: string;
  /** The address for peers. */
  readonly stakingAddress: string;
  readonly stop: () => Promise<void>;
  /** Kills it without a clean shutdown. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port and data directory. Returns long before it answers requests. */
  readonly restart: () => void;
};

const startTimeout = 60_000;

/** `isAlone` false: it is started as one of several validators, so it never becomes healthy; ready when it reports on its health. */
export async function startAvalancheGo(
  binary: string,
  { isAlone = true, flags = [] }: { readonly isAlone?: boolean; readonly flags?: readonly string[] } = {},
): Promise<AvalancheGo> {
  const folder = mkdtempSync(join(tmpdir(), 'serac-avalanchego-'));
  let child = spawn(binary, folder, [0, 0], isAlone, flags);
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
    const ports = readPorts(join(folder, 'process.json'));
    const client = ports && createClient(ports[0]);
    if (ports !== undefined && client !== undefined && (await hasHealth(client, isAlone)))
      return {
        client,
        url: `http://127.0.0.1:${ports[0]}`,
        stakingAddress: `127.0.0.1:${ports[1]}`,
        stop: () => stop().finally(client.close),
        kill,
        restart: () => {
          child = spawn(binary, folder, ports, isAlone, flags);
        },
      };
    client?.close();
    await Bun.sleep(100);
  }
  await stop();
  throw new Error('AvalancheGo did not become healthy');
}

const spawn = (
  binary: string,
  folder: string,
  [port, stakingPort]: readonly [number, number],
  isAlone: boolean,
  flags: readonly string[],
) =>
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
      `--staking-port=${stakingPort}`,
      '--public-ip=127.0.0.1',
      `--data-dir=${folder}`,
      ...flags,
    ],
    { stdout: 'ignore', stderr: 'ignore' },
  );

/** The ports of AvalancheGo's process file, for HTTP and for peers; undefined until it is written. */
function readPorts(file: string): [http: number, staking: number] | undefined {
  try {
    const { uri, stakingAddress } = JSON.parse(readFileSync(file, 'utf8')) as { uri: string; stakingAddress: string };
    return [Number(new URL(uri).port), Number(stakingAddress.split(':').at(-1))];
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
