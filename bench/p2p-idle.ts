import type { NetworkContext } from '../src/app/node/network-context.ts';
import { parseNodeId } from '../src/base/bytes/node-id.ts';
import { createEchoChain } from '../src/network/consensus/echo-chain.ts';
import type { Peers } from '../src/network/peers/peers.ts';
import { createTestIdentity, createTestPeers } from '../src/network/peers/test-peers.fixture.ts';
import { alternate, type Sides } from './measure.ts';
import type { Options } from './options.ts';
import { callNode, isBootstrapped, type PeerLauncher, type PeerServer, waitUntil } from './p2p-node.ts';
import { readCpuSeconds, readMemory } from './process-usage.ts';
import type { ReportRow } from './report.ts';

const peerCount = 50;

/**
 * Measures what connected peers cost a node whose chains are idle: its CPU time and memory with them, less those without. The peers run in
 * this process. They answer pings and queries, and send nothing by themselves.
 */
export async function measureIdlePeers(
  launchers: Sides<PeerLauncher | undefined>,
  context: NetworkContext,
  options: Options,
  report: (row: ReportRow) => void,
): Promise<void> {
  const { ours, theirs } = await alternate(options.rounds, launchers, async (launch) =>
    launch === undefined
      ? []
      : [await runNode(launch, context, options.quick ? { settled: 15, seconds: 5 } : { settled: 40, seconds: 20 })],
  );
  const values = (of: (one: Cost) => number) => ({ ours: ours.flat().map(of), theirs: theirs.flat().map(of) });
  const cpu = values(({ cpuMilliseconds }) => cpuMilliseconds);
  report({ name: `CPU per second for ${peerCount} idle peers`, unit: 'ms', ...cpu, target: { atLeast: 1 } });
  report({ name: `memory for ${peerCount} idle peers`, unit: 'MB', ...values(({ megabytes }) => megabytes), target: { atLeast: 1 } });
}

/** `cpuMilliseconds`: per second. */
type Cost = { readonly cpuMilliseconds: number; readonly megabytes: number };

/** `settled`: seconds from the connection of the last peer to the measurement, in which Bun compiles hot code. `seconds`: length of a measurement. */
type Times = { readonly settled: number; readonly seconds: number };

async function runNode(launch: PeerLauncher, context: NetworkContext, { settled, seconds }: Times): Promise<Cost> {
  const node = await launch([]);
  const peers: Peers[] = [];
  try {
    await waitUntil(`${node.name} has not bootstrapped`, () => isBootstrapped(node));
    await Bun.sleep(settleMs);
    const alone = await measureCost(node, seconds);
    for (let i = 0; i < peerCount; i++) peers.push(await connectPeer(node, context));
    await waitUntil(`${node.name} is not connected to ${peerCount} peers`, async () => (await countPeers(node)) === peerCount);
    await Bun.sleep(1000 * settled);
    const together = await measureCost(node, seconds);
    return { cpuMilliseconds: together.cpuMilliseconds - alone.cpuMilliseconds, megabytes: together.megabytes - alone.megabytes };
  } finally {
    await Promise.all(peers.map((one) => one.close()));
    await node.stop();
  }
}

async function measureCost(node: PeerServer, seconds: number): Promise<Cost> {
  const before = readCpuSeconds(node.pid) ?? Number.NaN;
  await Bun.sleep(1000 * seconds);
  const used = (readCpuSeconds(node.pid) ?? Number.NaN) - before;
  return { cpuMilliseconds: (1000 * used) / seconds, megabytes: readMemory(node.pid)?.megabytes ?? Number.NaN };
}

/** Connects a peer that agrees with every block it is asked about. */
async function connectPeer(node: PeerServer, { p, c, specs }: NetworkContext): Promise<Peers> {
  const [ip = '', port = ''] = node.stakingAddress.split(':');
  const peers = createTestPeers({
    identity: createTestIdentity(),
    beacons: [{ node: parseNodeId(node.nodeID), endpoint: { ip, port: Number(port) } }],
  });
  const chains = [
    [p.id, p.genesisBlockID],
    [c.id, c.genesisBlockID],
    [specs[0].id, specs[0].genesisBlock.id],
  ] as const;
  for (const [chainId, firstBlock] of chains)
    if (chainId !== undefined) peers.addChain(chainId, createEchoChain({ chainId, firstBlock, transport: peers.transport }));
  await peers.start();
  return peers;
}

const countPeers = async (node: PeerServer): Promise<number> =>
  Number((await callNode<{ numPeers: string }>(node, '/ext/info', 'info.peers')).numPeers);

const settleMs = 2000;
