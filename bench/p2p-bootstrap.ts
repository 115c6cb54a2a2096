import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from './fault.ts';
import { alternate, type Sides } from './measure.ts';
import type { Options } from './options.ts';
import { isBootstrapped, joinedSerac, type PeerLauncher, type PeerServer, readChainCounter, readHeight, waitUntil } from './p2p-node.ts';
import { generateSourceChain } from './p2p-source.ts';
import { readCpuSeconds, readMemory } from './process-usage.ts';
import type { ReportRow } from './report.ts';
import type { BenchEnv } from './servers.ts';

/** `seconds` is from the first fetched block to the end of bootstrapping, `total` from the start of the process. */
type Bootstrap = { readonly seconds: number; readonly total: number; readonly cpuSeconds: number; readonly megabytes: number };

/** Measures how many blocks per second a new node bootstraps. Serac and AvalancheGo bootstrap from the same two nodes. */
export async function measureBootstraps(
  env: BenchEnv,
  launchers: Sides<PeerLauncher | undefined>,
  options: Options,
  report: (row: ReportRow) => void,
): Promise<void> {
  const blocks = options.blocks ?? (options.quick ? 5000 : 100_000);
  const sources = await startSources(env, launchers.theirs, blocks);
  try {
    const { ours, theirs } = await alternate(options.rounds, launchers, async (launch, round, side) => {
      if (launch === undefined) return [];
      const result = await measureBootstrap(launch, sources, blocks);
      console.error(`  round ${round + 1}, ${side === 'ours' ? 'Serac' : 'AvalancheGo'}: ${describe(result, blocks)}`);
      return [result];
    });
    const values = (of: (one: Bootstrap) => number) => ({ ours: ours.flat().map(of), theirs: theirs.flat().map(of) });
    report({
      name: `bootstrap of ${blocks.toLocaleString('en')} blocks`,
      unit: '/s',
      ...values(({ seconds }) => blocks / seconds),
      cpu: values(({ cpuSeconds }) => (1e6 * cpuSeconds) / blocks),
      target: { atLeast: 2 },
    });
    report({ name: 'memory after bootstrap', unit: 'MB', ...values(({ megabytes }) => megabytes), target: { atLeast: 1 } });
  } finally {
    for (const source of sources) await source.stop();
  }
}

/**
 * Starts two nodes with a generated chain: of AvalancheGo if it is there, else of Serac. Two, because without sybil protection a node counts
 * itself as one of the beacons, so that one other node is no majority. AvalancheGo nodes first bootstrap the chain from Serac nodes.
 */
async function startSources(env: BenchEnv, launchAvalancheGo: PeerLauncher | undefined, blocks: number): Promise<readonly PeerServer[]> {
  const dirs = [join(env.dir, 'source-1'), join(env.dir, 'source-2')] as const;
  console.error(`generating ${blocks} blocks`);
  await generateSourceChain(dirs[0], blocks, env.signal);
  cpSync(dirs[0], dirs[1], { recursive: true });
  const generated = await Promise.all(dirs.map((dataDir) => joinedSerac(env)([], { dataDir })));
  if (launchAvalancheGo === undefined) return generated;
  console.error('two AvalancheGo nodes, the sources of all others, bootstrap the generated chain');
  // One after the other: the second counts the first as a beacon too, and most beacons must have the chain.
  const sources: PeerServer[] = [];
  for (let i = 0; i < 2; i++) {
    const source = await launchAvalancheGo([...generated, ...sources]);
    await waitBootstrapped(source, blocks);
    sources.push(source);
  }
  for (const node of generated) await node.stop();
  return sources;
}

async function measureBootstrap(launch: PeerLauncher, sources: readonly PeerServer[], blocks: number): Promise<Bootstrap> {
  const started = performance.now();
  const node = await launch(sources);
  try {
    const [{ time, cpu }, end] = [await waitFirstBlock(node, started), await waitBootstrapped(node, blocks)];
    const cpuSeconds = (readCpuSeconds(node.pid) ?? Number.NaN) - cpu;
    const megabytes = readMemory(node.pid)?.megabytes ?? Number.NaN;
    return { seconds: (end - time) / 1000, total: (end - started) / 1000, cpuSeconds, megabytes };
  } finally {
    await node.stop();
  }
}

/** Waits until the node fetches blocks. Returns the last time at which it had none, and the CPU time it had used then. */
async function waitFirstBlock(node: PeerServer, started: number): Promise<{ time: number; cpu: number }> {
  let last = { time: started, cpu: 0 };
  for (;;) {
    const now = { time: performance.now(), cpu: readCpuSeconds(node.pid) ?? Number.NaN };
    if ((await readChainCounter(node, 'avalanche_snowman_bs_fetched')) > 0 || (await isBootstrapped(node))) return last;
    if (now.time - started > timeout) throw new BenchError(`${node.name} has fetched no blocks after ${timeout / 1000} s`);
    last = now;
    await Bun.sleep(pollMs);
  }
}

/** Waits until the node has the whole chain; returns the time. */
async function waitBootstrapped(node: PeerServer, blocks: number): Promise<number> {
  await waitUntil(`${node.name} has not bootstrapped`, () => isBootstrapped(node), timeout, pollMs);
  const end = performance.now();
  const height = await readHeight(node);
  if (height !== blocks) throw new BenchError(`${node.name} bootstrapped to height ${height}, not ${blocks}`);
  return end;
}

const describe = ({ seconds, total, cpuSeconds }: Bootstrap, blocks: number): string =>
  `${Math.round(blocks / seconds)} blocks/s, ${((1e6 * cpuSeconds) / blocks).toFixed(0)} µs CPU per block, ${total.toFixed(1)} s since the start of the process`;

/** Milliseconds between two questions to a node; a shorter time would cost it a noticeable part of its CPU time. */
const pollMs = 50;
/** Milliseconds until a run fails. */
const timeout = 600_000;
