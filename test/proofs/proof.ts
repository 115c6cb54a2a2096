import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCommit } from '../../bench/results.ts';
import { type LongRunName, longRuns } from './long-runs.ts';

/** The last result of a long run, kept in `test/proofs/NAME.json`. */
export type Proof = {
  readonly date: string;
  readonly commit: string;
  readonly numbers: Readonly<Record<string, number>>;
  /** What the run found; `nothing` if everything was right. */
  readonly found: string;
};

const folder = import.meta.dir;

/** Writes the result of a run that has ended, also of one that found something, if it was at least as long as `longRuns` says. */
export function recordProof(
  name: LongRunName,
  length: number,
  numbers: Readonly<Record<string, number>>,
  found: readonly string[],
  folderOfProofs: string = folder,
): void {
  if (length < longRuns[name].atLeast) return;
  const proof: Proof = {
    date: new Date().toISOString().slice(0, 10),
    commit: readCommit(resolve(folder, '../..')),
    numbers,
    found: found.length === 0 ? 'nothing' : found.slice(0, maxFound).join('; ').slice(0, maxChars),
  };
  writeFileSync(join(folderOfProofs, `${name}.json`), `${JSON.stringify(proof, null, 2)}\n`);
}

/** The last result; undefined if there is none. */
export function readProof(name: LongRunName, folderOfProofs: string = folder): Proof | undefined {
  const file = join(folderOfProofs, `${name}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Proof) : undefined;
}

/** What a result says of each finding is enough to run it again; the log of the run has the rest. */
const maxFound = 10;
const maxChars = 2000;
