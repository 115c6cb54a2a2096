import { BenchError } from './fault.ts';
import { rpcBody, xPath } from './fixture.ts';
import { fetchText } from './measure.ts';
import { type BenchEnv, type BenchServer, findFreePort, joinCommand, launchServer } from './servers.ts';

/** A node that other nodes can connect to. */
export type PeerServer = BenchServer & { readonly nodeID: string; readonly stakingAddress: string };

/** Starts a node that connects to others. `dataDir`: a directory that stays when the node stops. */
export type PeerLauncher = (
  first: readonly Pick<PeerServer, 'nodeID' | 'stakingAddress'>[],
  options?: { readonly dataDir?: string; readonly flags?: readonly string[] },
) => Promise<PeerServer>;

const sharedFlags = [
  '--network-id=local',
  '--sybil-protection-enabled=false',
  '--http-host=127.0.0.1',
  '--staking-host=127.0.0.1',
  '--public-ip=127.0.0.1',
  '--proposervm-min-block-delay=0s',
  '--health-check-frequency=1s',
  '--network-initial-reconnect-delay=200ms',
];

/** `serac join`. It also answers for the P- and C-Chain, without which AvalancheGo does not bootstrap from it. */
export const joinedSerac =
  (env: BenchEnv): PeerLauncher =>
  (first, options) =>
    launchPeer(env, 'Serac', [...joinCommand(env), '--echo-other-chains', '--log-level=warn'], first, options);

export const joinedAvalancheGo =
  (env: BenchEnv, binary: string): PeerLauncher =>
  (first, options) =>
    launchPeer(env, 'AvalancheGo', [binary, '--fd-limit=16384'], first, options);

async function launchPeer(
  env: BenchEnv,
  name: string,
  command: readonly string[],
  first: Parameters<PeerLauncher>[0],
  { dataDir, flags = [] }: Parameters<PeerLauncher>[1] = {},
): Promise<PeerServer> {
  const stakingPort = await findFreePort();
  const server = await launchServer(env, name, (port, dir) => [
    ...command,
    ...sharedFlags,
    `--http-port=${port}`,
    `--staking-port=${stakingPort}`,
    `--data-dir=${dataDir ?? dir}`,
    `--bootstrap-ips=${first.map(({ stakingAddress }) => stakingAddress).join(',')}`,
    `--bootstrap-ids=${first.map(({ nodeID }) => nodeID).join(',')}`,
    ...flags,
  ]);
  const { nodeID } = await callNode<{ nodeID: string }>(server, '/ext/info', 'info.getNodeID');
  return { ...server, nodeID, stakingAddress: `127.0.0.1:${stakingPort}` };
}

export async function callNode<T>({ port }: Pick<BenchServer, 'port'>, path: string, method: string, params: object = {}): Promise<T> {
  return (JSON.parse(await fetchText(port, { path, body: rpcBody(method, params) })) as { result: T }).result;
}

export const readHeight = async (node: BenchServer): Promise<number> =>
  Number((await callNode<{ height: string }>(node, xPath, 'avm.getHeight')).height);

export const isBootstrapped = async (node: BenchServer): Promise<boolean> =>
  (await callNode<{ isBootstrapped: boolean }>(node, '/ext/info', 'info.isBootstrapped', { chain: 'X' }))?.isBootstrapped === true;

/** Waits until a condition holds; `failure` says what is wrong if it does not. It is tested every `interval` milliseconds. */
export async function waitUntil(failure: string, isTrue: () => Promise<boolean>, timeout = 60_000, interval = 2): Promise<void> {
  const end = performance.now() + timeout;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new BenchError(`${failure} after ${timeout / 1000} s`);
    await Bun.sleep(interval);
  }
}

/** A counter of the X-Chain from /ext/metrics, 0 before the chain exists. Both nodes use the same names. */
export async function readChainCounter({ port }: BenchServer, name: string): Promise<number> {
  const text = await fetchText(port, { path: '/ext/metrics' });
  for (const line of text.split('\n'))
    if (line.startsWith(`${name}{`) && /chain="(X|2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed)"/.test(line))
      return Number(line.slice(line.lastIndexOf(' ') + 1));
  return 0;
}
