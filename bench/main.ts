import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram, createProgramFolder } from '../tools/build.ts';
import { runCitus } from './citus.ts';
import { runCluster } from './cluster.ts';
import { runData } from './data.ts';
import { runDataScale } from './data-scale.ts';
import { runEvents } from './events.ts';
import { measureFirstTransactions } from './first-transactions.ts';
import { createFixture, type Fixture, issueFixture } from './fixture.ts';
import { runFollow } from './follow.ts';
import { runHostile } from './hostile.ts';
import { runIndexCost } from './index-cost.ts';
import { runIndexCurve } from './index-curve.ts';
import { runIndexLoad } from './index-load.ts';
import { measureLibrary } from './library.ts';
import { runLimits } from './limits.ts';
import { createLoadGenerator, type LoadGenerator } from './load.ts';
import {
  fetchText,
  firstCall,
  isSelected,
  measureIssue,
  measureIssueByWorkers,
  measureReads,
  measureStarts,
  type Sides,
} from './measure.ts';
import { measureLoadedMemory } from './memory.ts';
import { type Mode, type Options, parseOptions, usage } from './options.ts';
import { runP2p } from './p2p.ts';
import { measureMachineLoad, readMemory } from './process-usage.ts';
import { readRows } from './read-rows.ts';
import { formatTable, type ReportRow } from './report.ts';
import { runRestart } from './restart.ts';
import { describeCircumstances, recordResults } from './results.ts';
import { runScale } from './scale.ts';
import { avalancheGo, type BenchEnv, type BenchServer, bareServer, serac, seracBefore } from './servers.ts';
import { runSoak } from './soak.ts';
import { runThreads } from './threads.ts';
import { measureTransferAllocation, runTransferCost } from './transfer-cost.ts';

const options = parseOptions(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(`${options}\n\n${usage}`);
  process.exit(2);
}

const dir = mkdtempSync(join(tmpdir(), 'serac-bench-'));
const abort = new AbortController();
/** The program of another commit, which takes the place of AvalancheGo. */
const before = process.env.SERAC_BEFORE;
/** Rows that may answer a question of the performance page. */
const answers: ReportRow[] = [];
const keepAnswers = (rows: readonly ReportRow[]): void => void answers.push(...rows);
const modes = (
  env: BenchEnv,
): { readonly [M in Mode]: (load: LoadGenerator, options: Options, binary: string | undefined) => Promise<void> } => ({
  table: async (load, options, binary) => keepAnswers(await runTable(env, load, options, binary)),
  scale: async (load, options) => {
    if (options.txs === undefined) await runScale(env, load, options);
    if (options.blocks === undefined) await runDataScale(env, load, options);
  },
  data: async (load, options) => keepAnswers(await runData(env, load, options)),
  'index-cost': (load, options) => runIndexCost(env, load, options),
  'index-load': (_load, options) => (options.curve ? runIndexCurve : runIndexLoad)(env, options),
  threads: (load, options) => runThreads(env, load, options),
  transfer: async (_load, options) => keepAnswers(await runTransferCost(env, options)),
  follow: (load, options, binary) => runFollow(env, load, options, binary),
  events: (load, options) => runEvents(env, load, options),
  p2p: async (_load, options, binary) => keepAnswers(await runP2p(env, options, binary)),
  hostile: (_load, options, binary) => runHostile(env, options, binary),
  limits: (_load, options) => runLimits(env, options),
  cluster: (load, options) => runCluster(env, load, options),
  citus: (load, options) => runCitus(env, load, options),
  soak: (_load, options) => runSoak(env, options),
  restart: async (_load, options) => keepAnswers(await runRestart(env, options)),
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => abort.abort());

const folder = createProgramFolder();
try {
  // The program as users run it: from source a start takes twice as long.
  const program = process.env.SERAC_TEST_PROGRAM ?? (await buildProgram(folder));
  const env: BenchEnv = { dir, signal: abort.signal, program };
  const load = createLoadGenerator(env);
  const inUse = await measureMachineLoad(1000);
  if (inUse !== undefined) console.error(`${navigator.hardwareConcurrency} processors, ${Math.round(inUse * 100)} % busy with other work`);
  const binary = process.env.AVALANCHEGO || undefined;
  await modes(env)[options.mode](load, options, binary);
  if (options.recordResults && before === undefined && answers.length > 0) {
    const answered = recordResults(options.mode, answers, binary !== undefined, describeCircumstances(inUse));
    console.error(`${answered.length} figures written to bench/results.json; npx bun tools/docs.ts writes them to the docs`);
  }
} catch (error) {
  process.exitCode = 1;
  console.error(abort.signal.aborted ? 'stopped' : (error as Error).message);
} finally {
  abort.abort();
  for (const path of [dir, folder]) rmSync(path, { recursive: true, force: true });
}

async function runTable(env: BenchEnv, load: LoadGenerator, options: Options, binary: string | undefined): Promise<readonly ReportRow[]> {
  const rows: ReportRow[] = [];
  const report = (row: ReportRow): void => {
    rows.push(row);
    console.error(`  ${row.name}`);
  };
  console.error(`creating transactions; load generator: ${load.tool === 'wrk' ? 'wrk' : 'bench/socket-load.ts'}`);
  const fixture = createFixture(options.rounds, options.issued);
  const ours = await serac(env).start();
  await issueFixture(fixture, ours.port, load);
  const node = before !== undefined ? seracBefore(env, before) : binary === undefined ? undefined : avalancheGo(env, binary);
  const other = node ?? bareServer(env, await recordResponses(ours, fixture, options));
  const theirs = await other.start();
  if (node !== undefined) {
    await theirs.waitHealthy();
    await issueFixture(fixture, theirs.port, load);
  }
  console.error(`${ours.name} against ${theirs.name}, ${options.rounds} rounds of ${options.seconds} s`);
  const servers: Sides<BenchServer> = { ours, theirs };
  await measureReads(servers, fixture, load, options, report);
  const issued = await measureIssue(servers, (_, round) => fixture.toIssue[round] ?? [], load, options, report);
  const loaded = [ours, theirs].map((server) => `${server.name} ${Math.round(readMemory(server.pid)?.megabytes ?? Number.NaN)} MB`);
  for (const server of [ours, theirs]) await server.stop();
  await measureLoadedMemory(serac(env), load, options, report);
  const withWorkers = (workers: number) => serac(env, undefined, [`--workers=${workers}`]);
  if (issued !== undefined) await measureIssueByWorkers(issued, withWorkers, fixture, load, report);
  if (node !== undefined) await measureFirstTransactions({ ours: serac(env), theirs: other }, load, options, report);
  await measureStarts({ ours: serac(env), theirs: other }, options, report);
  await measureTransferAllocation(env, options, report);
  await measureLibrary(env, options, report);
  console.log(formatTable(rows, { ours: ours.name, theirs: theirs.name, showTargets: binary !== undefined }));
  console.log(`memory after these runs: ${loaded.join(', ')}`);
  return rows;
}

/** Records Serac's response to every row, for the bare server to return. */
async function recordResponses(server: BenchServer, fixture: Fixture, options: Options): Promise<Record<string, string>> {
  const responses: Record<string, string> = {};
  for (const row of readRows.filter(({ name }) => isSelected(name, options))) {
    responses[row.name] = await fetchText(server.port, firstCall(row.requests(fixture)));
  }
  return responses;
}
