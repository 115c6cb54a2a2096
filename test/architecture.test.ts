import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** Holds the table of modules in ARCHITECTURE.md against the folders under src/ and against what their files import. */

const root = resolve(import.meta.dir, '..');
const source = join(root, 'src');

/** Every module that lists its imports one by one; modules of wiring and commands are listed beside it. */
const everything = 'everything';
const nothing = 'nothing';

/** Modules that may import files of src/ itself, such as config.ts; every module may import fault.ts. */
const mayImportRoot = (module: string): boolean => ['commands', 'cli', 'library'].includes(module) || /^wiring(-|$)/.test(module);

const table = readTable();
const folders = readdirSync(source).filter((name) => statSync(join(source, name)).isDirectory());

test('every folder under src/ has one row, and every row a folder', () => {
  expect([...table.keys()].sort()).toEqual([...folders].sort());
});

describe('a module imports only what its row lists, and lists only what it imports', () => {
  for (const [module, allowed] of table)
    test(module, () => {
      const { modules, rootFiles } = importsOf(module);
      if (!mayImportRoot(module)) expect([...rootFiles]).toEqual([]);
      const isListed = (name: string): boolean => !allowed.includes(everything) || table.get(name)?.includes(everything) === true;
      expect([...modules].filter(isListed).sort()).toEqual(modulesIn(allowed).sort());
    });
});

test('modules do not import each other in a circle', () => {
  const visited = new Set<string>();
  const visit = (module: string, path: readonly string[]): void => {
    expect(path).not.toContain(module);
    if (visited.has(module)) return;
    for (const next of modulesIn(table.get(module) ?? [])) visit(next, [...path, module]);
    visited.add(module);
  };
  for (const module of table.keys()) visit(module, []);
});

/** The names of modules in the last column of a row. */
function modulesIn(allowed: readonly string[]): string[] {
  return allowed.filter((name) => name !== nothing && name !== everything);
}

/** Rows of the table under "## Modules": the module in backticks, what it owns, what not, what it may import. */
function readTable(): Map<string, readonly string[]> {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = text.split(/^## Modules$/m);
  const rows = section.split(/^## /m)[0]?.matchAll(/^\| (`[^|]*) \|[^|]*\|[^|]*\| ([^|]*) \|$/gm) ?? [];
  const entries = [...rows].flatMap(([, names = '', allowed = '']) =>
    [...names.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => [name, allowed.split(', ').map((word) => word.trim())] as const),
  );
  return new Map(entries);
}

/** Modules, and files of src/ itself, that the code of a module imports; tests and fixtures aside. */
function importsOf(module: string): { readonly modules: ReadonlySet<string>; readonly rootFiles: ReadonlySet<string> } {
  const modules = new Set<string>();
  const rootFiles = new Set<string>();
  const folder = join(source, module);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file) || /\.(test|fixture)\.tsx?$/.test(file)) continue;
    const path = join(folder, file);
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)) {
      const target = relative(source, resolve(path, '..', specifier)).split('/');
      const [first = ''] = target;
      if (target.length === 1 && first !== 'fault.ts') rootFiles.add(first);
      if (target.length > 1 && first !== module) modules.add(first);
    }
  }
  return { modules, rootFiles };
}
