import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chooseMutants, type Mutant, summarize, toMutant } from '../tools/mutants.ts';
import { applyMutation, listMutations } from '../tools/mutate-source.ts';
import { createTrial, filesOfStage, importsOf, listFailed, oneOfEachFile } from '../tools/try-mutants.ts';

/** The changed lines of a text, by kind. */
const changesOf = (source: string): string[] =>
  listMutations(source).map((mutation) => {
    const { kind, after } = toMutant('src/wing/file.ts', source, mutation);
    return `${kind}: ${after}`;
  });

/** A text in which `#` stands for the sign before the brace of a template. */
const template = (text: string): string => text.replaceAll('#', '$');

describe('mutations of a text', () => {
  test('of a check', () => {
    expect(changesOf('if (a(b) && c >= 10) return;')).toEqual([
      'comparison changed: if (a(b) && c > 10) return;',
      'and/or swapped: if (a(b) || c >= 10) return;',
      'number changed: if (a(b) && c >= 11) return;',
      'check negated: if (!(a(b) && c >= 10)) return;',
      'check removed: if (false) return;',
    ]);
  });

  test('of statements, sums and numbers', () => {
    expect(changesOf('const f = (): void => {\n  cache.clear();\n  n += 1_000n;\n};\n')).toEqual([
      'sum changed: n -= 1_000n;',
      'number changed: n += 1001n;',
      'statement removed: void 0;',
      'returned early: const f = (): void => { return;',
    ]);
  });

  test('spare comments, strings, templates, regular expressions and types', () => {
    const text = [
      '/** 1 === 2 */',
      'const a = \'x === 1\' + "2"; // 3 < 4',
      'export type T = {',
      '  readonly a: 1;',
      '};',
      'const b = /[/1] === 2/g;',
      template('const c = `1 === 2 #{ { d: `3 #{e}` } } 4`;'),
    ];
    expect(changesOf(text.join('\n'))).toEqual([]);
    expect(changesOf(template('const c = `1 #{{ d: e === f }} 2`;'))).toEqual([
      template('comparison changed: const c = `1 #{{ d: e !== f }} 2`;'),
    ]);
  });

  test('change only their place', () => {
    const source = 'const a = 1;\nconst b = 2 < 3;\n';
    for (const mutation of listMutations(source)) {
      const mutated = applyMutation(source, mutation);
      expect(mutated).not.toBe(source);
      expect(mutated.split('\n').filter((line, i) => line !== source.split('\n')[i])).toHaveLength(1);
    }
  });
});

describe('the choice of mutants', () => {
  const sources = new Map([
    ['src/a/x/one.ts', 'const a = 1 < 2;\nconst b = 3 === 4;\n'],
    ['src/b/y/two.ts', Array.from({ length: 50 }, (_, i) => `const a${i} = b < ${i};`).join('\n')],
  ]);

  test('is the same for a seed, another for another, without repetition, and has as many of each wing', () => {
    const placesOf = (seed: number) => chooseMutants(sources, seed, 8, []).map(({ file, line, after }) => `${file}:${line} ${after}`);
    expect(placesOf(1)).toEqual(placesOf(1));
    expect(placesOf(1)).not.toEqual(placesOf(2));
    expect(new Set(placesOf(1)).size).toBe(8);
    expect(placesOf(1).filter((place) => place.startsWith('src/a/'))).toHaveLength(4);
  });

  test('leaves out mutants that are known to change nothing, and texts that are no TypeScript', () => {
    const one = new Map([['src/a/x/one.ts', 'const a = b < c;\n']]);
    expect(chooseMutants(one, 1, 5, []).map(({ after }) => after)).toEqual(['const a = b <= c;']);
    const known = { file: 'src/a/x/one.ts', before: 'const a = b < c;', after: 'const a = b <= c;', why: '' };
    expect(chooseMutants(one, 1, 5, [known])).toEqual([]);
    expect(chooseMutants(new Map([['src/a/x/one.ts', 'const = 1;']]), 1, 5, [])).toEqual([]);
  });
});

test('the summary counts by wing what each stage notices, and lists the rest', () => {
  const mutant = (wing: string) => ({ wing, file: `src/${wing}/x.ts`, kind: 'number changed', line: 3, before: '1', after: '2' });
  const results = [
    { mutant: mutant('a'), stage: 'folder' as const, isNoticed: true },
    { mutant: mutant('a'), stage: 'modules' as const, isNoticed: false },
    { mutant: mutant('b'), stage: 'program' as const, isNoticed: true },
    { mutant: mutant('a'), stage: 'modules' as const, isNoticed: true },
  ];
  const summary = summarize(results, 7, '2026-01-01', 'commit');
  expect(summary.numbers).toMatchObject({
    tried: 4,
    'noticed by folder': 1,
    'noticed by wing': 0,
    'noticed by modules': 1,
    'noticed by program': 1,
    survived: 1,
    'noticed in percent': 75,
    'by module tests in percent': 50,
  });
  expect(summary.wings.a).toEqual({
    tried: 3,
    'noticed by folder': 1,
    'noticed by wing': 0,
    'noticed by modules': 1,
    'noticed by program': 0,
    'noticed in percent': 66.7,
    'by module tests in percent': 66.7,
    survived: [{ at: 'src/a/x.ts:3', change: 'number changed: 1 → 2', tests: 'up to modules' }],
  });
  expect([summary.found, summary.wings.b?.survived]).toEqual(['not noticed: src/a/x.ts:3', []]);
});

