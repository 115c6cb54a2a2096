import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Glob } from 'bun';
import { differences } from '../src/api/differences.ts';
import { errorAdvice } from '../src/app/advice/error-advice.ts';
import { docsTable } from '../src/explorer/docs/docs-table.ts';
import { movedPages } from '../src/explorer/docs/moved-pages.ts';
import { generatedPages, renderPage } from '../tools/docs.ts';
import { findCodesInSource } from '../tools/errors-page.ts';

const root = resolve(import.meta.dir, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** All files below the root that match one of the patterns, hidden folders included. */
const findFiles = (...patterns: string[]): string[] =>
  patterns.flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root, dot: true })]).sort();

const pages = findFiles('*.md', '.github/**/*.md', 'docs/**/*.md', 'src/**/README.md', 'test/clients/*.md', 'vectors/*.md');

for (const page of Object.keys(generatedPages))
  test(`${page} is up to date with the code (bun tools/docs.ts)`, async () => {
    const { before, after } = await renderPage(page);
    expect(before).toBe(after);
  });

test('docs/reference/errors.md: every documented code exists in the source, and each meaning and remedy is a sentence', async () => {
  const known = await findCodesInSource(`${root}/`);
  expect([...errorAdvice.keys()].filter((code) => !known.has(code))).toEqual([]);
  for (const [code, advice] of errorAdvice)
    for (const text of advice) expect([code, text]).toEqual([code, expect.stringMatching(/^.{8,}\.$/)]);
});

describe('pages', () => {
  test('there are the pages that people look for', () => {
    const expected = [
      'README.md',
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'docs/understand/decisions/README.md',
    ];
    expect(expected.filter((page) => !pages.includes(page))).toEqual([]);
  });

  test('every link leads to a file and a heading that exist', () => {
    const links = pages.flatMap((page) => linksOf(page).map((target) => ({ page, target })));
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter(({ page, target }) => !isFound(page, target))).toEqual([]);
  });

  test('every page of docs/ can be reached from the README by links', () => {
    const reached = new Set<string>();
    const visit = (page: string): void => {
      if (reached.has(page) || !pages.includes(page)) return;
      reached.add(page);
      for (const target of linksOf(page)) visit(join(dirname(page), target.split('#')[0] || '.').replace(/^\.$/, page));
    };
    visit('README.md');
    expect(pages.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
  });

  /** A name that begins with one of these folders, or ends with `.ts`, is a file of the repository. */
  const folders = /^(?:\.ci|\.github|bench|bin|docs|examples|packaging|src|test|tools|vectors)\//;

  test('every file that a page names exists', () => {
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/`([\w./*-]+)`/g)].map(([, name = '']) => ({ page, name })).filter(({ name }) => isFileName(name)),
    );
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter(({ page, name }) => !nameExists(page, name))).toEqual([]);
  });

  const isFileName = (name: string): boolean => folders.test(name) || /\.tsx?$/.test(name);

  /** A name is relative to the root, to src/ or to the folder of its page. */
  const nameExists = (page: string, name: string): boolean =>
    ['.', 'src', dirname(page)].some((folder) =>
      name.includes('*') ? findFiles(join(folder, name)).length > 0 : existsSync(join(root, folder, name)),
    );

  test('every page of docs/ that code, messages and help name exists, and its heading', () => {
    const files = findFiles(
      'src/**/*.{ts,tsx}',
      'tools/**/*.{ts,mjs}',
      'bin/*',
      'packaging/**/*',
      'examples/**/*.{md,mjs,ts,js,json}',
      '.github/**/*.yml',
    );
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/(?<![\w/.])docs\/([a-z][\w/.-]+\.(?:md|json|png|webp))(#[\w-]+)?/g)].map(([, path = '', anchor = '']) => ({
        file,
        target: `docs/${path}${anchor}`,
      })),
    );
    expect(named.length).toBeGreaterThan(80);
    expect(named.filter(({ target }) => !isFound('README.md', target))).toEqual([]);
  });

  test('every page of the site that code and pages name by its URL exists', () => {
    const known = new Set(['', ...docsTable.map(({ page }) => page), ...Object.keys(movedPages)]);
    const files = [...findFiles('src/**/*.{ts,tsx}', 'bin/*', 'packaging/**/*'), ...pages].filter(
      (file) => !/\.(test|fixture)\./.test(file),
    );
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/(?<![\w.])\/docs\/([\w/-]*[\w-])(?:\.html|\.md)?(?=[`'"\s)#,;:.]|$)/gm)].map(([, page = '']) => ({
        file,
        page,
      })),
    );
    const isPage = (page: string): boolean => known.has(page) || page.startsWith('understand/decisions') || page.startsWith('llms');
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter(({ page }) => !isPage(page))).toEqual([]);
  });

  test('tables stay tables: every row has as many cells as its head', () => {
    const wrong = pages.flatMap((page) =>
      tablesOf(read(page)).flatMap(([head = '', ...rows]) => rows.filter((row) => cells(row) !== cells(head))),
    );
    expect(wrong).toEqual([]);
  });
});

/** Words of files, without what is generated. */
const wordsOf = (...files: string[]): number =>
  files
    .map((file) => read(file).replaceAll(/<!-- from the tables: begin -->[\s\S]*?<!-- from the tables: end -->/g, ''))
    .join(' ')
    .split(/\s+/).length;

test('the first hour of a reader stays short: README.md at most 1,500 words, docs/start 4,500', () => {
  expect(wordsOf('README.md')).toBeLessThanOrEqual(1500);
  expect(wordsOf(...findFiles('docs/start/*.md'))).toBeLessThanOrEqual(4500);
});

/** Words of the pages of a folder outside the generated parts. */
const wordsBelow = (pattern: string): number =>
  findFiles(pattern).reduce((sum, page) => {
    const text = read(page).replaceAll(/<!-- from the tables: begin -->[\s\S]*?<!-- from the tables: end -->/g, '');
    return sum + (text.match(/\S+/g)?.length ?? 0);
  }, 0);

test.each([
  ['docs/guides/*.md', 6_500],
  ['docs/reference/*.md', 3_000],
  ['docs/understand/*.md', 2_500],
])('%s: at most %d words are written by hand', (pattern, max) => {
  expect(wordsBelow(pattern)).toBeLessThanOrEqual(max);
});

test('docs/: at most 35,000 words are written by hand', () => {
  expect(wordsBelow('docs/**/*.md')).toBeLessThanOrEqual(35_000);
});

describe('docs/decisions', () => {
  const decisions = findFiles('docs/understand/decisions/*.md').filter((page) => !page.endsWith('README.md'));

  test.each(decisions)('%s has problem, options with numbers, choice and place, in at most 400 words', (page) => {
    const text = read(page);
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(expect.arrayContaining(['Problem', 'Options', 'Choice', 'Where']));
    expect(text).toMatch(/^# Why /);
    expect(text.match(/\b\d[\d,.]*\s*[a-zµ%]/gi)?.length ?? 0).toBeGreaterThanOrEqual(2);
    expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(400);
  });

  test('the list has a row for every page', () => {
    const listed = linksOf('docs/understand/decisions/README.md').filter((target) => /^[\w-]+\.md$/.test(target));
    expect(listed.map((name) => `docs/understand/decisions/${name}`).sort()).toEqual(decisions);
  });
});

test('the pages for operators have at most 6,000 words outside of generated parts, CONTRIBUTING.md 1,800', () => {
  const countWords = (page: string): number =>
    read(page)
      .replaceAll(/<!-- from the tables: begin -->[\s\S]*?<!-- from the tables: end -->/g, '')
      .split(/\s+/)
      .filter((word) => word !== '').length;
  const operate = findFiles('docs/operate/*.md').map(countWords);
  expect(operate.length).toBeGreaterThan(5);
  expect(operate.reduce((sum, words) => sum + words, 0)).toBeLessThanOrEqual(6000);
  expect(countWords('CONTRIBUTING.md')).toBeLessThanOrEqual(1800);
});

describe('CONTRIBUTING.md', () => {
  const rows = tablesOf(read('CONTRIBUTING.md')).find(([head]) => head?.startsWith('| what | test |')) ?? [];

  test('the table of tests has the numbers of the tests and of .ci/run', () => {
    const ci = read('.ci/run');
    const sized = rows.flatMap((row) => {
      const [, file, variable, usual, inCi] = /\| `(test\/[\w./-]+)` \| `(SERAC_\w+)` ([\d,]+) \| ([\d,]+) \|/.exec(row) ?? [];
      return file === undefined ? [] : [{ file, variable, usual: digits(usual), inCi: digits(inCi) }];
    });
    expect(sized.length).toBeGreaterThanOrEqual(5);
    for (const { file, variable, usual, inCi } of sized) {
      const [, written = ''] = new RegExp(`process\\.env\\.${variable} \\?\\? ([\\d_]+)`).exec(read(file)) ?? [];
      expect({ variable, usual, inCi }).toEqual({
        variable,
        usual: digits(written),
        inCi: new RegExp(`\\b${variable}=(\\d+)\\b`).exec(ci)?.[1] ?? '',
      });
    }
  });

  test('every number that .ci/run sets is in the table', () => {
    const set = [...read('.ci/run').matchAll(/(SERAC_\w+)=\d/g)].map(([, name = '']) => name);
    expect(set.filter((name) => !rows.some((row) => row.includes(`\`${name}\``)))).toEqual([]);
  });
});

