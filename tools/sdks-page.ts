import { readFileSync } from 'node:fs';
import { type Sdk, sdks } from '../test/clients/sdks/sdks.ts';

/** Client libraries with the flags they need and what fails in them, and a short program for each; for docs/start/sdks.md. */
export function renderSdksPage(root: string): string {
  const rows = sdks.map((sdk) => `| [${nameOf(sdk)}](#${anchorOf(sdk)}) | \`${sdk.serac}\` | ${sdk.about} | ${sdk.fails} |`);
  const programs = sdks.map((sdk) => {
    const code = readFileSync(`${root}test/clients/sdks/${sdk.program}`, 'utf8');
    return `## ${nameOf(sdk)}\n\n\`\`\`js\n// npm install ${sdk.install}\n${code}\`\`\``;
  });
  return [['| package | node | for | fails in the SDK, on every node |', '|---|---|---|---|', ...rows].join('\n'), ...programs].join(
    '\n\n',
  );
}

/** The package without its version. */
const nameOf = ({ install }: Sdk): string => /^@?[^@ ]+/.exec(install)?.[0] ?? '';

/** The anchor of the heading. */
const anchorOf = (sdk: Sdk): string => nameOf(sdk).replaceAll(/[^\w-]/g, '');
