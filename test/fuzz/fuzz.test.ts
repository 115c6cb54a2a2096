import { describe, expect, test } from 'bun:test';
import { formatInput, readCorpus } from './corpus.ts';
import { fuzz } from './fuzzer.ts';
import { fuzzTargets } from './targets.ts';

/*
 * Every entry point gets its kept inputs, captured ones and some mutated ones; SERAC_FUZZ_SECONDS fuzzes each for so long, guided by coverage.
 * docs/understand/decisions/fuzzing.md.
 */

const seconds = Number(process.env.SERAC_FUZZ_SECONDS ?? 0);
const defaultRounds = 300;

describe('kept, captured and mutated inputs', () => {
  for (const target of fuzzTargets)
    test(target.name, async () => {
      const { inputs, found } = readCorpus(target.name);
      expect(inputs.length).toBeGreaterThan(0);
      const { failures } = await fuzz(target, {
        seed: 1,
        rounds: target.testRounds ?? defaultRounds,
        inputs: [...found.map(({ input }) => input), ...inputs],
      });
      expect(failures.map(({ input, reason }) => `${reason} ${formatInput(input)}`)).toEqual([]);
    });
});

test.skipIf(seconds === 0)(
  `${seconds} s for each, guided by coverage`,
  async () => {
    const program = ['--preload', `${import.meta.dir}/coverage.ts`, `${import.meta.dir}/main.ts`];
    // Always one seed, so that a change is refused for what it changes; other seeds are for runs by hand.
    const env = { SERAC_FUZZ_SEED: '24', ...process.env };
    const child = Bun.spawn([process.execPath, ...program], { env, stdout: 'pipe', stderr: 'pipe' });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    console.log(out);
    expect([await child.exited, err]).toEqual([0, '']);
  },
  120_000 + 3000 * fuzzTargets.length * Math.max(1, seconds),
);
