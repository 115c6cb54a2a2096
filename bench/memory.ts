import type { Fixture } from './fixture.ts';
import type { LoadGenerator } from './load.ts';
import { isSelected } from './measure.ts';
import { createMixedReads } from './mixed-reads.ts';
import type { Options } from './options.ts';
import { readMemory } from './process-usage.ts';
import type { ReportRow } from './report.ts';
import type { BenchServer } from './servers.ts';

/**
 * Measures the highest memory of Serac, all processes together, while it answers mixed reads of a chain of some thousand transactions. There is
 * nothing to compare it with: AvalancheGo has no Data API.
 */
export async function measureLoadedMemory(
  server: BenchServer,
  fixture: Fixture,
  load: LoadGenerator,
  options: Options,
  report: (row: ReportRow) => void,
): Promise<void> {
  if (!isSelected(rowName, options) || readMemory(server.pid) === undefined) return;
  const calls = createMixedReads(fixture, callCount);
  const highest: number[] = [];
  let most = 0;
  const sample = setInterval(() => {
    most = Math.max(most, readMemory(server.pid)?.megabytes ?? 0);
  }, sampleMs);
  try {
    for (let round = 0; round < options.rounds; round++) {
      most = 0;
      await load.measureRate(server.port, calls, options.quick ? quickSeconds : fullSeconds);
      highest.push(most);
    }
  } finally {
    clearInterval(sample);
  }
  report({ name: rowName, unit: 'MB', ours: highest, theirs: [], target: { atMost: 250 } });
}

const rowName = 'memory under mixed reads';

/** More than are answered in a round, so that each page is requested once. */
const callCount = 100_000;
const sampleMs = 250;
/** Long enough for the caches to fill and for several garbage collections. */
const quickSeconds = 15;
const fullSeconds = 60;
