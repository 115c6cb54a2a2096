import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeIdOfCertificate, nodeIdText } from '../src/base/bytes/node-id.ts';
import { findFreePorts } from '../src/cli/testnet/node-process.ts';
import { pemDecode } from '../src/network/identity/pem.ts';
import { createClient } from './http.ts';
import { isBootstrapped, type NetworkNode } from './network-nodes.ts';
import { eventually } from './processes.ts';
import { programCommand } from './program.ts';

/** A node with the key of a local staker, which has a fifth of the stake. */
export type StakerNode = NetworkNode & {
  readonly kind: 'AvalancheGo' | 'Serac';
  readonly nodeID: string;
  readonly url: string;
  readonly stakingPort: number;
  readonly pid: () => number;
  readonly dataDir: string;
  /** What the process has printed so far. */
  readonly log: () => string;
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  /** Ends the process as in a crash. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same ports and data. Returns long before it answers. */
  readonly start: () => void;
};

type StakerNetwork = { readonly nodes: readonly StakerNode[]; readonly stop: () => Promise<void> };

type StakerNetworkOptions = {
  /** Nodes of each kind, AvalancheGo's first. Less than four in total have too little of the stake: no chain bootstraps. */
  readonly avalancheGo: number;
  readonly serac?: number;
  /** Flags for all nodes, and for those of one kind. */
  readonly flags?: readonly string[];
  readonly avalancheGoFlags?: readonly string[];
  readonly seracFlags?: readonly string[];
  /** What starts `serac join`, with the settings of its garbage collector; by default the program as tests run it. */
  readonly seracCommand?: readonly string[];
};

/** Milliseconds until all nodes of a new network have bootstrapped, on a busy machine. */
const startTimeout = 240_000;

/**
 * Starts nodes with the keys of the local stakers 1 to 5 and sybil protection, all at the same moment, and waits until all have bootstrapped. Serac
 * nodes are told of their validators by all AvalancheGo nodes. `keys` is the folder staking/local of AvalancheGo's source.
 */
export async function startStakerNetwork(binary: string, keys: string, options: StakerNetworkOptions): Promise<StakerNetwork> {
  const { avalancheGo, serac = 0, flags = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'serac-stakers-'));
  const ports = await findFreePorts(2 * (avalancheGo + serac));
  const plans = Array.from({ length: avalancheGo + serac }, (_, i) => ({
    kind: i < avalancheGo ? ('AvalancheGo' as const) : ('Serac' as const),
    http: ports[2 * i] as number,
    staking: ports[2 * i + 1] as number,
    nodeID: nodeIdText(nodeIdOfCertificate(pemDecode('CERTIFICATE', readFileSync(join(keys, `staker${i + 1}.crt`), 'utf8')) as Uint8Array)),
  }));
  const urlsOfAvalancheGo = plans.filter(({ kind }) => kind === 'AvalancheGo').map(({ http }) => `http://127.0.0.1:${http}`);
  const nodes = plans.map(({ kind, http, staking, nodeID }, i): StakerNode => {
    // An AvalancheGo node must be told about the P-Chain by its first peers.
    const others = plans.filter((other, at) => at !== i && (kind === 'Serac' || other.kind === kind));
    const dataDir = join(folder, String(i + 1));
    const ofKind =
      kind === 'Serac'
        ? [`--validators-from=${urlsOfAvalancheGo.join()}`, '--echo-other-chains', '--dev-methods', '--json', ...(options.seracFlags ?? [])]
        : ['--fd-limit=16384', '--health-check-frequency=1s', ...(options.avalancheGoFlags ?? [])];
    const command = [
      ...(kind === 'Serac' ? (options.seracCommand ?? [...programCommand, 'join']) : [binary]),
      '--network-id=local',
      `--data-dir=${dataDir}`,
      '--http-host=127.0.0.1',
      `--http-port=${http}`,
      '--staking-host=127.0.0.1',
      `--staking-port=${staking}`,
      '--public-ip=127.0.0.1',
      `--staking-tls-cert-file=${join(keys, `staker${i + 1}.crt`)}`,
      `--staking-tls-key-file=${join(keys, `staker${i + 1}.key`)}`,
      `--staking-signer-key-file=${join(keys, `signer${i + 1}.key`)}`,
      `--bootstrap-ips=${others.map((other) => `127.0.0.1:${other.staking}`).join()}`,
      `--bootstrap-ids=${others.map((other) => other.nodeID).join()}`,
      ...ofKind,
      ...flags,
    ];
    const logFile = join(folder, `${i + 1}.log`);
    const spawn = () => {
      const log = openSync(logFile, 'a');
      return Bun.spawn(command, { stdout: log, stderr: log });
    };
    let child = spawn();
    return {
      name: `staker ${i + 1} (${kind})`,
      client: createClient(http),
      kind,
      nodeID,
      url: `http://127.0.0.1:${http}`,
      stakingPort: staking,
      pid: () => child.pid,
      dataDir,
      log: () => readFileSync(logFile, 'utf8'),
      signal: (signal) => child.kill(signal),
      kill: async () => {
        child.kill('SIGKILL');
        await child.exited;
      },
      start: () => {
        child = spawn();
      },
    };
  });
  const stop = async () => {
    for (const { client } of nodes) client.close();
    await Promise.all(nodes.map(({ kill }) => kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilBootstrapped(nodes, startTimeout);
  } catch (error) {
    for (const { name, kind, log } of nodes) if (kind === 'Serac') console.log(`${name}: ${log().slice(-4000)}`);
    await stop();
    throw error;
  }
  return { nodes, stop };
}

/** Waits until the X-Chain of all nodes is bootstrapped. */
export const untilBootstrapped = (nodes: readonly NetworkNode[], timeout: number): Promise<unknown> =>
  eventually(
    () => Promise.all(nodes.map((node) => isBootstrapped(node))),
    (answers) => answers.every(Boolean),
    timeout,
  );
