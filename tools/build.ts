import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { BunPlugin } from 'bun';
import packageJson from '../package.json' with { type: 'json' };
import { commandTable } from '../src/app/config/command.ts';
import { buildDocs } from '../src/app/platform/docs-build.ts';
import { docsFile, writeDocsFile } from '../src/app/platform/docs-files.ts';
import { buildPage } from '../src/app/platform/page-build.ts';
import { pageFile, writePageFile } from '../src/app/platform/page-files.ts';
import { collectLicenseTexts } from './release/licenses.ts';

/**
 * Builds dist/, which the npm package ships: JavaScript for Bun and Node, with the types of the exported entry points. Files keep the paths
 * of their sources, so that `import.meta.url` finds the same files from dist/ as from src/.
 */

const recoveryThread = 'chain/recovery/recovery-thread.ts';

/** Programs and entry points that are ES modules; they share code in chunks. */
const entryPoints = ['cli/main.ts', recoveryThread, 'sdk/vitest.ts'] as const;

/**
 * The library is CommonJS, because jest loads nothing else by default. `import 'serac'` gets the same file through an ES module that only names its
 * exports, so a program that uses both has one copy. The file chooses: Node runs one that is bundled for it, Bun the program, which has bytecode.
 */
const libraryFile = 'sdk/library.cjs';
const nodeLibraryFile = 'sdk/library-node.cjs';

/** Entry points for test runners that load CommonJS. Each becomes a CommonJS file beside the library, and an ES module that names its exports. */
const runnerEntryPoints = ['sdk/jest.ts', 'sdk/node-test.ts'] as const;

/** Entry points that run in browsers too. Each becomes one ES module, and one CommonJS file. */
export const browserEntryPoints = ['sdk/client.ts', 'sdk/codec.ts'] as const;

/**
 * What bin/serac and bin/launcher.js start on Bun: it loads one of the two files below. They have their bytecode in a file beside them: Bun then parses
 * nothing, which saves 85 ms of a start. Another version of Bun ignores the bytecode. Node runs dist/cli/main.js.
 */
const bunProgram = 'cli/main.cjs';

/**
 * The program for commands that ask a node, without a node: `serac balance` takes 49 ms of CPU time, 75 with the file below and 76 without bytecode,
 * for 0.7 MB more to download.
 */
const clientFile = 'cli/client.cjs';

/**
 * The whole program, and the library: transpiled and parsed, `createNode` took 2.5 times as much CPU time, and a second file with bytecode would be
 * another 4 MB.
 */
const nodeFile = 'cli/node.cjs';

/** Resolved when the program runs: the native package contains files for several platforms, and the test runners are the user's. */
const external = ['secp256k1', 'vitest', '@jest/globals'];

/** Names stay readable in stack traces. */
const minify = { whitespace: true, syntax: true, identifiers: false } as const;

const root = resolve(import.meta.dir, '..');
const source = join(root, 'src');
const dist = join(root, 'dist');

async function build(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const types = emitTypes();
  await bundle(entryPoints, dist);
  await buildProgramForBun(dist);
  await bundleLibrary();
  await bundleForRunners();
  await bundleForBrowsers();
  await types;
  // The code of these packages is inside the JavaScript files; those that npm installs bring their own texts.
  writeFileSync(join(dist, 'third-party-licenses.txt'), collectLicenseTexts(root, ['bundled']));
}

/** Below node_modules, so that the program finds its native package; a new folder, so that two runs do not disturb each other. */
export function createProgramFolder(): string {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, 'serac-test-'));
}

/** Builds what Bun needs to run the program, without the library: for the tests, which start it hundreds of times. Returns its path. */
export async function buildProgram(folder: string): Promise<string> {
  await bundle([recoveryThread], folder);
  await buildProgramForBun(folder);
  return join(folder, bunProgram);
}

/** Builds another program that runs a node, for a test that starts it many times. It has no pages. Returns its path. */
export async function buildTestProgram(entry: string, folder: string): Promise<string> {
  const file = `cli/${basename(entry, '.ts')}.cjs`;
  await bundleForBun(entry, folder, file);
  copyGenesis(folder);
  return join(folder, file);
}

