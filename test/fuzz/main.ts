import { recordProof } from '../proofs/proof.ts';
import { type Corpus, formatInput, readCorpus, writeCorpus } from './corpus.ts';
import type { Coverage } from './coverage.ts';
import { fuzz } from './fuzzer.ts';
import { fuzzTargets } from './targets.ts';

/*
 * Fuzzes targets one after the other, guided by coverage. Usage:
 *   SERAC_FUZZ_SECONDS=600 bun --preload ./test/fuzz/coverage.ts test/fuzz/main.ts [--keep] [target …]
 * The seconds are for each target. `--keep` writes what was found, and the inputs that cover most, to the corpus.
 */

const seconds = Number(process.env.SERAC_FUZZ_SECONDS ?? 60);
const seed = Number(process.env.SERAC_FUZZ_SEED ?? Date.now() % 1_000_000);
/** Bytes of a kept corpus, in its file. */
const maxKept = 16_000;

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith('--'));
const chosen = fuzzTargets.filter(({ name }) => names.length === 0 || names.includes(name));
const coverage = (globalThis as { __fuzzCoverage?: Coverage }).__fuzzCoverage;

let inputs = 0;
const found: string[] = [];
for (const target of chosen) {
  const corpus = readCorpus(target.name);
  const began = performance.now();
  const report = await fuzz(target, { seed, coverage, seconds, inputs: [...corpus.found.map(({ input }) => input), ...corpus.inputs] });
  const took = Math.round((performance.now() - began) / 1000);
  console.log(
    `${target.name}: seed ${seed}, ${report.rounds} inputs in ${took} s, ${report.covered} of ${report.counters} counters, ${report.inputs.length} inputs kept`,
  );
  for (const { input, reason } of report.failures) console.log(`  FAILED ${reason}\n  ${formatInput(input)}`);
  inputs += report.rounds;
  found.push(...report.failures.map(({ reason }) => `${target.name}: ${reason}`));
  if (args.includes('--keep')) writeCorpus(target.name, keep(corpus, report));
}
// Of some targets only, it says nothing about the others.
if (names.length === 0) recordProof('fuzz', seconds, { seed, targets: chosen.length, 'seconds for each': seconds, inputs }, found);
process.exit(found.length === 0 ? 0 : 1);

function keep({ found }: Corpus, report: Awaited<ReturnType<typeof fuzz>>): Corpus {
  let bytes = 0;
  const known = new Set(found.map(({ input }) => formatInput(input)));
  const inputs = report.inputs.filter((input) => {
    const size = formatInput(input).length;
    if (bytes + size > maxKept || known.has(formatInput(input))) return false;
    bytes += size;
    return true;
  });
  return {
    inputs,
    found: [...found, ...report.failures.filter(({ input, reason }) => !known.has(formatInput(input)) && !reason.startsWith('retains'))],
  };
}
