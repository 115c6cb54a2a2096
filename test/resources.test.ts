import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { resourceSections } from '../tools/resource-table.ts';
import { perCall } from '../tools/resources-of-calls.ts';
import { findGrowingVariables } from './growing-variables.ts';

/** Holds the table of resources (tools/resource-table.ts, docs/reference/limits.md) against the code. */

const root = resolve(import.meta.dir, '..');
const folder = join(root, 'src');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|fixture|d)\.tsx?$/.test(file))
  .sort();
const rows = resourceSections.flatMap((section) => section.rows);

/** `file name name` as one entry for each name. */
const expand = (held: readonly string[]): string[] =>
  held.flatMap((line) => {
    const [file, ...names] = line.split(' ');
    return names.map((name) => `${file} ${name}`);
  });

test('every list, map and set that outlives a call is in the table of resources, and the table names no other', async () => {
  const found = (await findGrowingVariables(root, folder, files)).map(({ file, name }) => `${file} ${name}`);
  const listed = [...expand(rows.flatMap(({ holds }) => holds ?? [])), ...expand(perCall)];
  expect(found.length).toBeGreaterThan(200);
  // A new one: give it a limit and a test, and add it to a row. If it ends with a call, a block or a batch: resources-of-calls.ts.
  expect(found.filter((one) => !listed.includes(one))).toEqual([]);
  expect(listed.filter((one) => !found.includes(one))).toEqual([]);
  expect(listed.filter((one, at) => listed.indexOf(one) !== at)).toEqual([]);
});

test('every resource has a test that exists', () => {
  expect(rows.filter(({ test: path }) => !existsSync(join(root, path)))).toEqual([]);
});

test('every metric and check of the table is served', () => {
  const code = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  /** The metrics of a chain are named without the prefix. */
  const isServed = (name: string): boolean =>
    [name, name.replace(/^(?:avalanche_snowman_|serac_)/, '')].some((text) => code.includes(`'${text}'`));
  expect(rows.flatMap(({ seen }) => (seen === undefined || isServed(seen) ? [] : [seen]))).toEqual([]);
});