const copyGenesis = (folder: string): void => {
  for (const file of ['local.json', 'fuji.bin', 'mainnet.bin'])
    cpSync(join(source, 'avm/genesis/data', file), join(folder, 'avm/genesis/data', file), { recursive: true });
};

async function buildProgramForBun(folder: string): Promise<void> {
  const { plugin, leftOut } = withoutServers();
  await bundleForBun(join(source, 'cli/main.ts'), folder, clientFile, [plugin]);
  await bundleForBun(join(source, 'cli/node.cjs'), folder, nodeFile);
  writeFileSync(join(folder, bunProgram), programChoice(leftOut));
  copyGenesis(folder);
  writePageFile(join(folder, pageFile), await buildPage('package'));
  writeDocsFile(join(folder, docsFile), await buildDocs({ isServed: true }));
}

/** The script that loads the file which a command needs: the command is the first word. */
function programChoice(leftOut: ReadonlySet<string>): string {
  const words = Object.entries(commandTable).flatMap(([name, { kind }]) => (kind === 'client' ? name.split(' ', 1) : []));
  const clientWords = [...new Set([...words, 'help', '--help', '-h', 'version', '--version'])].filter((word) => !leftOut.has(word));
  const choice = `if (${JSON.stringify(clientWords)}.includes(process.argv[2])) require('./${basename(clientFile)}');
else require('./${basename(nodeFile)}').runProgram();`;
  return `// @bun @bun-cjs\n(function (exports, require, module, __filename, __dirname) {\n${choice}\n})\n`;
}

/**
 * Leaves out what the program imports to run a server, and the client commands that contain one; says which these are. The YAML parser, which few
 * need, is that of the other file.
 */
function withoutServers(): { readonly plugin: BunPlugin; readonly leftOut: ReadonlySet<string> } {
  const leftOut = new Set<string>();
  const setup: BunPlugin['setup'] = (build) => {
    build.onResolve({ filter: /^yaml$/ }, () => ({ path: `./${basename(nodeFile)}`, external: true }));
    build.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, importer, kind }) => {
      if (kind !== 'dynamic-import' || !/[/\\]cli[/\\](main|resolve-network|commands[/\\]client-commands)\.ts$/.test(importer))
        return undefined;
      if (importer.endsWith('client-commands.ts')) leftOut.add(basename(path, '.ts'));
      return { path, external: true };
    });
  };
  return { plugin: { name: 'without servers', setup }, leftOut };
}

async function bundle(entries: readonly string[], folder: string): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: entries.map((entry) => join(source, entry)),
    root: source,
    outdir: folder,
    target: 'node',
    format: 'esm',
    splitting: true,
    minify,
    naming: { entry: '[dir]/[name].js', chunk: 'chunks/[hash].js' },
    external,
    plugins: [sharedLibrary('./index.js'), withoutBuilders],
  });
  for (const { path } of outputs) writeFileSync(path, markForBun(readFileSync(path, 'utf8')));
  const bytes = outputs.reduce((sum, { size }) => sum + size, 0);
  process.stdout.write(`${relative(root, folder)}: ${outputs.length} JavaScript files, ${Math.round(bytes / 1000)} kB\n`);
}

/** Bytecode needs one CommonJS file. */
async function bundleForBun(entry: string, folder: string, file: string, plugins: readonly BunPlugin[] = []): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    root: dirname(entry),
    outdir: folder,
    target: 'bun',
    format: 'cjs',
    bytecode: true,
    minify,
    naming: { entry: file },
    external,
    plugins: [replaceModuleUrl('bundleUrl'), withoutBuilders, withoutNode, ...plugins],
    banner: bundleUrl('Bun', `__dirname + '/${basename(bunProgram)}'`),
  });
  for (const { path, size } of outputs) process.stdout.write(`${relative(root, path)}: ${Math.round(size / 1000)} kB\n`);
  refuseSourcePaths(folder, file);
}

function refuseSourcePaths(folder: string, file: string): void {
  if (readFileSync(join(folder, file)).includes(root))
    throw new Error(`${file} contains the path ${root}; does a file that replaceModuleUrl does not name use import.meta.url?`);
}

