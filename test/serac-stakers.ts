import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeIdOfCertificate, nodeIdText } from '../src/base/bytes/node-id.ts';
import { findFreePorts } from '../src/cli/testnet/node-process.ts';
import { certificatePem, newKeyPair, privateKeyPem } from '../src/network/identity/certificate.ts';
import { isBootstrapped, type NetworkNode } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { startTrustedNode } from './trusted-node.ts';

/** A Serac staker with a share of the stake that all have alike, and the stand-ins for trusted nodes that only this one asks. */
export type SeracStaker = NetworkNode & {
  readonly nodeID: string;
  readonly program: Program;
  readonly sources: readonly ReturnType<typeof startTrustedNode>[];
};

/** Starts Serac stakers with sybil protection, each with `sources` trusted nodes of its own, and waits until all have bootstrapped. */
export async function startSeracStakers(
  count: number,
  sources: number,
  flags: readonly string[] = [],
): Promise<{ readonly nodes: readonly SeracStaker[]; readonly stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'serac-stakers-'));
  const ports = await findFreePorts(count);
  const stakers = ports.map((port) => {
    const pair = newKeyPair(1_700_000_000n);
    const files = { certificate: join(folder, `${port}.crt`), key: join(folder, `${port}.key`) };
    writeFileSync(files.certificate, certificatePem(pair));
    writeFileSync(files.key, privateKeyPem(pair), { mode: 0o600 });
    const trusted = Array.from({ length: sources }, () => startTrustedNode());
    return { port, ...files, nodeID: nodeIdText(nodeIdOfCertificate(pair.certificate)), trusted };
  });
  const nodes: SeracStaker[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map(({ program }) => program.stop('SIGKILL')));
    for (const { trusted } of stakers) for (const source of trusted) source.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const { trusted } of stakers) for (const { chain } of trusted) chain.validators = stakers.map(({ nodeID }) => nodeID);
    const starts = stakers.map(async ({ port, certificate, key, nodeID, trusted }, i) => {
      const others = stakers.filter((other) => other.port !== port);
      const program = await startProgram(
        'join',
        '--network-id=local',
        `--data-dir=${join(folder, `${port}`)}`,
        `--validators-from=${trusted.map(({ url }) => url).join()}`,
        '--dev-methods',
        // Nobody runs the P- and C-Chain here.
        '--force',
        '--staking-host=127.0.0.1',
        '--public-ip=127.0.0.1',
        `--staking-port=${port}`,
        `--staking-tls-cert-file=${certificate}`,
        `--staking-tls-key-file=${key}`,
        `--bootstrap-ips=${others.map((other) => `127.0.0.1:${other.port}`).join()}`,
        `--bootstrap-ids=${others.map((other) => other.nodeID).join()}`,
        '--log-level=warn',
        ...flags,
      );
      nodes.push({ name: `staker ${i + 1}`, client: program.client, nodeID, program, sources: trusted });
    });
    await Promise.all(starts);
    await eventually(
      () => Promise.all(nodes.map((node) => isBootstrapped(node))),
      (answers) => answers.every(Boolean),
      240_000,
    );
    return { nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
