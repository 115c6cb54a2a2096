import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ewoqGenesisUtxo } from '../test/wallet-kit.ts';
import { BenchError } from './fault.ts';
import { createSpends, issueAll, loadFixture, rpcBody, waitAccepted, xPath } from './fixture.ts';
import { type Load, posts } from './load.ts';
import { alternate, ask } from './measure.ts';
import type { Options } from './options.ts';
import { cpuOf } from './process-usage.ts';
import { median, type Row, ratioOf, tableOf } from './report.ts';
import { avalancheGo, type Place, type Subject, serac, seracBin } from './subject.ts';

/** `serac follow` from nothing to the height of a node, beside somebody who only fetches the same blocks from it. */
export async function runFollow(place: Place, load: Load, options: Options, binary: string | undefined): Promise<void> {
  const node = await (binary === undefined ? serac(place) : avalancheGo(place, binary)).start();
  await node.healthyAfter();
  const txs = await fill(node, options.quick ? 5000 : 30_000, load);
  const height = await heightOf(`http://127.0.0.1:${node.port}`);
  console.error(`${node.name} holds ${txs} transactions in ${height} blocks`);
  const cpuSeconds: number[] = [];
  const ways = {
    ours: () => catchUp(place, node, height, (seconds) => cpuSeconds.push(seconds)),
    theirs: () => fetchAll(node, height, load),
  };
  await ways.theirs();
  const seconds = await alternate(options.rounds, ways, (way) => way());
  const rates = (values: readonly number[]) => values.map((value) => txs / value);
  const row: Row = {
    name: `${txs} transactions in ${height} blocks of ${node.name}`,
    unit: '/s',
    ours: rates(seconds.ours),
    theirs: rates(seconds.theirs),
    target: { atLeast: asFast },
  };
  console.log(tableOf([row], { ours: 'serac follow', theirs: 'only fetched', judged: false }));
  console.log(`processor time of serac follow: ${Math.round((median(cpuSeconds) / txs) * 1e6)} µs a transaction, all threads together`);
  const reached = median(row.ours) >= wanted || ratioOf(row) >= asFast;
  console.log(`${wanted} a second, or as fast as the node gives out its blocks: ${reached ? 'reached' : 'missed'}`);
  await node.stop();
}

/** Transactions per second. */
const wanted = 5000;
/** Within noise of the node's own pace. */
const asFast = 0.9;

async function fill({ port }: Subject, count: number, load: Load): Promise<number> {
  const spends = createSpends(ewoqGenesisUtxo, 1, count);
  await loadFixture(spends, port, load);
  const txs = spends.toIssue.flat();
  await issueAll(txs, port, load);
  await waitAccepted(txs, port, load);
  return spends.layers.flat().length + txs.length;
}

/** Seconds from the start of the process until it has the block at a height. */
async function catchUp({ dir, signal }: Place, node: Subject, height: number, onCpu: (seconds: number) => void): Promise<number> {
  const dataDir = mkdtempSync(join(dir, 'follow-'));
  const started = performance.now();
  const command = [seracBin, 'follow', `http://127.0.0.1:${node.port}`, '--http-port', '0', '--json', '--data-dir', dataDir];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'ignore', signal });
  try {
    const { url } = JSON.parse(await firstLine(child.stdout)) as { url: string };
    while ((await heightOf(url)) < height) {
      if (performance.now() - started > longest) throw new BenchError(`serac follow is at height ${await heightOf(url)}, not ${height}`);
      await Bun.sleep(5);
    }
    const seconds = (performance.now() - started) / 1000;
    onCpu(cpuOf(child.pid) ?? Number.NaN);
    return seconds;
  } finally {
    child.kill('SIGTERM');
    await child.exited;
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Milliseconds. */
const longest = 120_000;

/** Seconds until all blocks are here. */
async function fetchAll({ port }: Subject, height: number, load: Load): Promise<number> {
  const bodies = Array.from({ length: height }, (_, i) => rpcBody('avm.getBlockByHeight', { height: String(i + 1), encoding: 'hex' }));
  const { errors, firstError, seconds } = await load.once({ port, calls: posts(xPath, bodies) });
  if (errors > 0) throw new BenchError(`${errors} of ${height} blocks were not given: ${firstError}`);
  return seconds;
}

async function heightOf(url: string): Promise<number> {
  const answer = await ask(Number(new URL(url).port), { path: xPath, body: rpcBody('avm.getHeight') });
  return Number((JSON.parse(answer) as { result?: { height: string } }).result?.height ?? 0);
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const bytes of stream) {
    text += Buffer.from(bytes).toString();
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
  }
  throw new BenchError(`serac follow ended and said: ${text}`);
}
