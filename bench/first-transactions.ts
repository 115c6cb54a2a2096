import { ewoqGenesisUtxo } from '../test/wallet-kit.ts';
import { createSpendFixture, issueAll, issueFixture, waitAccepted } from './fixture.ts';
import type { LoadGenerator } from './load.ts';
import { alternate, isSelected, type Sides } from './measure.ts';
import type { Options } from './options.ts';
import { readCpuSeconds } from './process-usage.ts';
import type { ReportRow } from './report.ts';
import type { BenchServer, Launcher } from './servers.ts';

/** Accepted transactions per second, and microseconds of CPU time of each, of both servers. */
type Phase = { readonly perSecond: number; readonly cpu: number };

/** The transactions after a start that a row counts: from one, up to before another. */
const phases = [
  { name: 'first 1,000 accepted after a start', from: 0, to: 1000 },
  { name: 'next 4,000 accepted after a start', from: 1000, to: 5000 },
] as const;

/**
 * Measures the first transactions after a start, which pay for what a server loads, compiles and reads for the first time. Each round starts both
 * servers from their genesis, which first accept the ten or so transactions with the outputs to spend.
 */
export async function measureFirstTransactions(
  launchers: Sides<Launcher>,
  load: LoadGenerator,
  options: Options,
  report: (row: ReportRow) => void,
): Promise<void> {
  if (!phases.some(({ name }) => isSelected(name, options))) return;
  const fixture = createSpendFixture(ewoqGenesisUtxo, 1, 5000);
  const [txs = []] = fixture.toIssue;
  const runPhase = async ({ port, pid }: BenchServer, { from, to }: (typeof phases)[number]): Promise<Phase> => {
    const part = txs.slice(from, to);
    const before = readCpuSeconds(pid) ?? Number.NaN;
    const seconds = (await issueAll(part, port, load)) + (await waitAccepted(part, port, load));
    const used = (readCpuSeconds(pid) ?? Number.NaN) - before;
    return { perSecond: part.length / seconds, cpu: (used * 1e6) / part.length };
  };
  const rounds = await alternate(options.rounds, launchers, async (launcher) => {
    const server = await launcher.start();
    try {
      await server.waitHealthy();
      await issueFixture(fixture, server.port, load);
      const measured: Phase[] = [];
      for (const phase of phases) measured.push(await runPhase(server, phase));
      return measured;
    } finally {
      await server.stop();
    }
  });
  for (const [i, { name }] of phases.entries()) {
    const values = (of: keyof Phase): Sides<number[]> => ({
      ours: rounds.ours.flatMap((round) => round[i]?.[of] ?? []),
      theirs: rounds.theirs.flatMap((round) => round[i]?.[of] ?? []),
    });
    report({ name, unit: '/s', ...values('perSecond'), cpu: values('cpu'), target: { atLeast: 2.5 } });
  }
}