async function bundleLibrary(): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: [join(source, 'sdk/index.ts')],
    root: source,
    outdir: dist,
    target: 'node',
    format: 'cjs',
    // With line breaks: Node prints the line of an error that nobody catches.
    minify: { ...minify, whitespace: false },
    naming: { entry: nodeLibraryFile },
    external,
    plugins: [replaceModuleUrl('bundleUrl'), withoutBuilders],
    banner: bundleUrl(`require('node:url')`, '__filename'),
  });
  const path = join(dist, nodeLibraryFile);
  refuseSourcePaths(dist, nodeLibraryFile);
  for (const { size } of outputs) process.stdout.write(`${relative(root, path)}: ${Math.round(size / 1000)} kB\n`);
  writeFileSync(join(dist, libraryFile), libraryChoice);
  nameExports('sdk/index.js', libraryFile, 'sdk/index.ts');
}

/** In the bundle of a user `module` has no `require`. It gets the file for Node, which runs on Bun too: bundlers cannot read a program with bytecode. */
const libraryChoice = `const isProgramUsed = process.versions.bun !== undefined && module.require !== undefined;
module.exports = isProgramUsed ? module.require('../${nodeFile}').loadLibrary() : require('./${basename(nodeLibraryFile)}');
`;

async function bundleForRunners(): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: runnerEntryPoints.map((entry) => join(source, entry)),
    root: source,
    outdir: dist,
    target: 'node',
    format: 'cjs',
    minify: { ...minify, whitespace: false },
    naming: { entry: '[dir]/[name].cjs' },
    external,
    plugins: [sharedLibrary(`./${basename(libraryFile)}`)],
  });
  for (const { path, size } of outputs) process.stdout.write(`${relative(root, path)}: ${Math.round(size / 1000)} kB\n`);
  for (const entry of runnerEntryPoints) nameExports(entry.replace('.ts', '.js'), entry.replace('.ts', '.cjs'), entry);
}

/** Writes an ES module that gives what a CommonJS file beside it exports: the values that its source exports by name. */
function nameExports(file: string, commonFile: string, entry: string): void {
  const names = new Bun.Transpiler({ loader: 'ts' }).scan(readFileSync(join(source, entry), 'utf8')).exports.join(', ');
  writeFileSync(join(dist, file), `import library from './${basename(commonFile)}';\nexport const { ${names} } = library;\n`);
}

/** Makes the entry points for test runners load the library, at this path, instead of having a copy of it. */
const sharedLibrary = (path: string): BunPlugin => ({
  name: 'shared library',
  setup: (build) => {
    build.onResolve({ filter: /[/\\]create-node\.ts$/ }, () => ({ path, external: true }));
  },
});

/** Defines the URL of the program or library. Not in place of `import.meta.url`: there Bun would replace `__filename` by the path of the source. */
const bundleUrl = (url: string, file: string): string => `const bundleUrl = ${url}.pathToFileURL(${file}).href;`;

/** CommonJS has no `import.meta.url`, and Bun would insert the path of the source. The two files that use it get the expression in its place. */
const replaceModuleUrl = (expression: string): BunPlugin => ({
  name: 'module URL',
  setup: (build) => {
    build.onLoad({ filter: /[/\\]src[/\\](cli[/\\]main|app[/\\]home)\.ts$/ }, async ({ path }) => ({
      contents: (await Bun.file(path).text()).replaceAll('import.meta.url', expression),
      loader: 'ts',
    }));
  },
});

/** Leaves out what builds the pages and the documentation from src/ and docs/: a package contains them. */
export const withoutBuilders: BunPlugin = {
  name: 'without builders',
  setup: (build) => {
    build.onLoad({ filter: /[/\\](page|docs)-build\.ts$/ }, () => ({ contents: 'export {};', loader: 'ts' }));
  },
};

/** Leaves out what only Node needs. */
const withoutNode: BunPlugin = {
  name: 'without Node',
  setup: (build) => {
    build.onLoad({ filter: /[/\\]platform[/\\]node[/\\]env\.ts$/ }, () => ({
      contents: 'export const createNodeEnv = undefined;',
      loader: 'ts',
    }));
  },
};