test('SECURITY.md: every port and file of the threat model names the tests that show what is defended', () => {
  const [, section = ''] = readFileSync(join(root, 'SECURITY.md'), 'utf8').split(/^## Threat model$/m);
  const rows = (section.split(/^## /m)[0] as string)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1);
  expect(rows.length).toBeGreaterThan(14);
  const testsOf = (row: string): string[] => [...row.matchAll(/`((?:test|src)\/[\w/.-]+\.test\.ts)`/g)].map(([, path = '']) => path);
  expect(rows.filter((row) => testsOf(row).length === 0)).toEqual([]);
  expect(rows.flatMap(testsOf).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('docs/understand/differences.md names every health check that only Serac has', async () => {
  const source = findFiles('src/**/*.ts').map(read).join('\n');
  const registered = [...source.matchAll(/\bextraCheck\('([\w-]+)'/g)].map(([, name]) => name);
  const named = [...differences.extraChecks.what.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);
  expect(registered.length).toBeGreaterThan(0);
  expect(named.sort()).toEqual(registered.sort());
});

/** Targets of the links of a page that stay in the repository. */
function linksOf(page: string): string[] {
  const text = read(page).replaceAll(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target));
}

function isFound(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || anchorsOf(file).includes(anchor);
}

/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The tables of a page without the line below their heads; each is a list of rows. */
function tablesOf(text: string): string[][] {
  const tables: string[][] = [];
  let table: string[] | undefined;
  for (const line of text.replaceAll(/```[\s\S]*?```/g, '').split('\n')) {
    if (!line.startsWith('|')) table = undefined;
    else if (table === undefined) {
      table = [line];
      tables.push(table);
    } else if (!/^\|[-|]+\|$/.test(line)) table.push(line);
  }
  return tables;
}

const cells = (row: string): number => row.replaceAll(/\\\||`[^`]*`/g, '').split('|').length;

const digits = (text = ''): string => text.replaceAll(/[^\d]/g, '');
