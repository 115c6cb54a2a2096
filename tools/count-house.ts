import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * Counts the house: wings, folders, floors, files, lines, long functions, wide types, and the files and folders that one `issueTx`, one page of
 * the Data API and one block on a network run through. Usage: bun tools/count-house.ts. The last three need the Node of test/nodes (`npm ci`
 * there): it counts which functions ran. With --list: the long functions, the wide types and the short files, with file and line.
 */

const root = resolve(import.meta.dir, '..');
const source = join(root, 'src');
const isCode = (file: string): boolean => /\.tsx?$/.test(file) && !/\.(test|fixture)\.tsx?$/.test(file);
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isCode);
const texts = new Map(files.map((file) => [file, readFileSync(join(source, file), 'utf8')]));

/** The wing and the folder below it. */
const folderOf = (file: string): string => dirname(file).split('/').slice(0, 2).join('/');

/** The longest chain of folders that import each other: how many floors a reader can go down. */
function countFloors(): number {
  const below = new Map<string, Set<string>>();
  for (const [file, text] of texts)
    for (const [, specifier = ''] of text.matchAll(/(?:from|import) '(\.[^']+)'/g)) {
      const target = relative(source, resolve(source, dirname(file), specifier));
      if (target.startsWith('..') || folderOf(target) === folderOf(file)) continue;
      below.set(folderOf(file), (below.get(folderOf(file)) ?? new Set()).add(folderOf(target)));
    }
  const heights = new Map<string, number>();
  const heightOf = (folder: string): number => {
    const known = heights.get(folder);
    if (known !== undefined) return known;
    heights.set(folder, 0);
    const height = 1 + Math.max(0, ...[...(below.get(folder) ?? [])].map(heightOf));
    heights.set(folder, height);
    return height;
  };
  return Math.max(...[...below.keys()].map(heightOf));
}

/** Something that was counted: its line in the file, its size and the text of its first line. */
type Found = { readonly line: number; readonly size: number; readonly start: string };

/** Lines from the start of each function to its end, found by indentation: the formatter puts the end below the start. */
function countFunctionLines(text: string): Found[] {
  const lines = text.split('\n');
  return lines.flatMap((line, start) => {
    const isStart = /^\s*(export )?(async )?function\b.*[{(]$/.test(line) || /^\s*(export )?const \w+.*(=>|=> \{|=> \($|\()$/.test(line);
    if (!isStart) return [];
    const indent = line.length - line.trimStart().length;
    const after = lines.findIndex(
      (next, at) =>
        at > start && next.trim() !== '' && next.length - next.trimStart().length <= indent && !/^\s*[})\]].*([{([]|=>)$/.test(next),
    );
    const end = /^\s*[})\]]/.test(lines[after] ?? '') ? after + 1 : after;
    return [{ line: start + 1, size: end - start, start: line.trim() }];
  });
}

/** The number of fields of each object type. */
function countFields(text: string): Found[] {
  return [...text.matchAll(/^(?:export )?(?:type|interface) \w+[^{\n]*\{\n((?: {2}.*\n|\n)*?)\}/gm)].map(
    ({ 0: whole, 1: body = '', index }) => ({
      line: text.slice(0, index).split('\n').length,
      size: body.split('\n').filter((line) => /^ {2}(readonly )?[\w[\]'.]+\??[:(]/.test(line)).length,
      start: whole.slice(0, whole.indexOf('\n')),
    }),
  );
}

/** What `count` finds in all files and `isBad` selects, largest first, a line each. */
function findAll(count: (text: string) => Found[], isBad: (size: number) => boolean): string[] {
  return [...texts]
    .flatMap(([file, text]) => count(text).map((found) => ({ ...found, file })))
    .filter(({ size }) => isBad(size))
    .sort((a, b) => b.size - a.size)
    .map(({ file, line, size, start }) => `${String(size).padStart(4)}  src/${file}:${line}  ${start}`);
}

const lines = [...texts.values()].map((text) => text.split('\n').length - 1);
const longFunctions = findAll(countFunctionLines, (size) => size > 100);
const wideTypes = findAll(countFields, (size) => size >= 12);
const shortFiles = findAll(
  (text) => [{ line: 1, size: text.split('\n').length - 1, start: '' }],
  (size) => size < 15,
);
if (process.argv.includes('--list')) {
  for (const [name, found] of Object.entries({ longFunctions, wideTypes, shortFiles }))
    process.stdout.write(`${name}\n${found.join('\n')}\n`);
  process.exit(0);
}
const rows: [string, number | string][] = [
  ['wings', readdirSync(source).length],
  ['folders', new Set(files.map(folderOf)).size],
  ['floors', countFloors()],
  ['files', files.length],
  ['files below 15 lines', shortFiles.length],
  ['files above 400 lines', lines.filter((count) => count > 400).length],
  ['lines', lines.reduce((sum, count) => sum + count, 0)],
  ['functions above 100 lines', longFunctions.length],
  ['types with 12 fields or more', wideTypes.length],
];

const node = join(root, 'test/nodes/node_modules/node-24/bin/node');
if (existsSync(node)) rows.push(...countRuns(node));
else process.stdout.write('test/nodes is not installed: what a call runs through is not counted\n');
for (const [name, count] of rows) process.stdout.write(`${name.padEnd(32)} ${count}\n`);

/** Runs tools/count-runs.mjs on a copy of the sources as JavaScript, file by file, in Node. */
function countRuns(program: string): [string, string][] {
  const copy = mkdtempSync(join(tmpdir(), 'serac-house-'));
  try {
    const tsconfig = { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } } as const;
    const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx', tsconfig }) };
    for (const folder of ['src', 'test'])
      for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.tsx?$/.test(file) || file.includes('node_modules') || file.includes('clients/')) continue;
        const target = join(copy, folder, file.replace(/\.tsx?$/, '.js'));
        mkdirSync(dirname(target), { recursive: true });
        const script = transpilers[file.endsWith('x') ? 'tsx' : 'ts'].transformSync(readFileSync(join(root, folder, file), 'utf8'));
        const portable = script
          .replace(/(['"])(\.[^'"\n]*)\.tsx?\1/g, '$1$2.js$1')
          .replace(/(from "\.[^"\n]*\.json")/g, '$1 with { type: "json" }')
          .replace('database-bun.js', 'database-node.js')
          .replace(/\brequire\(/, 'process.getBuiltinModule("module").createRequire(import.meta.url)(');
        writeFileSync(target, portable.replaceAll('react/jsx-dev-runtime', 'preact/jsx-runtime').replaceAll(/\bjsxDEV(_\w+)?\b/g, 'jsx$1'));
      }
    cpSync(join(source, 'avm/genesis/data'), join(copy, 'src/avm/genesis/data'), { recursive: true });
    cpSync(join(root, 'test/simulation/staking-keys.json'), join(copy, 'test/simulation/staking-keys.json'));
    cpSync(join(root, 'package.json'), join(copy, 'package.json'));
    cpSync(join(import.meta.dir, 'count-runs.mjs'), join(copy, 'count-runs.mjs'));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const { stdout, stderr, exitCode } = Bun.spawnSync([program, join(copy, 'count-runs.mjs')], { cwd: copy });
    if (exitCode !== 0) throw new Error(`count-runs.mjs failed: ${stderr.toString()}`);
    return Object.entries(JSON.parse(stdout.toString()) as Record<string, string[]>).map(([name, ran]) => {
      const folders = new Set(ran.map(folderOf));
      return [
        name,
        `${ran.length} files in ${folders.size} folders of ${new Set([...folders].map((folder) => folder.split('/')[0])).size} wings`,
      ];
    });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