test('the tests of the folder come first, then those of the wing, of other wings, and of the program, the nearest first', () => {
  const imports = new Map([
    ['src/a/x/one.test.ts', ['src/a/x/one.test.ts', 'src/a/x/one.ts']],
    ['src/a/y/two.test.ts', ['src/a/y/two.test.ts', 'src/a/y/two.ts', 'src/a/x/one.ts']],
    ['src/c/far.test.ts', ['src/c/far.test.ts', 'src/c/far.ts', 'src/b/near.ts', 'src/a/x/one.ts']],
    ['src/b/near.test.ts', ['src/b/near.test.ts', 'src/b/near.ts', 'src/a/x/one.ts']],
    ['src/d/other.test.ts', ['src/d/other.test.ts', 'src/d/other.ts']],
    ['test/ones.test.ts', ['test/ones.test.ts']],
    ['test/runs.test.ts', ['test/runs.test.ts', 'src/a/x/one.ts']],
    ['test/runners.test.ts', ['test/runners.test.ts']],
  ]);
  expect(filesOfStage('folder', 'src/a/x/one.ts', imports)).toEqual(['src/a/x/one.test.ts']);
  expect(filesOfStage('wing', 'src/a/x/one.ts', imports)).toEqual(['src/a/y/two.test.ts']);
  expect(filesOfStage('modules', 'src/a/x/one.ts', imports)).toEqual(['src/b/near.test.ts', 'src/c/far.test.ts']);
  const [first, second] = filesOfStage('program', 'src/a/x/one.ts', imports);
  expect([first, second]).toEqual(['test/runs.test.ts', 'test/architecture.test.ts']);
  expect(filesOfStage('program', 'src/a/x/slow-runner.ts', imports)[0]).toBe('test/runners.test.ts');
});

test('the files that failed are read from what Bun prints', () => {
  const output = [
    'src/a.test.ts:',
    '(pass) a',
    '',
    'src/b.test.ts:',
    'error: x',
    '(fail) b > c',
    '(fail) b > d',
    '',
    'src/c.test.tsx:',
    '# Unhandled error between tests',
  ];
  expect(listFailed(output.join('\n'))).toEqual(['src/b.test.ts', 'src/c.test.tsx']);
  expect(listFailed('src/a.test.ts:\n(pass) prints (fail)\n')).toEqual([]);
});

test('mutants that are tried together have different files', () => {
  const [a, b, c] = ['a', 'b', 'a'].map((file) => ({ file })) as [{ file: string }, { file: string }, { file: string }];
  expect(oneOfEachFile([a, b, c])).toEqual([[a, b], [c]]);
  expect(oneOfEachFile([])).toEqual([]);
});

describe('a trial', () => {
  const tree = mkdtempSync(join(tmpdir(), 'serac-trial-'));
  afterAll(() => rmSync(tree, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  const value = (name: string): string => `src/${name}/x/value.ts`;
  const isTwo = "import { expect, test } from 'bun:test'; import { value } from './value.ts'; test('v', () => expect(value).toBe(2));";
  for (const name of ['a', 'b', 'c']) write(value(name), 'export const value = 2;');
  write('src/a/x/value.test.ts', isTwo);
  write('src/b/y/value.test.ts', isTwo.replace('./value', '../x/value'));
  write('src/b/y/wrong.test.ts', "import '../x/value.ts'; throw new Error('fails without a mutant too');");
  write('src/c/y/value.test.ts', "import { test } from 'bun:test'; import '../x/value.ts'; test('nothing', () => {});");
  const imports = importsOf(tree, ['src/a/x/value.test.ts', 'src/b/y/value.test.ts', 'src/b/y/wrong.test.ts', 'src/c/y/value.test.ts']);
  const mutantOf = (name: string): Mutant => {
    const shown = { wing: name, file: value(name), kind: 'number changed', line: 1, before: '2', after: '3' };
    return { ...shown, source: 'export const value = 3;' };
  };
  const tryAll = async (stage: 'folder' | 'wing', deadline = Number.POSITIVE_INFINITY): Promise<Record<string, boolean>> => {
    const results: Record<string, boolean> = {};
    await createTrial(tree, imports, deadline).tryStage(stage, ['a', 'b', 'c'].map(mutantOf), ({ wing }, isNoticed) => {
      results[wing] = isNoticed;
    });
    return results;
  };

  test('tells which mutants the tests of a stage notice, alone or together, and leaves the files as they were', async () => {
    expect(await tryAll('folder')).toEqual({ a: true, b: false, c: false });
    expect(await tryAll('wing')).toEqual({ a: false, b: true, c: false });
    for (const name of ['a', 'b', 'c']) expect(readFileSync(join(tree, value(name)), 'utf8')).toBe('export const value = 2;');
  });

  test('says nothing of mutants for which the time did not last', async () => {
    expect(await tryAll('folder', Date.now() - 1)).toEqual({});
  });
});
