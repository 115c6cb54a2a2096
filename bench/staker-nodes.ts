import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeIdOfCertificate, nodeIdText } from '../src/base/bytes/node-id.ts';
import { certificatePem, newKeyPair, privateKeyPem } from '../src/network/identity/certificate.ts';
import { startStakerNetwork } from '../test/staker-network.ts';
import { startTrustedNode } from '../test/trusted-node.ts';
import { isBootstrapped, waitUntil } from './p2p-node.ts';
import { type BenchEnv, type BenchServer, findFreePort, joinCommand, launchServer } from './servers.ts';

/** A network of five stakers of one kind, with sybil protection. Peers that connect to it have no stake. */
export type Stakers = {
  readonly nodes: readonly (Pick<BenchServer, 'name' | 'port' | 'pid'> & { readonly stakingAddress: string })[];
  readonly stop: () => Promise<void>;
};

const stakerCount = 5;

/** Serac nodes; a stand-in knows the validators of the P-Chain. */
export async function startSeracStakers(env: BenchEnv, count = stakerCount): Promise<Stakers> {
  const trusted = startTrustedNode();
  const stakers = await Promise.all(
    Array.from({ length: count }, async () => {
      const pair = newKeyPair(1_700_000_000n);
      const folder = mkdtempSync(join(env.dir, 'staker-'));
      const files = { certificate: join(folder, 'staker.crt'), key: join(folder, 'staker.key') };
      writeFileSync(files.certificate, certificatePem(pair));
      writeFileSync(files.key, privateKeyPem(pair), { mode: 0o600 });
      return { ...files, nodeID: nodeIdText(nodeIdOfCertificate(pair.certificate)), stakingPort: await findFreePort() };
    }),
  );
  trusted.chain.validators = stakers.map(({ nodeID }) => nodeID);
  const servers: BenchServer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
    trusted.stop();
  };
  try {
    const launched = stakers.map((staker) => {
      const others = stakers.filter((other) => other !== staker);
      return launchServer(env, 'Serac', (port, dir) => [
        ...joinCommand(env),
        '--network-id=local',
        `--validators-from=${trusted.url}`,
        '--force',
        '--log-level=warn',
        '--staking-host=127.0.0.1',
        '--public-ip=127.0.0.1',
        '--health-check-frequency=2s',
        `--http-port=${port}`,
        `--staking-port=${staker.stakingPort}`,
        `--data-dir=${dir}`,
        `--staking-tls-cert-file=${staker.certificate}`,
        `--staking-tls-key-file=${staker.key}`,
        `--bootstrap-ips=${others.map(({ stakingPort }) => `127.0.0.1:${stakingPort}`).join()}`,
        `--bootstrap-ids=${others.map(({ nodeID }) => nodeID).join()}`,
      ]);
    });
    for (const one of await Promise.allSettled(launched)) {
      if (one.status === 'rejected') throw one.reason;
      servers.push(one.value);
    }
    for (const server of servers) await waitUntil(`${server.name} has not bootstrapped`, () => isBootstrapped(server));
    return { nodes: servers.map((server, i) => ({ ...server, stakingAddress: `127.0.0.1:${stakers[i]?.stakingPort}` })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Five AvalancheGo nodes; `keys` is the folder staking/local of its source. */
export async function startAvalancheGoStakers(binary: string, keys: string): Promise<Stakers> {
  const { nodes, stop } = await startStakerNetwork(binary, keys, { avalancheGo: stakerCount });
  return {
    nodes: nodes.map(({ url, stakingPort, pid }) => ({
      name: 'AvalancheGo',
      port: Number(new URL(url).port),
      pid: pid(),
      stakingAddress: `127.0.0.1:${stakingPort}`,
    })),
    stop,
  };
}
