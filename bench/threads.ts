import { createFixture, issueAll, issueFixture, waitAccepted } from './fixture.ts';
import type { LoadGenerator } from './load.ts';
import type { Options } from './options.ts';
import { readCpuSeconds } from './process-usage.ts';
import { alignColumns, median } from './report.ts';
import { type BenchEnv, serac } from './servers.ts';
import { readThreadTimes, threadTimesBetween } from './thread-usage.ts';

/** Microseconds of CPU time per transaction by thread, and accepted transactions per second, of one round. */
export type Round = ReadonlyMap<string, number>;

/**
 * Measures where the CPU time of accepted transactions goes: by process and thread, with each number of readers. The nodes take turns, so that
 * other work on the machine slows all of them alike. The time of the recovery thread, which does the same work in each, shows how much.
 */
export async function runThreads(env: BenchEnv, load: LoadGenerator, options: Options): Promise<void> {
  console.error('creating transactions');
  const fixture = createFixture(options.rounds, options.issued);
  const nodes = [];
  for (const workers of options.workers) {
    const server = await serac(env, undefined, [`--workers=${workers}`]).start();
    await issueFixture(fixture, server.port, load);
    nodes.push({ name: `--workers ${workers}`, server, rounds: [] as Round[] });
  }
  for (const txs of fixture.toIssue)
    for (const { server, rounds } of nodes) {
      const [threads, seconds] = [readThreadTimes(server.pid), readCpuSeconds(server.pid) ?? 0];
      const issuing = await issueAll(txs, server.port, load);
      const used = threadTimesBetween(threads, readThreadTimes(server.pid));
      const all = (readCpuSeconds(server.pid) ?? 0) - seconds;
      const perTx = [...used].map(([name, micros]) => [name, micros / txs.length] as const);
      const rate = txs.length / (issuing + (await waitAccepted(txs, server.port, load)));
      rounds.push(new Map([...perTx, ['all processes', (all * 1e6) / txs.length], ['accepted per second', rate]]));
      console.error(`  ${rounds.length} of ${options.rounds}`);
    }
  for (const { server } of nodes) await server.stop();
  console.log(formatThreads(nodes));
}

/** Rows of at least one microsecond, by name; medians over the rounds. */
export function formatThreads(nodes: readonly { readonly name: string; readonly rounds: readonly Round[] }[]): string {
  const names = [...new Set(nodes.flatMap(({ rounds }) => rounds.flatMap((round) => [...round.keys()])))].sort();
  const cells = (name: string) => nodes.map(({ rounds }) => Math.round(median(rounds.map((round) => round.get(name) ?? 0))));
  return alignColumns([
    ['µs of CPU time per transaction', ...nodes.map(({ name }) => name), ''],
    ...names.filter((name) => cells(name).some((value) => value > 0)).map((name) => [name, ...cells(name).map(String), '']),
  ]);
}
