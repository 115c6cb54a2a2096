import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { listModules } from '../tools/house-modules.ts';

/** Holds the list of wings in ARCHITECTURE.md, and the README of each wing, against the folders under src/ and against what their files import. */

const root = resolve(import.meta.dir, '..');
const source = join(root, 'src');

/** The wings in the order of ARCHITECTURE.md: each imports only from those after it. */
const wings = [...sectionOf('ARCHITECTURE.md', 'The eleven wings').matchAll(/^\| \[`([\w-]+)`\]/gm)].map(([, name = '']) => name);

/** The code of the program; tests and fixtures aside. */
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.(test|fixture)\.tsx?$/.test(file),
);
const imports = files.flatMap((file) => importsOf(file).map((target) => ({ file, target })));

test('every folder under src/ is a wing of the list, and every wing a folder', () => {
  expect(readdirSync(source).sort()).toEqual([...wings].sort());
});

test('a wing imports only from wings further down the list', () => {
  const goesUp = ({ file, target }: { readonly file: string; readonly target: string }): boolean =>
    wings.indexOf(wingOf(target)) < wings.indexOf(wingOf(file));
  expect(imports.length).toBeGreaterThan(3000);
  expect(imports.filter(goesUp)).toEqual([]);
});

test('subfolders do not import each other in a circle', () => {
  const edges = new Map<string, Set<string>>();
  for (const { file, target } of imports)
    if (dirname(file) !== dirname(target)) edges.set(folderOf(file), (edges.get(folderOf(file)) ?? new Set()).add(folderOf(target)));
  const visited = new Set<string>();
  const visit = (folder: string, path: readonly string[]): void => {
    expect(path).not.toContain(folder);
    if (visited.has(folder)) return;
    for (const next of edges.get(folder) ?? []) if (next !== folder) visit(next, [...path, folder]);
    visited.add(folder);
  };
  for (const folder of edges.keys()) visit(folder, []);
});

test('a command that asks a node loads neither a node nor the native library: that would double its CPU time', () => {
  const { files: loaded, packages } = listModules(source, 'cli/main.ts', 'cli/client-program.ts');
  expect(loaded.size).toBeGreaterThan(100);
  const heavy =
    /^(ledger\/(index-read|index-write|store\/checkpointer)|app\/(programs|node|solo|followed|joined|servers)|chain|explorer\/pages|sdk)\b/;
  expect([...loaded].filter((file) => heavy.test(file))).toEqual([]);
  expect(packages).not.toContain('secp256k1');
  expect([...listModules(source, 'app/programs/dev-chain.ts').files].filter((file) => heavy.test(file)).length).toBeGreaterThan(100);
});

test("the developer's chain loads no other program: nothing that follows a node, joins peers, or needs PostgreSQL or Redis", () => {
  const others = /^(cluster|app\/(followed|joined|index)|network\/(consensus|gossip|snowman|bootstrap)|chain\/follow\/follower)\b/;
  const listOthers = (program: string) => [...listModules(source, program).files].filter((file) => others.test(file));
  expect(listOthers('app/programs/dev-chain.ts')).toEqual([]);
  expect(listOthers('app/programs/join.ts').length).toBeGreaterThan(20);
});

test("the developer's chain loads the drivers of no database server, and of the cluster only what its flags are checked with", () => {
  const servers = /^cluster\/|\b(postgres|redis)/;
  const { files: loaded } = listModules(source, 'cli/main.ts', 'app/programs/dev-chain.ts');
  expect(loaded).toContain('app/platform/bun/env.ts');
  expect([...loaded].filter((file) => servers.test(file)).sort()).toEqual([
    'cluster/hosts/database-config.ts',
    'cluster/postgres/database-url.ts',
  ]);
});

describe('the README of a wing', () => {
  for (const wing of wings) {
    const page = readFileSync(join(source, wing, 'README.md'), 'utf8');
    test(`${wing}: at most 30 lines, one row for each subfolder, and only files that exist`, () => {
      expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
      const rows = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = '']) => name);
      expect(rows.sort()).toEqual(subfoldersOf(wing));
      const named = namedFiles(page);
      expect(named.length).toBeGreaterThanOrEqual(3);
      expect(named.filter((name) => !existsSync(join(source, wing, name)))).toEqual([]);
    });
  }
});

/** What a newcomer asks first, and the wing whose README answers it with a file. */
const questions: readonly (readonly [wing: string, question: string])[] = [
  ['app', 'Add a health check'],
  ['app', 'Add a flag'],
  ['app', 'What `serac follow` is made of'],
  ['api', 'Add a Data route'],
  ['api', 'Add an event'],
  ['chain', 'What runs when a block arrives'],
  ['network', 'What runs when a block arrives from a peer'],
];

describe('the README of a wing names the file for', () => {
  for (const [wing, question] of questions)
    test(`${wing}: ${question}`, () => {
      const page = readFileSync(join(source, wing, 'README.md'), 'utf8');
      const [, answer = ''] = page.split(`${question}: `);
      expect(namedFiles(answer.split('\n')[0] ?? '').length).toBeGreaterThan(0);
    });
});

/** The text under a heading of a page. */
function sectionOf(page: string, heading: string): string {
  const [, section = ''] = readFileSync(join(root, page), 'utf8').split(new RegExp(`^## ${heading}$`, 'm'));
  return section.split(/^## /m)[0] ?? '';
}

/** TypeScript files that a page names in backticks. */
function namedFiles(page: string): string[] {
  return [...page.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name = '']) => name);
}

/** Subfolders that contain tracked files; built assets aside. */
function subfoldersOf(wing: string): string[] {
  return readdirSync(join(source, wing))
    .filter((name) => name !== 'assets' && statSync(join(source, wing, name)).isDirectory())
    .sort();
}

/** The files under src/ that a file imports, relative to src/. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8');
  return [...text.matchAll(/(?:from|import) '(\.[^']+)'|import\('(\.[^']+)'\)/g)]
    .map(([, fixed, lazy]) => relative(source, resolve(source, dirname(file), fixed ?? lazy ?? '')))
    .filter((target) => !target.startsWith('..'));
}

function wingOf(file: string): string {
  return file.split('/')[0] ?? '';
}

/** The wing and the first folder below it. */
function folderOf(file: string): string {
  return file.split('/').slice(0, -1).slice(0, 2).join('/');
}
