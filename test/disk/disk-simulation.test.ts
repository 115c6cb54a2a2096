import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoize } from '../../src/base/cache/memoize.ts';
import { buildTestProgram, createProgramFolder } from '../../tools/build.ts';
import { recordProof } from '../proofs/proof.ts';
import { someOf } from '../random.ts';
import { type DiskPrograms, type SimulationVersion, simulateDisk } from './disk-simulation.ts';
import { buildDisk } from './simulated-disk.ts';

/*
 * A whole node on a simulated disk: docs/understand/decisions/disk-simulation.md. SERAC_DISK_SEEDS=10000 for a night; SERAC_DISK_FIRST_SEED=123
 * SERAC_DISK_SEEDS=1 replays one.
 */
const seeds = Number(process.env.SERAC_DISK_SEEDS ?? 2);
const first = Number(process.env.SERAC_DISK_FIRST_SEED ?? 1);

const folder = mkdtempSync(join(tmpdir(), 'serac-disk-library-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const library = buildDisk(folder);
// Built once: a session from source takes twice the CPU time.
const programFolder = createProgramFolder();
afterAll(() => rmSync(programFolder, { recursive: true, force: true }));
let programs: DiskPrograms;
beforeAll(async () => {
  if (library !== undefined)
    programs = { library, session: await buildTestProgram(join(import.meta.dir, 'node-session.ts'), programFolder) };
});

/** The run of the first seed, which two tests look at. */
const firstRun = memoize((seed: number) => simulateDisk(programs, seed));

/** Seeds that found something, and with which version of the simulation. `.ci/run` runs all of them. */
const kept: readonly (readonly [seed: number, version: SimulationVersion])[] = [
  [892178, 2],
  [26, 1],
  [400201, 2],
  [123, 1],
  [500084, 2],
  [148, 1],
  [900172, 2],
  [60182, 1],
  [800186, 2],
  [61288, 1],
  [800236, 2],
  [91110, 1],
  [1000219, 2],
  [130121, 1],
  [130195, 1],
  [130352, 1],
  [140332, 1],
];

describe.skipIf(library === undefined)('a node on a disk that loses power, fails, lies and is slow', () => {
  test(
    `seeds ${first} to ${first + seeds - 1}: what was acknowledged stays, events have no gap, the index agrees with the state`,
    async () => {
      const ends = new Map<string, number>();
      const failed: (readonly [seed: number, problems: readonly string[]])[] = [];
      const waiting = [...someOf(kept), ...Array.from({ length: seeds }, (_, at) => [first + at, 2] as const)];
      const runSome = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const [seed, version] = next;
          const result = await (seed === first && version === 2 ? firstRun(first) : simulateDisk(programs, seed, version));
          if (result.problems.length > 0) {
            for (const fact of result.facts) process.stderr.write(`${JSON.stringify(fact)}\n`);
            failed.push([seed, result.problems]);
          }
          for (const end of result.ends) ends.set(end, (ends.get(end) ?? 0) + 1);
        }
      };
      await Promise.all([runSome(), runSome()]);
      const found = failed.map(([seed, problems]) => `seed ${seed}: ${problems.join(', ')}`);
      recordProof('disk', seeds, { 'first seed': first, seeds, ...Object.fromEntries(ends) }, found);
      expect(failed).toEqual([]);
      process.stdout.write(`disk simulation: ${seeds} seeds, sessions: ${[...ends].map(([end, count]) => `${count} ${end}`).join(', ')}\n`);
    },
    60_000 + seeds * 30_000,
  );

  test('the same seed gives the same run, to the last fact', async () => {
    const [one, two] = [await firstRun(first), await simulateDisk(programs, first)];
    expect(one.facts.length).toBeGreaterThan(5);
    expect(two.facts).toEqual(one.facts);
  });
});