/**
 * Marks JavaScript with a comment that makes Bun run it without transpiling it first: that takes 90 ms of the first start, until Bun has cached
 * the result. Bun reads a marked file as Latin-1, so characters outside ASCII are escaped; an escape means the same in strings, templates and
 * regular expressions.
 */
const markForBun = (script: string): string =>
  `// @bun\n${script.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}`;

async function bundleForBrowsers(): Promise<void> {
  for (const [format, extension] of [
    ['esm', 'js'],
    ['cjs', 'cjs'],
  ] as const) {
    const { outputs } = await Bun.build({
      entrypoints: browserEntryPoints.map((entry) => join(source, entry)),
      root: source,
      outdir: dist,
      target: 'browser',
      format,
      minify,
      naming: { entry: `[dir]/[name].${extension}` },
      plugins: [portableBytes],
    });
    for (const { path, size } of outputs) process.stdout.write(`${relative(root, path)}: ${Math.round(size / 1000)} kB\n`);
  }
}

/** Replaces what browsers do not have: Buffer, and the hashes of node:crypto. */
export const portableBytes: BunPlugin = {
  name: 'portable bytes',
  setup: (build) => {
    build.onResolve({ filter: /(?:^|\/)hash\.ts$/ }, () => ({ path: join(source, 'base/bytes/portable-hash.ts') }));
    build.onLoad({ filter: /\/src\/(?:base\/bytes|base\/cache|base\/codec|avm\/tx|avm\/wallet)\/[^/]+\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const importLine = `import { PortableBuffer as Buffer } from '${join(source, 'base/bytes/portable-buffer.ts')}';\n`;
      const usesBuffer = /\bBuffer\./.test(text) && !path.endsWith('portable-buffer.ts');
      return { contents: usesBuffer ? importLine + text : text, loader: 'ts' };
    });
  },
};

/** Emits declarations with the compiler, beside the other work, and copies those that the package's `exports` reach. */
async function emitTypes(): Promise<void> {
  const scratch = join(dist, 'types');
  const compiler = Bun.spawn([join(root, 'node_modules/.bin/tsc'), '-p', 'tsconfig.types.json', '--outDir', scratch], {
    cwd: root,
    stdout: 'inherit',
    stderr: 'inherit',
  });
  if ((await compiler.exited) !== 0) throw new Error('the compiler could not emit the declarations; see its output above');
  const rows = Object.values(packageJson.exports).filter((row) => typeof row !== 'string');
  const copy = (entries: readonly string[], type: string, extension: string): void => {
    const reached = reachableDeclarations(entries.map((entry) => join(scratch, relative('dist', entry.replace(type, '.d.ts')))));
    for (const file of reached) {
      const target = join(dist, relative(scratch, file)).replace(/\.d\.ts$/, type);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(
        target,
        readFileSync(file, 'utf8').replaceAll(relativeImport, `$1${extension}$3`).replaceAll(genericBytes, 'Uint8Array'),
      );
    }
    process.stdout.write(`dist: ${reached.size} files *${type}\n`);
  };
  const moduleTypes = rows.map(({ types }) => types);
  copy(moduleTypes, '.d.ts', '.js');
  // For TypeScript a declaration is of the same kind as the JavaScript it belongs to, so CommonJS has its own.
  const commonTypes = rows.flatMap((row) => ('require' in row ? [row.require.types] : []));
  copy(commonTypes, '.d.cts', '.cjs');
  rmSync(scratch, { recursive: true });
}

/** A relative import in a declaration. The compiler keeps the endings `.ts` there; users need `.js`. */
const relativeImport = /((?:from|import\() ?["'](\.[^"']+))\.ts(["'])/g;

/** How the compiler writes Uint8Array with its default parameter. Before TypeScript 5.7 the type has no parameter. */
const genericBytes = 'Uint8Array<ArrayBufferLike>';

/** The declarations that the entries import, directly or not, and the entries. */
function reachableDeclarations(entries: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    if (!existsSync(file)) throw new Error(`${relative(root, file)} is missing; is its source an entry point?`);
    reached.add(file);
    for (const [, , specifier = ''] of readFileSync(file, 'utf8').matchAll(relativeImport))
      visit(resolve(dirname(file), `${specifier}.d.ts`));
  };
  entries.forEach(visit);
  return reached;
}

if (import.meta.main) await build();
