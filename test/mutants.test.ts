import { describe, expect, test } from 'bun:test';
import { chooseMutants, filesOfStage, summarize, toMutant } from '../tools/mutants.ts';
import { applyMutation, listMutations } from '../tools/mutate-source.ts';

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

test('the summary counts by wing what module tests and stories notice, and lists the rest', () => {
  const mutant = (wing: string) => ({ wing, file: `src/${wing}/x.ts`, kind: 'number changed', line: 3, before: '1', after: '2' });
  const results = [
    { mutant: mutant('a'), stage: 'folder' as const, isNoticed: true },
    { mutant: mutant('a'), stage: 'importers' as const, isNoticed: false },
    { mutant: mutant('b'), stage: 'stories' as const, isNoticed: true },
    { mutant: mutant('a'), stage: 'importers' as const, isNoticed: true },
  ];
  const summary = summarize(results, 7, '2026-01-01', 'commit');
  expect(summary.numbers).toMatchObject({
    tried: 4,
    'noticed by module tests': 2,
    'noticed by stories': 1,
    survived: 1,
    'noticed in percent': 75,
  });
  expect(summary.wings.a).toEqual({
    tried: 3,
    'noticed by module tests': 2,
    'noticed by stories': 0,
    'noticed in percent': 66.7,
    survived: [{ at: 'src/a/x.ts:3', change: 'number changed: 1 → 2', tests: 'up to importers' }],
  });
  expect([summary.found, summary.wings.b?.survived]).toEqual(['not noticed: src/a/x.ts:3', []]);
});

test('the tests of the folder come first, then those that import the file, the nearest first', () => {
  const imports = new Map([
    ['src/a/one.test.ts', ['src/a/one.test.ts', 'src/a/one.ts']],
    ['src/c/far.test.ts', ['src/c/far.test.ts', 'src/c/far.ts', 'src/b/near.ts', 'src/a/one.ts']],
    ['src/b/near.test.ts', ['src/b/near.test.ts', 'src/b/near.ts', 'src/a/one.ts']],
    ['src/d/other.test.ts', ['src/d/other.test.ts', 'src/d/other.ts']],
  ]);
  expect(filesOfStage('folder', 'src/a/one.ts', imports)).toEqual(['src/a/one.test.ts']);
  expect(filesOfStage('importers', 'src/a/one.ts', imports)).toEqual(['src/b/near.test.ts', 'src/c/far.test.ts']);
});
