import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { printedLines, recipes } from '../tools/recipes-page.ts';

/** Runs every recipe of docs/reference/codec.md, one after the other in one process, with the library from its sources. */

const root = resolve(import.meta.dir, '..');
const folder = mkdtempSync(join(tmpdir(), 'serac-recipes-'));
afterAll(() => rmSync(folder, { recursive: true }));
const read = (name: string): string => readFileSync(join(root, `examples/codec/${name}.ts`), 'utf8');

test('every program of examples/codec is a recipe', () => {
  const programs = readdirSync(join(root, 'examples/codec')).filter((file) => file.endsWith('.ts'));
  expect(programs.sort()).toEqual(recipes.map((name) => `${name}.ts`).sort());
});

test('every recipe prints what its comments say', async () => {
  for (const name of recipes)
    writeFileSync(
      join(folder, `${name}.ts`),
      read(name)
        .replace("from 'serac'", `from '${root}/src/sdk/index.ts'`)
        .replace("from 'serac/codec'", `from '${root}/src/sdk/codec.ts'`),
    );
  const runner = recipes.map((name) => `console.log('${name}:');\nawait import('./${name}.ts');`).join('\n');
  writeFileSync(join(folder, 'run.ts'), runner);
  const child = Bun.spawn([process.execPath, join(folder, 'run.ts')], { stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  expect([code, err]).toEqual([0, '']);
  const expected = recipes.flatMap((name) => [`${name}:`, ...printedLines(read(name))]);
  expect(expected.length).toBeGreaterThan(2 * recipes.length);
  expect(out.trim().split('\n')).toEqual(expected);
});
