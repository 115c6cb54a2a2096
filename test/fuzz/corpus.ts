import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * The kept inputs of a target: a line each, `text` with a JSON string or `base64`. Inputs under a line `# found: …` failed once, and stay;
 * the others are what covers most in the fewest bytes, and are replaced by longer runs.
 */
export type Corpus = { readonly inputs: readonly Uint8Array[]; readonly found: readonly FoundInput[] };
export type FoundInput = { readonly input: Uint8Array; readonly reason: string };

const corpusPath = (name: string): string => `${import.meta.dir}/corpus/${name}.txt`;

export function readCorpus(name: string): Corpus {
  const path = corpusPath(name);
  const [inputs, found]: [Uint8Array[], FoundInput[]] = [[], []];
  let reason: string | undefined;
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    if (line.startsWith('# found: ')) reason = line.slice(9);
    else if (line !== '' && !line.startsWith('#')) {
      const input = parseInput(line);
      if (reason === undefined) inputs.push(input);
      else found.push({ input, reason });
      reason = undefined;
    }
  }
  return { inputs, found };
}

export function writeCorpus(name: string, { inputs, found }: Corpus): void {
  const lines = [...found.flatMap(({ input, reason }) => [`# found: ${reason}`, formatInput(input)]), ...inputs.map(formatInput)];
  writeFileSync(corpusPath(name), lines.map((line) => `${line}\n`).join(''));
}

export function formatInput(input: Uint8Array): string {
  const text = Buffer.from(input).toString('utf8');
  const isText = /^[\t\n\r\x20-\x7e\u00a1-\uffff]*$/.test(text) && Buffer.from(text).equals(input);
  return isText ? `text ${JSON.stringify(text)}` : `base64 ${Buffer.from(input).toString('base64')}`;
}

export function parseInput(line: string): Uint8Array {
  const [, kind, value = ''] = /^(text|base64) ?(.*)$/s.exec(line) ?? [];
  if (kind === undefined) throw new Error(`not a line of a corpus: ${line.slice(0, 80)}`);
  return kind === 'text' ? Buffer.from(JSON.parse(value)) : Buffer.from(value, 'base64');
}
