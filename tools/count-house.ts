import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { countLoadedModules, listModules } from './house-modules.ts';
import {
  type Found,
  findBagSpreads,
  findBags,
  findConditionalSpreads,
  findFunctions,
  findMaybePromises,
  findRepeatedSignatures,
  findTypes,
  findTypesWithMethods,
} from './house-patterns.ts';
import { countRuns, type Run } from './house-runs.ts';

/**
 * Counts the house: wings, folders, floors, files, lines, what is hard to read, the modules that programs load, and the files and functions that
 * the start, one `issueTx`, one page of the Data API and one block on a network run through. Usage: bun tools/count-house.ts. The paths need the Node
 * of test/nodes (`npm ci` there): it counts which functions ran. With --list: everything that was found by a pattern, with file and line.
 */

const root = resolve(import.meta.dir, '..');
const source = join(root, 'src');
const isCode = (file: string): boolean => /\.tsx?$/.test(file) && !/\.(test|fixture)\.tsx?$/.test(file);
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isCode).sort();
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

/** What was found in a file. */
type Place = Found & { readonly file: string };

const placesIn = (file: string, found: readonly Found[]): Place[] => found.map((one) => ({ ...one, file }));
const findAll = (find: (text: string) => Found[]): Place[] => [...texts].flatMap(([file, text]) => placesIn(file, find(text)));
const sumSizes = (places: readonly Place[]): number => places.reduce((sum, { size }) => sum + size, 0);

const typesWithMethods = findTypesWithMethods(texts);
const bags = [...findBags(texts)].flatMap(([file, found]) => placesIn(file, found));
const signatures = findAll(findRepeatedSignatures);
const fileSizes = findAll((text) => [{ line: 1, size: text.split('\n').length - 1, start: '' }]);

/** Rows that --list shows place by place, largest first. */
const found: Readonly<Record<string, readonly Place[]>> = {
  'files below 15 lines': fileSizes.filter(({ size }) => size < 15),
  'files above 400 lines': fileSizes.filter(({ size }) => size > 400),
  'functions above 100 lines': findAll(findFunctions).filter(({ size }) => size > 100),
  'types with 12 fields or more': findAll(findTypes).filter(({ size }) => size >= 12),
  'bags (…Deps, …Options, …Parts)': bags,
  'bags that are used once': bags.filter(({ size }) => size <= 1),
  'spreads of a bag': [...texts].flatMap(([file, text]) => placesIn(file, findBagSpreads(text, typesWithMethods.get(file) ?? new Set()))),
  'conditional spreads': findAll(findConditionalSpreads),
  'lines with "| Promise<"': findAll(findMaybePromises),
  'types built by one factory': signatures,
};

const formatRun = (run: Run): string => {
  if (typeof run !== 'object') return `${run}`;
  const folders = new Set(run.files.map(folderOf));
  const wings = new Set([...folders].map((folder) => folder.split('/')[0]));
  return `${run.files.length} files, ${run.functions} functions in ${folders.size} folders of ${wings.size} wings`;
};

async function printCounts(): Promise<void> {
  const programs = files.filter((file) => dirname(file) === 'app/programs');
  const rows: [string, number | string][] = [
    ['wings', readdirSync(source).length],
    ['folders', new Set(files.map(folderOf)).size],
    ['floors', countFloors()],
    ['files', files.length],
    ['lines', sumSizes(fileSizes)],
    ...Object.entries(found).map(([name, places]): [string, number] => [name, places.length]),
    ['signatures that stand twice', sumSizes(signatures)],
    ['modules loaded by serac dev', await countLoadedModules(source, 'dev', '--http-port=0', '--log-level=error')],
    ...programs.map((file): [string, number] => [`modules of ${file}`, listModules(source, file).files.size]),
  ];
  const node = join(root, 'test/nodes/node_modules/node-24/bin/node');
  if (existsSync(node)) rows.push(...Object.entries(countRuns(node)).map(([name, run]): [string, string] => [name, formatRun(run)]));
  else process.stdout.write('test/nodes is not installed: what a call runs through is not counted\n');
  for (const [name, count] of rows) process.stdout.write(`${name.padEnd(36)} ${count}\n`);
}

function printPlaces(): void {
  for (const [name, places] of Object.entries(found)) {
    process.stdout.write(`${name}\n`);
    for (const { file, line, size, start } of [...places].sort((a, b) => b.size - a.size))
      process.stdout.write(`${String(size).padStart(4)}  src/${file}:${line}  ${start}\n`);
  }
}

if (process.argv.includes('--list')) printPlaces();
else await printCounts();
