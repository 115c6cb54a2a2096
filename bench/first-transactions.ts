import { ewoqGenesisUtxo } from '../test/wallet-kit.ts';
import { createSpendFixture, issueFixture } from './fixture.ts';
import type { LoadGenerator } from './load.ts';
import { alternate, isSelected, issueRound, type Rate, type Sides } from './measure.ts';
import type { Options } from './options.ts';
import type { ReportRow } from './report.ts';
import type { Launcher } from './servers.ts';

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
  const rounds = await alternate(options.rounds, launchers, async (launcher) => {
    const server = await launcher.start();
    try {
      await server.waitHealthy();
      await issueFixture(fixture, server.port, load);
      const measured: Rate[] = [];
      for (const { from, to } of phases) measured.push(await issueRound(server, txs.slice(from, to), load));
      return measured;
    } finally {
      await server.stop();
    }
  });
  for (const [i, { name }] of phases.entries()) {
    const values = (of: keyof Rate): Sides<number[]> => ({
      ours: rounds.ours.flatMap((round) => round[i]?.[of] ?? []),
      theirs: rounds.theirs.flatMap((round) => round[i]?.[of] ?? []),
    });
    report({ name, unit: '/s', ...values('perSecond'), cpu: values('cpu'), target: { atLeast: 2.5 } });
  }
}
