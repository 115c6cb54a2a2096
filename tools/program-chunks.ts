import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { BunPlugin } from 'bun';

type ProgramBuild = {
  /** The source that the program starts with. */
  readonly entry: string;
  /** Where its files go; the first one is named for the entry. */
  readonly folder: string;
  readonly external: readonly string[];
  readonly minify: { readonly whitespace: boolean; readonly syntax: boolean; readonly identifiers: boolean };
  readonly plugins: BunPlugin[];
};

/**
 * Modules that a command imports at run time when it asks a node, and those that the developer's chain imports when it starts. They, and what they
 * import, have bytecode. Other modules that are imported at run time would add a third to it; they are parsed in some milliseconds.
 */
const ofCommand = ['client-program', 'error-advice'];
const ofNode = ['start-node', 'dev-chain'];

/** The file with the chunks that only a node needs. It reads all of them at its start: as 58 files that took 12 ms of CPU more. */
const nodeFile = 'node.js';

/**
 * Builds a program for Bun as CommonJS files, one per set of modules that is needed at the same time: a process reads only what it runs. As one file with
 * its bytecode, 11 MB, `serac version` took half as long again (59 in place of 40 ms of CPU), and every process 4 MB more memory (2026-11-19).
 * Bun splits only ES modules and has bytecode only for CommonJS, so the modules are split first, and then each chunk is translated. Returns the files.
 */
export async function buildProgramChunks({ entry, folder, external, minify, plugins }: ProgramBuild): Promise<string[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'serac-chunks-'));
  try {
    const { outputs } = await Bun.build({
      entrypoints: [entry],
      root: dirname(entry),
      target: 'bun',
      format: 'esm',
      splitting: true,
      minify,
      naming: { entry: '[name].js', chunk: '[name]-[hash].js' },
      external: [...external],
      plugins,
    });
    const chunks: Chunks = new Map(await Promise.all(outputs.map(async (output) => [basename(output.path), await output.text()] as const)));
    const files = writeModules(chunks, basename(entry).replace(/\.ts$/, '.js'), scratch);
    const translate = (names: readonly string[], bytecode: boolean) =>
      Bun.build({
        entrypoints: names.map((name) => join(scratch, name)),
        root: scratch,
        outdir: folder,
        target: 'bun',
        format: 'cjs',
        bytecode,
        minify,
        naming: { entry: '[name].cjs' },
        external: [...external, './*.cjs'],
      });
    const built = [await translate(files.started, true), ...(files.other.length === 0 ? [] : [await translate(files.other, false)])];
    const paths = built.flatMap((one) => one.outputs.map(({ path }) => path));
    for (const path of paths)
      if (path.endsWith('.cjs') && readFileSync(path).includes(scratch)) throw new Error(`${path} contains the path ${scratch}`);
    return paths;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The text of each chunk. One that is imported at run time is named for its first module. */
type Chunks = ReadonlyMap<string, string>;

/** Writes the modules to be translated; returns the names of those that a start or a command loads, and of the others. */
function writeModules(chunks: Chunks, first: string, folder: string) {
  const forCommands = reachableFrom([first, ...chunksOf(ofCommand, chunks)], chunks);
  const forNode = [...reachableFrom(chunksOf(ofNode, chunks), chunks)].filter((name) => !forCommands.has(name));
  const outside = [...chunks.keys()].filter((name) => !forNode.includes(name));
  for (const name of outside) writeFileSync(join(folder, name), requireChunks(chunks.get(name) as string, [...chunks.keys()]));
  if (forNode.length === 0) return { started: [...forCommands], other: outside.filter((name) => !forCommands.has(name)) };
  mkdirSync(join(folder, 'node'));
  for (const name of forNode) {
    writeFileSync(join(folder, 'node', name), requireChunks(chunks.get(name) as string, outside));
    // Other chunks find the exports of this one in a file with its name.
    writeFileSync(join(folder, name), `module.exports = require('./${basename(nodeFile, '.js')}.cjs').${variableOf(name)};`);
  }
  const imports = forNode.map((name) => `import * as ${variableOf(name)} from './node/${name}';\n`).join('');
  writeFileSync(join(folder, nodeFile), `${imports}export { ${forNode.map(variableOf).join(', ')} };\n`);
  return { started: [...forCommands, nodeFile], other: [...chunks.keys()].filter((name) => !forCommands.has(name)) };
}

const chunksOf = (modules: readonly string[], chunks: Chunks): string[] =>
  [...chunks.keys()].filter((name) => modules.some((one) => name.startsWith(`${one}-`)));

const variableOf = (name: string): string => name.replace(/\W/g, '_');

/** Chunks and all that they import when they are loaded. */
function reachableFrom(first: readonly string[], chunks: Chunks): Set<string> {
  const reached = new Set<string>();
  const transpiler = new Bun.Transpiler({ loader: 'js' });
  const visit = (name: string): void => {
    const text = chunks.get(name);
    if (text === undefined || reached.has(name)) return;
    reached.add(name);
    for (const { path, kind } of transpiler.scanImports(text)) if (kind === 'import-statement') visit(basename(path));
  };
  first.forEach(visit);
  return reached;
}

/** Makes a chunk refer to these chunks as they are after their translation. `import.meta` exists only in ES modules. */
const requireChunks = (text: string, names: readonly string[]): string =>
  text
    .replace(/(["'])\.\/([\w.-]+)\.js\1/g, (all, quote, name) => (names.includes(`${name}.js`) ? `${quote}./${name}.cjs${quote}` : all))
    .replace(/\bimport\((["']\.\/[\w.-]+\.cjs["'])\)/g, 'Promise.resolve().then(()=>require($1))')
    .replaceAll('import.meta.require', 'require');
