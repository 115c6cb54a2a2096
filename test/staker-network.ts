import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeIdOfCertificate, nodeIdText } from '../src/base/bytes/node-id.ts';
import { pemDecode } from '../src/network/identity/pem.ts';
import { type Client, createClient } from './http.ts';
import { eventually } from './processes.ts';

/** Nodes of AvalancheGo with keys of the five local stakers and sybil protection, on loopback. */
export type StakerNetwork = {
  readonly clients: readonly Client[];
  readonly urls: readonly string[];
  readonly nodes: readonly { readonly http: number; readonly staking: number; readonly pid: number }[];
  readonly stop: () => Promise<void>;
};

/**
 * Starts nodes with the keys of stakers 1 to `count`. At least four are needed: with less than 75 % of the stake no chain bootstraps. `keys` is
 * the folder staking/local of AvalancheGo's source.
 */
export async function startStakerNetwork(
  binary: string,
  keys: string,
  count: 4 | 5,
  flags: readonly string[] = [],
): Promise<StakerNetwork> {
  const folder = mkdtempSync(join(tmpdir(), 'serac-stakers-'));
  const ports = await freePorts(2 * count);
  const nodes = Array.from({ length: count }, (_, i) => ({
    http: ports[2 * i] as number,
    staking: ports[2 * i + 1] as number,
    id: nodeIdText(nodeIdOfCertificate(pemDecode('CERTIFICATE', readFileSync(join(keys, `staker${i + 1}.crt`), 'utf8')) as Uint8Array)),
  }));
  const children = nodes.map(({ http, staking }, i) => {
    const others = nodes.filter((_, other) => other !== i);
    return Bun.spawn(
      [
        binary,
        '--network-id=local',
        '--fd-limit=16384',
        '--health-check-frequency=2s',
        `--data-dir=${join(folder, String(i))}`,
        '--http-host=127.0.0.1',
        `--http-port=${http}`,
        '--staking-host=127.0.0.1',
        `--staking-port=${staking}`,
        '--public-ip=127.0.0.1',
        `--staking-tls-cert-file=${join(keys, `staker${i + 1}.crt`)}`,
        `--staking-tls-key-file=${join(keys, `staker${i + 1}.key`)}`,
        `--staking-signer-key-file=${join(keys, `signer${i + 1}.key`)}`,
        `--bootstrap-ips=${others.map((other) => `127.0.0.1:${other.staking}`).join()}`,
        `--bootstrap-ids=${others.map(({ id }) => id).join()}`,
        ...flags,
      ],
      { stdout: 'ignore', stderr: 'ignore' },
    );
  });
  const clients = nodes.map(({ http }) => createClient(http));
  const stop = async () => {
    for (const client of clients) client.close();
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(children.map(({ exited }) => exited));
    rmSync(folder, { recursive: true, force: true });
  };
  const isReady = async (client: Client): Promise<boolean> => {
    try {
      const { result } = await client.call('/ext/info', 'info.isBootstrapped', { chain: 'X' });
      return (result as { isBootstrapped?: boolean } | undefined)?.isBootstrapped === true;
    } catch {
      return false;
    }
  };
  try {
    for (const client of clients)
      await eventually(
        () => isReady(client),
        (ready) => ready,
        120_000,
      );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    clients,
    urls: nodes.map(({ http }) => `http://127.0.0.1:${http}`),
    nodes: nodes.map(({ http, staking }, i) => ({ http, staking, pid: children[i]?.pid as number })),
    stop,
  };
}

/** Ports that were free a moment ago. All are held until the last is known, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer();
          server.listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
