import { Glob } from 'bun';
import { hexCodes, methodCodes, nodeCodes, requestCodes } from './call-codes.ts';
import { type Advice, byteCodes, poolCodes, transactionCodes } from './transaction-codes.ts';

type Section = readonly [title: string, codes: { readonly [code: string]: Advice }];

const sections: readonly Section[] = [
  ['The request', requestCodes],
  ['The method', methodCodes],
  ['The transaction', transactionCodes],
  ['The bytes of a transaction', byteCodes],
  ['Hex in `dev.addAtomicUTXO`', hexCodes],
  ['The pool', poolCodes],
  ['Another process or node', nodeCodes],
];

/** Every code that a caller of the Node RPC can see in `data`. */
export const callerCodes: ReadonlyMap<string, Advice> = new Map(sections.flatMap(([, codes]) => Object.entries(codes)));

/** Every code in the source, with the module it comes from. */
export async function codesInSource(root: string): Promise<Map<string, string>> {
  const codes = new Map<string, string>();
  for await (const file of new Glob('src/**/*.ts').scan(root)) {
    if (/\.(test|fixture)\.ts$/.test(file)) continue;
    const text = await Bun.file(root + file).text();
    for (const [, code] of text.matchAll(/\bcode: '([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g))
      if (!codes.has(code!)) codes.set(code!, file.split('/')[1]!.replace('.ts', ''));
  }
  return codes;
}

export async function errorsPage(root: string): Promise<string> {
  const internal = [...(await codesInSource(root))]
    .filter(([code]) => !callerCodes.has(code))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, module]) => `| \`${code}\` | ${module} |`);
  return [
    ...sections.map(shownSection),
    ['## Internal codes', '', internalNote, '', '| code | module |', '|---|---|', ...internal].join('\n'),
  ].join('\n\n');
}

const internalNote = 'They appear in the log, when a command ends, or inside another error, never as `code` in `data`.';

const shownSection = ([title, codes]: Section): string => {
  const rows = Object.entries(codes).map(([code, [meaning, remedy]]) => `| \`${code}\` | ${meaning} | ${remedy} |`);
  return [`## ${title}`, '', '| code | meaning | remedy |', '|---|---|---|', ...rows].join('\n');
};
