import { type LongRunName, longRuns } from '../test/proofs/long-runs.ts';
import { type Proof, readProof } from '../test/proofs/proof.ts';

/** Lists the long runs with their commands and last recorded results: `npm run proofs`. The runs write them to test/proofs/. */

export function formatProof(name: LongRunName, proof: Proof | undefined): string {
  const { what, command, file, atLeast, counts } = longRuns[name];
  return [
    `${name}: ${what}`,
    `  run    ${command}`,
    `  kept   ${file === undefined ? `by hand, in test/proofs/${name}.json` : `from ${atLeast.toLocaleString('en')} ${counts} on`}`,
    ...(proof === undefined ? ['  last   not recorded'] : formatResult(proof)),
  ].join('\n');
}

const formatResult = ({ date, commit, numbers, found }: Proof): string[] => [
  `  last   ${date}, commit ${commit}`,
  `         ${Object.entries(numbers)
    .map(([name, value]) => `${name} ${value.toLocaleString('en')}`)
    .join(', ')}`,
  `  found  ${found}`,
];

if (import.meta.main) console.log((Object.keys(longRuns) as LongRunName[]).map((name) => formatProof(name, readProof(name))).join('\n\n'));
