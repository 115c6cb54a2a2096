import type { Tx } from '../src/avm/tx/tx.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { createLanes } from '../test/network-nodes.ts';
import { xPath } from './fixture.ts';
import { alternate, type Sides } from './measure.ts';
import type { Options } from './options.ts';
import { callNode, isBootstrapped, type PeerLauncher, type PeerServer, waitUntil } from './p2p-node.ts';
import type { ReportRow } from './report.ts';

/**
 * Measures the milliseconds from the issue of a transaction until all nodes of a network have accepted it, in networks of Serac nodes and of
 * AvalancheGo nodes. The transactions are issued one after the other, to the nodes in turn.
 */
export async function measureAcceptance(
  launchers: Sides<PeerLauncher | undefined>,
  nodes: number,
  options: Options,
  report: (row: ReportRow) => void,
): Promise<void> {
  const times: Sides<Percentiles[]> = await alternate(options.rounds, launchers, async (launch, round, side) => {
    if (launch === undefined) return undefined;
    const sorted = await runNetwork(launch, nodes, options.quick ? 20 : 50);
    const result = { median: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
    console.error(`  round ${round + 1}, ${nodes} nodes, ${side}: median ${result.median.toFixed(1)} ms, p95 ${result.p95.toFixed(1)} ms`);
    return result;
  }).then(({ ours, theirs }) => ({ ours: ours.filter(isDefined), theirs: theirs.filter(isDefined) }));
  for (const name of ['median', 'p95'] as const)
    report({
      name: `issue to acceptance, ${nodes} nodes, ${name}`,
      unit: 'ms',
      ours: times.ours.map((one) => one[name]),
      theirs: times.theirs.map((one) => one[name]),
      target: { atLeast: 1 },
    });
}

type Percentiles = { readonly median: number; readonly p95: number };
const isDefined = (one: Percentiles | undefined): one is Percentiles => one !== undefined;

/** Starts a network, issues transactions and stops it. Returns their sorted times. */
async function runNetwork(launch: PeerLauncher, count: number, txs: number): Promise<number[]> {
  const nodes: PeerServer[] = [];
  try {
    for (let i = 0; i < count; i++) nodes.push(await launch(nodes));
    await waitUntil('the network is not connected', async () =>
      (await Promise.all(nodes.map((node) => isReady(node, count)))).every(Boolean),
    );
    const lanes = createLanes(1);
    await issueAndWait(nodes, 0, lanes.first);
    for (let i = 0; i < warmUpTxs; i++) await issueAndWait(nodes, i, lanes.next(0));
    const times: number[] = [];
    for (let i = 0; i < txs; i++) times.push(await issueAndWait(nodes, i, lanes.next(0)));
    return times.sort((a, b) => a - b);
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
}

async function isReady(node: PeerServer, count: number): Promise<boolean> {
  const { numPeers } = await callNode<{ numPeers: string }>(node, '/ext/info', 'info.peers');
  return Number(numPeers) === count - 1 && (await isBootstrapped(node));
}

/** Returns the milliseconds until the last node has accepted the transaction. */
async function issueAndWait(nodes: readonly PeerServer[], turn: number, tx: Tx): Promise<number> {
  const start = performance.now();
  await callNode(nodes[turn % nodes.length] as PeerServer, xPath, 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
  const txID = idText(tx.id);
  for (const node of nodes)
    await waitUntil(`${node.name} has not accepted ${txID}`, async () => {
      const { status } = await callNode<{ status: string }>(node, xPath, 'avm.getTxStatus', { txID });
      return status === 'Accepted';
    });
  return performance.now() - start;
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;

/** A node runs for days: measured is what it does when its code is compiled, which takes Serac about this many blocks. */
const warmUpTxs = 150;
