import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../test/http.ts';
import { createIssuer } from '../test/issuer.ts';
import { prepareDataDir } from './data-dir.ts';
import { BenchError } from './fault.ts';
import type { Options } from './options.ts';
import { listProcessTree, readCpuSeconds } from './process-usage.ts';
import { formatTable, median, type ReportRow } from './report.ts';
import { type BenchEnv, launchServer, seracCommand } from './servers.ts';

/** Bytes of the write-ahead log at which a node is killed: the log is recovered at the start, and is moved to the database file at 24 MB. */
const killedAt = [4e6, 12e6, 20e6];
/** Transactions that are issued at once. */
const batch = 40;
const defaultTxs = 100_000;
/** Restarts of each killed node, times the rounds. */
const restartsPerRound = 2;

/**
 * Measures how long the built program takes until it is healthy after `kill -9` under load, on a chain of 10^5 transactions, in which phases, and with how
 * much CPU time, on which other work has less influence. Each restart begins with a copy of what the killed node left.
 */
export async function runRestart(env: BenchEnv, { txs = defaultTxs, keep, rounds }: Options): Promise<readonly ReportRow[]> {
  const made = await prepareDataDir(join(keep ?? env.dir, `history-${txs}`), txs, env.signal);
  const killed: string[] = [];
  for (const bytes of killedAt) {
    const dir = copyDir(env, made.dir);
    await killUnderLoad(env, dir, bytes);
    console.error(`  killed with a write-ahead log of ${(sizeOfWal(dir) / 1e6).toFixed(1)} MB`);
    killed.push(dir);
  }
  const [healthy, cpu]: [number[], number[]] = [[], []];
  const phases: string[] = [];
  for (let round = 0; round < rounds * restartsPerRound; round++)
    for (const dir of killed) {
      const { ms, cpuMs, line } = await restart(env, dir);
      healthy.push(ms);
      cpu.push(cpuMs);
      phases.push(line);
    }
  const row: ReportRow = { name: 'kill -9 to healthy', unit: 'ms', ours: healthy, theirs: [], target: { atMost: 500 } };
  console.log(formatTable([row], { ours: `${txs} txs`, theirs: '', showTargets: true }));
  console.log(
    `${healthy.length} restarts, fastest first: ${healthy
      .sort((a, b) => a - b)
      .map(Math.round)
      .join(', ')} ms`,
  );
  console.log(`median CPU time until healthy, of all processes: ${Math.round(median(cpu))} ms`);
  console.log(`median by phase: ${formatPhases(phases)}`);
  return [row];
}

/** Runs a node on a data directory, issues transactions until the log has these bytes, and kills it while it works. */
async function killUnderLoad(env: BenchEnv, dir: string, bytes: number): Promise<void> {
  const server = await launch(env, dir);
  const client = createClient(server.port);
  const issuer = createIssuer({ seed: 1, client, funds: 'deposit', invalidPercent: 0 });
  await issuer.fund();
  while (sizeOfWal(dir) < bytes) await issuer.issue(batch);
  const working = issuer.issue(batch).catch(() => []);
  await Bun.sleep(1);
  const processes = listProcessTree(server.pid);
  process.kill(server.pid, 'SIGKILL');
  await server.stop();
  await working;
  client.close();
  while (processes.some(isAlive)) await Bun.sleep(10);
}

/** How long a start took until the node was healthy, in ms, with how much CPU time, and its line about the phases. */
type Restart = { readonly ms: number; readonly cpuMs: number; readonly line: string };

/** Starts a node on a copy of a data directory. */
async function restart(env: BenchEnv, from: string): Promise<Restart> {
  const dir = copyDir(env, from);
  const server = await launch(env, dir);
  try {
    const ms = await server.waitHealthy();
    const cpuMs = 1000 * (readCpuSeconds(server.pid) ?? Number.NaN);
    return { ms, cpuMs, line: phasesLine.exec(server.readLog())?.[0] ?? '' };
  } finally {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

const launch = (env: BenchEnv, dir: string) =>
  launchServer(env, 'Serac', (port) => [
    ...seracCommand(env),
    '--network-id=local',
    '--accounts=1',
    `--http-port=${port}`,
    `--data-dir=${dir}`,
    '--log-level=debug',
  ]);

export const phasesLine = /ready in \d+ ms: [a-z\d ,]*\d/;

/** The median of each phase of lines such as `ready in 300 ms: program 150, database 90`. */
export function formatPhases(lines: readonly string[]): string {
  const phases = new Map<string, number[]>();
  for (const line of lines)
    for (const [, name = '', ms] of line.replace(/^.*ms: /, '').matchAll(/([a-z ]+?) (\d+)(?:, |$)/g))
      phases.set(name, [...(phases.get(name) ?? []), Number(ms)]);
  if (phases.size === 0) throw new BenchError('the node has not logged the phases of its start');
  return [...phases].map(([name, values]) => `${name} ${Math.round(median(values))}`).join(', ');
}

function copyDir(env: BenchEnv, from: string): string {
  const dir = mkdtempSync(join(env.dir, 'restart-'));
  cpSync(from, dir, { recursive: true });
  return dir;
}

const sizeOfWal = (dir: string): number => statSync(join(dir, 'db', 'serac.sqlite-wal')).size;

/** A zombie counts as gone. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(join('/proc', String(pid), 'stat'), 'utf8'));
  } catch {
    return false;
  }
}
