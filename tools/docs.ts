/**
 * Writes the parts of docs/ that come from tables in the code: methods, errors, differences. `bun tools/docs.ts` after a change;
 * a test fails while a page and its table disagree.
 */
import { Glob } from 'bun';
import { healthRoutes } from '../src/api/health.ts';
import type { Route } from '../src/api/route.ts';
import { dataRoutes } from '../src/data/routes.ts';
import { differences } from '../src/differences.ts';
import { avm } from '../src/rpc/avm.ts';
import { avax, platform } from '../src/rpc/counterpart.ts';
import { dev } from '../src/rpc/dev.ts';
import { health } from '../src/rpc/health.ts';
import { info } from '../src/rpc/info.ts';
import type { Rows } from '../src/rpc/method.ts';
import { wallet } from '../src/rpc/wallet.ts';
import { statsRoutes } from '../src/stats/routes.ts';

const root = new URL('..', import.meta.url).pathname;

/** A page is what people wrote around the marks, with what the tables say between them. */
export const pages: Record<string, () => Promise<string> | string> = {
  'docs/differences.md': () => differencesTable(),
  'docs/methods.md': () => methodsTable(),
  'docs/errors.md': () => errorsTable(),
  'docs/data-and-metrics.md': () => routesTable(),
};

const begin = '<!-- from the tables: begin -->';
const end = '<!-- from the tables: end -->';

export async function rendered(page: string): Promise<{ before: string; after: string }> {
  const before = await Bun.file(root + page).text();
  const [head, rest] = before.split(begin);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined) throw new Error(`${page} has no marks`);
  return { before, after: `${head}${begin}\n${await pages[page]!()}\n${end}${tail}` };
}

function differencesTable(): string {
  const rows = Object.entries(differences).map(([name, { what, why }]) => `| \`${name}\` | ${what} | ${why} |`);
  return ['| name | what Serac does | why |', '|---|---|---|', ...rows].join('\n');
}

// biome-ignore lint/suspicious/noExplicitAny: rows of every service, whatever they depend on
const services: [string, string, Rows<any>][] = [
  ['avm', '`/ext/bc/X` (also `/ext/bc/avm`, `/ext/bc/<blockchainID>`, `/ext/X`, `/ext/avm`)', avm],
  ['wallet', '`/ext/bc/X/wallet`', wallet],
  ['info', '`/ext/info`', info],
  ['health', '`/ext/health`', health],
  ['platform', '`/ext/bc/P`', platform],
  ['avax', '`/ext/bc/C/avax`', avax],
  ['dev', '`/ext/dev`', dev],
];

function methodsTable(): string {
  return services
    .map(([name, path, rows]) => {
      const lines = Object.entries(rows).map(([method, row]) => {
        const params = Object.keys(row.params.zero as object).join(', ');
        return `| \`${name}.${method}\` | ${params === '' ? '' : `\`${params}\``} | ${row.deprecated === null ? '' : `since AvalancheGo ${row.deprecated}`} |`;
      });
      return [`### ${name} at ${path}`, '', '| method | parameters | deprecated |', '|---|---|---|', ...lines].join('\n');
    })
    .join('\n\n');
}

function routesTable(): string {
  const interfaces: [string, readonly Route<never>[]][] = [
    ['Data', [...healthRoutes('v1'), ...dataRoutes()] as readonly Route<never>[]],
    ['Metrics', [...healthRoutes('v2'), ...statsRoutes()] as readonly Route<never>[]],
  ];
  const row = ({ method, path, id, params, summary }: Route<never>) => {
    const named = Object.entries(params).filter(([, param]) => param.in !== 'path');
    return `| ${method} \`${path}\` | ${named.map(([name]) => `\`${name}\``).join(', ')} | ${summary} | \`${id}\` |`;
  };
  return interfaces
    .map(([name, rows]) =>
      [`### ${name}`, '', '| route | parameters | what it tells | name |', '|---|---|---|---|', ...rows.map(row)].join('\n'),
    )
    .join('\n\n');
}

/** Every code in the source, with the room it comes from. */
export async function codesInSource(): Promise<Map<string, string>> {
  const codes = new Map<string, string>();
  for await (const file of new Glob('src/**/*.ts').scan(root)) {
    if (/\.(test|fixture)\.ts$/.test(file)) continue;
    const text = await Bun.file(root + file).text();
    for (const [, code] of text.matchAll(/\bcode: '([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g))
      if (!codes.has(code!)) codes.set(code!, file.split('/')[1]!.replace('.ts', ''));
  }
  return codes;
}

async function errorsTable(): Promise<string> {
  const rows = [...(await codesInSource())].sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, room]) => `| \`${code}\` | ${room} |`);
  return ['| code | room |', '|---|---|', ...rows].join('\n');
}

if (import.meta.main)
  for (const page of Object.keys(pages)) {
    const { before, after } = await rendered(page);
    if (before !== after) await Bun.write(root + page, after);
  }
