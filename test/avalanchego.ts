import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from './http.ts';

/** The peer itself: a node of its own local network, alone, with no pause between blocks. */
export type AvalancheGo = { readonly client: Client; readonly stop: () => Promise<void> };

const longestStart = 60_000;

export async function startAvalancheGo(binary: string): Promise<AvalancheGo> {
  const folder = mkdtempSync(join(tmpdir(), 'serac-peer-'));
  const child = Bun.spawn(
    [
      binary,
      '--network-id=local',
      '--sybil-protection-enabled=false',
      '--proposervm-min-block-delay=0s',
      '--health-check-frequency=2s',
      '--fd-limit=16384',
      '--http-host=127.0.0.1',
      '--http-port=0',
      '--staking-host=127.0.0.1',
      '--staking-port=0',
      '--public-ip=127.0.0.1',
      `--data-dir=${folder}`,
    ],
    { stdout: 'ignore', stderr: 'ignore' },
  );
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const until = performance.now() + longestStart;
  while (performance.now() < until && child.exitCode === null) {
    const client = clientOf(join(folder, 'process.json'));
    if (client !== undefined && (await isHealthy(client))) return { client, stop: () => stop().finally(client.close) };
    client?.close();
    await Bun.sleep(100);
  }
  await stop();
  throw new Error('AvalancheGo did not become healthy');
}

/** Where it listens, once it has written that down. */
function clientOf(file: string): Client | undefined {
  try {
    const { uri } = JSON.parse(readFileSync(file, 'utf8')) as { uri: string };
    return createClient(Number(new URL(uri).port));
  } catch {
    return undefined;
  }
}

const isHealthy = (client: Client): Promise<boolean> =>
  client.send('GET', '/ext/health').then(
    ({ status }) => status === 200,
    () => false,
  );
