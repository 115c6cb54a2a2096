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
  const internal = [...(await findCodesInSource(root))].filter(([code]) => !errorAdvice.has(code)).sort(([a], [b]) => (a < b ? -1 : 1));
  const overview = [
    ['Numbers', numbers.length],
    ...codeSections.map(([title, codes]) => [title, Object.keys(codes).length] as const),
    ['Internal codes', internal.length],
  ] as const;
  return [
    ['| codes about | |', '|---|---|', ...overview.map(([title, count]) => `| [${title}](#${anchorOf(title)}) | ${count} |`)].join('\n'),
    ['## Numbers', '', '| code | meaning |', '|---|---|', ...numbers.map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)].join('\n'),
    ...codeSections.map(formatSection),
    formatInternal(internal),
  ].join('\n\n');
}

/** The numbers in `code` of a JSON-RPC error. */
const numbers = [
  ['-32700', 'The body is not JSON.'],
  ['-32600', 'The body is not a JSON-RPC request.'],
  ['-32601', 'Unknown method, of `serac mcp`; the Node RPC answers -32000 with `RPC_NO_METHOD`, as AvalancheGo does.'],
  ['-32602', 'Invalid parameters, of `serac mcp`; the Node RPC answers -32000 with `RPC_BAD_ARGUMENT`, as AvalancheGo does.'],
  ['-32603', 'The server failed, of `serac mcp`; the Node RPC answers -32000 with `RPC_INTERNAL`.'],
  ['-32000', 'Every other error; `code` in `data` says which.'],
] as const;

const internalNote = 'These codes appear in the log, when a command fails, or inside another error, never as `code` in `data`.';

const formatInternal = (codes: readonly (readonly [code: string, folder: string])[]): string =>
  [
    '## Internal codes',
    '',
    internalNote,
    '',
    '| code | folder of `src/` |',
    '|---|---|',
    ...codes.map(([code, folder]) => `| \`${code}\` | \`${folder}\` |`),
  ].join('\n');

/** The anchor that a heading gets. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');

const formatSection = ([title, codes]: CodeSection): string => {
  const rows = Object.entries(codes).map(([code, [meaning, remedy]]) => `| \`${code}\` | ${meaning} | ${remedy} |`);
  return [`## ${title}`, '', '| code | meaning | remedy |', '|---|---|---|', ...rows].join('\n');
};
