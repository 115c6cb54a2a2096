import { dirname } from 'node:path';
import { Glob } from 'bun';
import { devCodes, hexCodes, methodCodes, nodeCodes, requestCodes, snapshotCodes } from './call-codes.ts';
import { codecCodes, type ErrorAdvice, mempoolCodes, transactionCodes } from './transaction-codes.ts';

type CodeSection = readonly [title: string, codes: { readonly [code: string]: ErrorAdvice }];

const codeSections: readonly CodeSection[] = [
  ['The request', requestCodes],
  ['The method', methodCodes],
  ['The transaction', transactionCodes],
  ['The bytes of a transaction', codecCodes],
  ['Hex in `dev.*` methods', hexCodes],
  ['The `dev.*` methods', devCodes],
  ['The mempool', mempoolCodes],
  ['Snapshots', snapshotCodes],
  ['Another process or node', nodeCodes],
];

/** The codes that a client of the Node RPC can get in `data`. */
export const callerCodes: ReadonlyMap<string, ErrorAdvice> = new Map(codeSections.flatMap(([, codes]) => Object.entries(codes)));

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
    .filter(([code]) => !callerCodes.has(code))
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
