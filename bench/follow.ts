import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ewoqGenesisUtxo } from '../test/wallet-kit.ts';
import { BenchError } from './fault.ts';
import { createSpendFixture, issueAll, issueFixture, rpcBody, waitAccepted, xPath } from './fixture.ts';
import { createPosts, type LoadGenerator } from './load.ts';
import { alternate, fetchText } from './measure.ts';
import type { Options } from './options.ts';
import { readCpuSeconds } from './process-usage.ts';
import { formatTable, median, type ReportRow, ratioOf } from './report.ts';
import { avalancheGo, type BenchEnv, type BenchServer, serac, seracCommand } from './servers.ts';

/** Measures how fast `serac follow` catches up with a node, in comparison with only fetching the same blocks from it. */
export async function runFollow(env: BenchEnv, load: LoadGenerator, options: Options, binary: string | undefined): Promise<void> {
  const node = await (binary === undefined ? serac(env) : avalancheGo(env, binary)).start();
  await node.waitHealthy();
  const txs = await fillChain(node, options.quick ? 5000 : 30_000, load);
  const height = await fetchHeight(`http://127.0.0.1:${node.port}`);
  console.error(`${node.name} holds ${txs} transactions in ${height} blocks`);
  const cpuSeconds: number[] = [];
  const ways = {
    ours: () => measureCatchUp(env, node, height, (seconds) => cpuSeconds.push(seconds)),
    theirs: () => measureFetch(node, height, load),
  };
  await ways.theirs();
  const seconds = await alternate(options.rounds, ways, (way) => way());
  const rates = (values: readonly number[]) => values.map((value) => txs / value);
  const row: ReportRow = {
    name: `${txs} transactions in ${height} blocks of ${node.name}`,
    unit: '/s',
    ours: rates(seconds.ours),
    theirs: rates(seconds.theirs),
    target: { atLeast: minShareOfFetchRate },
  };
  console.log(formatTable([row], { ours: 'serac follow', theirs: 'only fetched', showTargets: false }));
  console.log(`CPU time of serac follow: ${Math.round((median(cpuSeconds) / txs) * 1e6)} µs per transaction, all threads together`);
  const reached = median(row.ours) >= targetRate || ratioOf(row) >= minShareOfFetchRate;
  console.log(`target: ${targetRate} transactions per second, or as fast as the node serves its blocks: ${reached ? 'reached' : 'missed'}`);
  await node.stop();
}

/** Transactions per second. */
const targetRate = 5000;
/** The share of the rate of only fetching that counts as equally fast, allowing for noise. */
const minShareOfFetchRate = 0.9;

async function fillChain({ port }: BenchServer, count: number, load: LoadGenerator): Promise<number> {
  const spends = createSpendFixture(ewoqGenesisUtxo, 1, count);
  await issueFixture(spends, port, load);
  const txs = spends.toIssue.flat();
  await issueAll(txs, port, load);
  await waitAccepted(txs, port, load);
  return spends.layers.flat().length + txs.length;
}

/** Starts `serac follow`; returns the seconds until it has the block at a height. */
async function measureCatchUp(env: BenchEnv, node: BenchServer, height: number, onCpu: (seconds: number) => void): Promise<number> {
  const { dir, signal } = env;
  const dataDir = mkdtempSync(join(dir, 'follow-'));
  const started = performance.now();
  const command = [...seracCommand(env), 'follow', `http://127.0.0.1:${node.port}`, '--http-port', '0', '--json', '--data-dir', dataDir];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'ignore', signal });
  try {
    const { url } = JSON.parse(await readFirstLine(child.stdout)) as { url: string };
    while ((await fetchHeight(url)) < height) {
      if (performance.now() - started > catchUpTimeout)
        throw new BenchError(`serac follow is at height ${await fetchHeight(url)}, not ${height}`);
      await Bun.sleep(5);
    }
    const seconds = (performance.now() - started) / 1000;
    onCpu(readCpuSeconds(child.pid) ?? Number.NaN);
    return seconds;
  } finally {
    child.kill('SIGTERM');
    await child.exited;
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Milliseconds until a run fails. */
const catchUpTimeout = 120_000;

/** Fetches all blocks; returns the seconds it took. */
async function measureFetch({ port }: BenchServer, height: number, load: LoadGenerator): Promise<number> {
  const bodies = Array.from({ length: height }, (_, i) => rpcBody('avm.getBlockByHeight', { height: String(i + 1), encoding: 'hex' }));
  const { errors, firstError, seconds } = await load.sendOnce({ port, calls: createPosts(xPath, bodies) });
  if (errors > 0) throw new BenchError(`${errors} of ${height} blocks could not be fetched: ${firstError}`);
  return seconds;
}

async function fetchHeight(url: string): Promise<number> {
  const text = await fetchText(Number(new URL(url).port), { path: xPath, body: rpcBody('avm.getHeight') });
  return Number((JSON.parse(text) as { result?: { height: string } }).result?.height ?? 0);
}

async function readFirstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const bytes of stream) {
    text += Buffer.from(bytes).toString();
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
  }
  throw new BenchError(`serac follow exited; its output: ${text}`);
}
