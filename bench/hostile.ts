import { fileURLToPath } from 'node:url';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { type HostileName, hostileKinds } from '../test/hostile-kinds.ts';
import { createLanes } from '../test/network-nodes.ts';
import { xPath } from './fixture.ts';
import { isSelected } from './measure.ts';
import type { Options } from './options.ts';
import { callNode, waitUntil } from './p2p-node.ts';
import { readCpuSeconds, readMemory } from './process-usage.ts';
import type { BenchEnv } from './servers.ts';
import { type Stakers, startAvalancheGoStakers, startSeracStakers } from './staker-nodes.ts';

/** What hostile peers without stake cost one of five stakers. Memory in MB; delays in ms, from the issue of a transaction to its acceptance. */
type Cost = {
  readonly before: number;
  readonly peak: number;
  /** Some seconds after the peers left. */
  readonly after: number;
  readonly cpuPercent: number;
  /** Without hostile peers, right before: a busy machine delays both. */
  readonly calmDelays: readonly number[];
  readonly delays: readonly number[];
};

/** Measures memory and acceptance of a staker under each kind of hostile peers; beside AvalancheGo where its binary and keys are there. */
export async function runHostile(env: BenchEnv, options: Options, binary: string | undefined): Promise<void> {
  const keys = process.env.AVALANCHEGO_STAKING_KEYS;
  const sides: [string, () => Promise<Stakers>][] = [['Serac', () => startSeracStakers(env)]];
  if (binary !== undefined && keys !== undefined) sides.push(['AvalancheGo', () => startAvalancheGoStakers(binary, keys)]);
  const count = options.peers ?? 60;
  const times = options.quick ? { flood: 8, after: 6 } : { flood: 20, after: 15 };
  console.log(
    `${count} hostile peers without stake; memory in MB before, highest, and ${times.after} s after they left; ms until a staker accepts: the slowest of three before, then during the flood`,
  );
  console.log(
    `| peers | node | before | highest | ${times.after} s after | calm | median | slowest | accepted | CPU |\n|---|---|---|---|---|---|---|---|---|---|`,
  );
  for (const [side, start] of sides) {
    const { nodes, stop } = await start();
    try {
      const [target] = nodes as [Target];
      const accept = await openIssuer(target);
      for (const name of Object.keys(hostileKinds) as HostileName[]) {
        if (!isSelected(name, options)) continue;
        // A node that accepts nothing under one kind is still measured under the others.
        const row = await measure(target, accept, name, count, times).then(formatCost, (error: Error) => `${error.message} |`);
        console.log(`| ${name} | ${side} | ${row}`);
      }
    } finally {
      await stop();
    }
  }
}

function formatCost({ before, peak, after, calmDelays, delays, cpuPercent }: Cost): string {
  const sorted = [...delays].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const cells = [before, peak, after, Math.max(...calmDelays), median, sorted.at(-1) ?? Number.NaN];
  return `${cells.map((cell) => Math.round(cell)).join(' | ')} | ${sorted.length} | ${Math.round(cpuPercent)} % |`;
}

type Target = Stakers['nodes'][number];

/** Returns a function that issues a transaction at a node and waits until it is accepted there. It returns the milliseconds. */
async function openIssuer(target: Target): Promise<() => Promise<number>> {
  const lanes = createLanes(1);
  const accept = async (tx: ReturnType<typeof lanes.next>): Promise<number> => {
    const began = performance.now();
    await callNode(target, xPath, 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
    const txID = idText(tx.id);
    await waitUntil(
      `${target.name} has not accepted ${txID}`,
      async () => (await callNode<{ status: string }>(target, xPath, 'avm.getTxStatus', { txID })).status === 'Accepted',
      120_000,
      20,
    );
    return performance.now() - began;
  };
  await accept(lanes.first);
  return () => accept(lanes.next(0));
}

async function measure(
  target: Target,
  accept: () => Promise<number>,
  name: HostileName,
  count: number,
  times: { readonly flood: number; readonly after: number },
): Promise<Cost> {
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, readMemory(target.pid)?.megabytes ?? 0);
  }, 250);
  try {
    const calmDelays: number[] = [];
    for (let i = 0; i < 3; i++) calmDelays.push(await accept());
    const before = readMemory(target.pid)?.megabytes ?? Number.NaN;
    peak = 0;
    const hostile = Bun.spawn([process.execPath, hostilePath, name, String(count), target.stakingAddress], { stdout: 'pipe' });
    const delays: number[] = [];
    let cpu = 0;
    try {
      const lines = readLines(hostile.stdout);
      await Promise.race([lines.first, Bun.sleep(20_000)]);
      const cpuBefore = readCpuSeconds(target.pid) ?? Number.NaN;
      const began = performance.now();
      while (performance.now() - began < 1000 * times.flood) delays.push(await accept());
      cpu = (100_000 * ((readCpuSeconds(target.pid) ?? Number.NaN) - cpuBefore)) / (performance.now() - began);
      const { numPeers } = await callNode<{ numPeers: string }>(target, '/ext/info', 'info.peers');
      console.error(`  ${name}, ${target.name}: ${numPeers} peers with the stakers; ${lines.last()}`);
    } finally {
      hostile.kill('SIGKILL');
      await hostile.exited;
    }
    await Bun.sleep(1000 * times.after);
    return { before, peak, after: readMemory(target.pid)?.megabytes ?? Number.NaN, cpuPercent: cpu, calmDelays, delays };
  } finally {
    clearInterval(sampling);
  }
}

function readLines(stream: ReadableStream<Uint8Array>) {
  const first = Promise.withResolvers<void>();
  let last = '';
  void (async () => {
    for await (const chunk of stream) {
      last = Buffer.from(chunk).toString('utf8').trim();
      first.resolve();
    }
  })();
  return { first: first.promise, last: () => last };
}

const hostilePath = fileURLToPath(new URL('../test/hostile-peers.ts', import.meta.url));
