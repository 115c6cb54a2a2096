import { createFixture, issueAll, issueFixture } from './fixture.ts';
import type { LoadGenerator } from './load.ts';
import { isSelected } from './measure.ts';
import { createMixedReads } from './mixed-reads.ts';
import type { Options } from './options.ts';
import { readMemory } from './process-usage.ts';
import type { ReportRow } from './report.ts';
import type { Launcher } from './servers.ts';

/**
 * Measures the highest memory of Serac in each round, all processes together, while it answers mixed reads over 16 connections of a chain of
 * 5,000 transactions that it has just accepted. There is nothing to compare it with: AvalancheGo has no Data API.
 */
export async function measureLoadedMemory(
  launcher: Launcher,
  load: LoadGenerator,
  options: Options,
  report: (row: ReportRow) => void,
): Promise<void> {
  if (!isSelected(rowName, options)) return;
  const server = await launcher.start();
  const highest: number[] = [];
  let most = 0;
  const sample = setInterval(() => {
    most = Math.max(most, readMemory(server.pid)?.megabytes ?? 0);
  }, sampleMs);
  try {
    if (readMemory(server.pid) === undefined) return;
    const fixture = createFixture(1, issued);
    await issueFixture(fixture, server.port, load);
    await issueAll(fixture.toIssue.flat(), server.port, load);
    const calls = createMixedReads(fixture, callCount);
    const seconds = options.quick ? quickSeconds : fullSeconds;
    for (let round = 0; round < options.rounds; round++) {
      most = 0;
      const perSecond = await load.measureRate(server.port, calls, seconds, connections);
      highest.push(most);
      console.error(
        `  ${rowName}: ${Math.round(perSecond * seconds).toLocaleString('en')} responses in ${seconds} s, ${Math.round(most)} MB`,
      );
    }
  } finally {
    clearInterval(sample);
    await server.stop();
  }
  report({ name: rowName, unit: 'MB', ours: highest, theirs: [], target: { atMost: 250 } });
}

const rowName = 'memory under mixed reads';

const connections = 16;
/** With the transactions of the fixture that the reads ask for, 5,000. */
const issued = 4725;
/** More than are answered until the response cache has evicted the first ones, so that no page is found in it. */
const callCount = 100_000;
const sampleMs = 250;
/** Long enough for the caches to fill and for several garbage collections. */
const quickSeconds = 15;
const fullSeconds = 60;
