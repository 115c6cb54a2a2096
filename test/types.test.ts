import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { type InstalledPackage, installPackage } from './package.ts';
import packageJson from './typescript/package.json' with { type: 'json' };

/** The types of the packed package: every supported version of TypeScript accepts a strict program with them, and editors show the comments of options. */

const folder = resolve(import.meta.dir, 'typescript');
const modules = join(folder, 'node_modules');
const versions = Object.keys(packageJson.devDependencies).filter((name) => name.startsWith('typescript-'));
const isInstalled = existsSync(modules);
if (!isInstalled) process.stdout.write('The types are not tested with versions of TypeScript: `npm ci` was not run in test/typescript\n');

let installed: InstalledPackage;
beforeAll(() => {
  if (!isInstalled) return;
  installed = installPackage();
  const types = join(installed.folder, 'node_modules/@types');
  mkdirSync(types);
  symlinkSync(join(modules, '@types/node'), join(types, 'node'));
  cpSync(join(folder, 'consumer.mts'), join(installed.folder, 'consumer.mts'));
  // Vitest's own types need its package; the declarations that src/sdk/vitest.ts is compiled with are the part of them that matters.
  const vitest = join(installed.folder, 'node_modules/vitest');
  mkdirSync(vitest);
  writeFileSync(join(vitest, 'package.json'), '{ "name": "vitest", "version": "0.0.0", "type": "module", "types": "./index.d.ts" }');
  const declared = readFileSync(resolve(import.meta.dir, '../src/sdk/vitest-types.d.ts'), 'utf8');
  writeFileSync(join(vitest, 'index.d.ts'), declared.replace("declare module 'vitest' {", '').replace(/}\s*$/, ''));
});
afterAll(() => installed?.remove());

/**
 * Whether the package's declarations are checked too, not only the program that uses them: four times the work, and their meaning changes with
 * the version of TypeScript, not with the kind of module. What one of the versions between refuses, the oldest or the newest does as well.
 */
const checksDeclarations = (version: string, module: string): boolean =>
  module === 'nodenext' && [versions[0], versions.at(-1)].includes(version);

describe.skipIf(!isInstalled)('a strict program that uses every entry point compiles', () => {
  const modes = [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const;
  test.each(versions.flatMap((version) => modes.map(([module, resolution]) => [version, module, resolution] as const)))(
    '%s, --module %s --moduleResolution %s',
    async (version, module, resolution) => {
      const flags = [
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        `${!checksDeclarations(version, module)}`,
        '--target',
        'es2022',
        '--types',
        'node',
      ];
      const compiler = join(modules, version, 'bin/tsc');
      const command = [compiler, ...flags, '--module', module, '--moduleResolution', resolution, 'consumer.mts'];
      const child = Bun.spawn(['node', ...command], { cwd: installed.folder, stdout: 'pipe', stderr: 'pipe' });
      expect([(await new Response(child.stdout).text()).trim(), await child.exited]).toEqual(['', 0]);
    },
    300_000,
  );
});

/** The part of TypeScript's editor service that the test uses. Version 7 has none for programs. */
type TypeScript = {
  readonly createLanguageService: (host: object) => {
    readonly getQuickInfoAtPosition: (file: string, at: number) => { readonly documentation: Text[]; readonly tags: Tag[] } | undefined;
  };
  readonly ScriptSnapshot: { readonly fromString: (text: string) => unknown };
  readonly getDefaultLibFilePath: (options: object) => string;
};
type Text = { readonly text: string };
type Tag = { readonly name: string; readonly text: Text[] };

test.skipIf(!isInstalled)(
  'an editor shows what an option does, its default and an example',
  () => {
    const typescript = createRequire(join(folder, 'package.json'))('typescript-5.9') as TypeScript;
    const file = join(installed.folder, 'editor.mts');
    const program = "import { createNode } from 'serac';\nawait createNode({ reorgDepth: 1 });\n";
    const service = typescript.createLanguageService({
      fileExists: existsSync,
      readFile: (path: string) => readFileSync(path, 'utf8'),
      getCompilationSettings: () => ({ strict: true, module: 199, moduleResolution: 99, target: 9, types: [] }),
      getScriptFileNames: () => [file],
      getScriptVersion: () => '1',
      getScriptSnapshot: (path: string) =>
        path === file
          ? typescript.ScriptSnapshot.fromString(program)
          : existsSync(path)
            ? typescript.ScriptSnapshot.fromString(readFileSync(path, 'utf8'))
            : undefined,
      getCurrentDirectory: () => installed.folder,
      getDefaultLibFileName: typescript.getDefaultLibFilePath,
    });
    const shown = service.getQuickInfoAtPosition(file, program.indexOf('reorgDepth'));
    const textOf = (parts: readonly Text[] = []): string => parts.map(({ text }) => text).join('');
    expect(textOf(shown?.documentation)).toStartWith('How many of the last blocks dev.reorg can replace');
    expect(shown?.tags.map(({ name, text }) => `${name} ${textOf(text)}`)).toEqual(['default 0', 'example createNode({ reorgDepth: 64 })']);
  },
  60_000,
);
