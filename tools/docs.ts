/**
 * Writes the parts of docs/ that come from tables in the code: methods, errors, differences. `bun tools/docs.ts` after a change;
 * a test fails while a page and its table disagree.
 */
import { apiHealthRoutes } from '../src/api/health.ts';
import type { ApiRoute } from '../src/api/route.ts';
import { dataRoutes } from '../src/data/routes.ts';
import { differences } from '../src/differences.ts';
import { statsRoutes } from '../src/stats/routes.ts';
import { errorsPage } from './errors-page.ts';
import { methodsPage } from './methods-page.ts';

const root = new URL('..', import.meta.url).pathname;

/** A page is what people wrote around the marks, with what the tables say between them. */
export const pages: Record<string, () => Promise<string> | string> = {
  'docs/differences.md': () => differencesTable(),
  'docs/methods.md': () => methodsPage(),
  'docs/errors.md': () => errorsPage(root),
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

function routesTable(): string {
  const interfaces: [string, readonly ApiRoute<never>[]][] = [
    ['Data', [...apiHealthRoutes('v1'), ...dataRoutes()] as readonly ApiRoute<never>[]],
    ['Metrics', [...apiHealthRoutes('v2'), ...statsRoutes()] as readonly ApiRoute<never>[]],
  ];
  const row = ({ method, path, id, params, summary }: ApiRoute<never>) => {
    const named = Object.entries(params).filter(([, param]) => param.in !== 'path');
    return `| ${method} \`${path}\` | ${named.map(([name]) => `\`${name}\``).join(', ')} | ${summary} | \`${id}\` |`;
  };
  return interfaces
    .map(([name, rows]) => [`### ${name}`, '', '| route | parameters | returns | name |', '|---|---|---|---|', ...rows.map(row)].join('\n'))
    .join('\n\n');
}

if (import.meta.main)
  for (const page of Object.keys(pages)) {
    const { before, after } = await rendered(page);
    if (before !== after) await Bun.write(root + page, after);
  }
