/**
 * Writes the generated parts of docs/: methods, errors, flags, differences, routes and limits, which come from tables in the code, recipes and SDKs,
 * which are programs of examples/ and test/clients/sdks, figures of the bench, and answers during failures; and the options of `createNode`, which come from the table of flags. Run `bun tools/docs.ts` after
 * changing a table; a test fails if a page is out of date.
 */

import { differences } from '../src/api/differences.ts';
import { renderErrorsPage } from './errors-page.ts';
import { renderEventsPage } from './events-page.ts';
import { renderFailures } from './failures-page.ts';
import { renderPerformanceTable, renderReadmeFigures } from './figures-page.ts';
import { renderFlagsPage } from './flags-page.ts';
import { renderLimitsPage } from './limits-page.ts';
import { renderMethodsPage } from './methods-page.ts';
import { renderNodeOptions } from './node-options.ts';
import { renderPeerMessagesPage } from './peer-messages-page.ts';
import { renderRecipes } from './recipes-page.ts';
import { renderDependenciesPage } from './release/dependencies-page.ts';
import { renderRoutesPage } from './routes-page.ts';
import { renderSdksPage } from './sdks-page.ts';

const root = new URL('..', import.meta.url).pathname;

/** The generated part of each page, which stands between two marks; the rest of the page is written by hand. */
export const generatedPages: Record<string, () => Promise<string> | string> = {
  'docs/understand/differences.md': () => formatDifferences(),
  'docs/reference/methods.md': () => renderMethodsPage(),
  'docs/reference/errors.md': () => renderErrorsPage(root),
  'docs/reference/data-and-metrics.md': () => renderRoutesPage(),
  'docs/reference/codec.md': () => renderRecipes(root),
  'docs/reference/events.md': () => renderEventsPage(),
  'docs/reference/flags.md': () => renderFlagsPage(),
  'docs/reference/peer-messages.md': () => renderPeerMessagesPage(),
  'docs/reference/limits.md': () => renderLimitsPage(root),
  'docs/understand/dependencies.md': () => renderDependenciesPage(root),
  'docs/guides/cluster.md': () => renderFailures(),
  'docs/start/sdks.md': () => renderSdksPage(root),
  'docs/operate/performance.md': () => renderPerformanceTable(),
  'README.md': () => renderReadmeFigures(),
  'src/sdk/node-options.ts': () => renderNodeOptions(),
};

/** The lines before and after the generated part of a page or source file. */
const marksOf = (page: string): readonly [begin: string, end: string] => {
  if (page.endsWith('.ts')) return ['  // from the tables: begin', '  // from the tables: end'];
  const name = page === 'README.md' ? 'figures' : 'from the tables';
  return [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
};

export async function renderPage(page: string): Promise<{ before: string; after: string }> {
  const before = await Bun.file(root + page).text();
  const [beginMark, endMark] = marksOf(page);
  const [head, rest] = before.split(beginMark);
  const tail = rest?.split(endMark)[1];
  if (head === undefined || tail === undefined) throw new Error(`${page} has no marks for its generated part: ${beginMark} and ${endMark}`);
  return { before, after: `${head}${beginMark}\n${await generatedPages[page]!()}\n${endMark}${tail}` };
}

function formatDifferences(): string {
  const rows = Object.entries(differences).map(([name, { what, why }]) => `| \`${name}\` | ${what} | ${why} |`);
  return ['| name | what Serac does | why |', '|---|---|---|', ...rows].join('\n');
}

if (import.meta.main)
  for (const page of Object.keys(generatedPages)) {
    const { before, after } = await renderPage(page);
    if (before !== after) await Bun.write(root + page, after);
  }
