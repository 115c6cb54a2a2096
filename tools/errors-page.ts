import { dirname } from 'node:path';
import { Glob } from 'bun';
import { type CodeSection, codeSections, errorAdvice } from '../src/app/advice/error-advice.ts';

/** Finds every error code in the source, with the module it comes from. */
export async function findCodesInSource(root: string): Promise<Map<string, string>> {
  const codes = new Map<string, string>();
  for await (const file of new Glob('src/**/*.ts').scan(root)) {
    if (/\.(test|fixture)\.ts$/.test(file)) continue;
    const text = await Bun.file(root + file).text();
    for (const [, code] of text.matchAll(/\bcode: '([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g))
      if (!codes.has(code!)) codes.set(code!, dirname(file).replace(/^src\//, ''));
  }
  return codes;
}

export async function renderErrorsPage(root: string): Promise<string> {
  const internal = [...(await findCodesInSource(root))]
    .filter(([code]) => !errorAdvice.has(code))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, folder]) => `| \`${code}\` | \`${folder}\` |`);
  return [
    ...codeSections.map(formatSection),
    ['## Internal codes', '', internalNote, '', '| code | folder of `src/` |', '|---|---|', ...internal].join('\n'),
  ].join('\n\n');
}

const internalNote = 'These codes appear in the log, when a command fails, or inside another error, never as `code` in `data`.';

const formatSection = ([title, codes]: CodeSection): string => {
  const rows = Object.entries(codes).map(([code, [meaning, remedy]]) => `| \`${code}\` | ${meaning} | ${remedy} |`);
  return [`## ${title}`, '', '| code | meaning | remedy |', '|---|---|---|', ...rows].join('\n');
};
