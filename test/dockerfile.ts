/** An instruction of a Dockerfile, its continued lines joined: `RUN npm ci` has the name `RUN` and the text `npm ci`. */
type Instruction = { readonly name: string; readonly text: string };

/** A stage: what follows a `FROM`. */
export type Stage = { readonly base: string; readonly name: string | undefined; readonly instructions: readonly Instruction[] };

/** Reads the stages of a Dockerfile; comments are left out. */
export function parseDockerfile(text: string): readonly [Stage, ...Stage[]] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replace(/\\\n/g, ' ');
  const stages: { base: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines.split('\n')) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    const [, base = '', stage] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
    if (name === 'FROM') stages.push({ base, name: stage, instructions: [] });
    else stages.at(-1)?.instructions.push({ name, text: rest });
  }
  const [first, ...others] = stages;
  if (first === undefined) throw new Error('the Dockerfile has no FROM');
  return [first, ...others];
}

/** The texts of a stage's instructions of one name. */
export const textsOf = ({ instructions }: Stage, name: string): readonly string[] =>
  instructions.filter((one) => one.name === name).map(({ text }) => text);

/** The command of an instruction in its JSON form, such as `CMD ["serac"]`; empty without one. */
export function commandOf(stage: Stage, name: 'ENTRYPOINT' | 'CMD' | 'HEALTHCHECK'): readonly string[] {
  const [json] = /\[.*\]$/.exec(textsOf(stage, name).at(-1) ?? '') ?? ['[]'];
  return JSON.parse(json) as string[];
}
